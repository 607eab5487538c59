// Profiles: which scheduler the commands call, and with which token, where the environment does not say so. They lie in
// ~/.config/carillon/config.json (XDG_CONFIG_HOME), which only its owner may read.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { processEnvironment } from '../../platform/env.js';
import { errorCode } from '../../platform/logging/error-code.js';
import { UsageError } from './usage-error.js';

const Profile = z.object({ url: z.url(), token: z.string().min(1) });
export type Profile = z.output<typeof Profile>;
const Profiles = z.object({ current: z.string().nullable(), profiles: z.record(z.string(), Profile) });
export type Profiles = z.output<typeof Profiles>;

export const DEFAULT_PROFILE = 'default';
const OTHERS = 0o077;

export function profilesFile(): string {
  const { XDG_CONFIG_HOME: given } = processEnvironment();
  return join(given || join(homedir(), '.config'), 'carillon', 'config.json');
}

/** Throws a UsageError for a file that others may read, or that is none of ours. */
export function readProfiles(): Profiles {
  const file = profilesFile();
  try {
    if (platform() !== 'win32' && (statSync(file).mode & OTHERS) !== 0)
      throw new UsageError(`others may read ${file}, which has tokens: chmod 600 ${file}`);
    return Profiles.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { current: null, profiles: {} };
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${file} cannot be read as profiles: mend it, or remove it and run "carillon login"`,
    );
  }
}

export function writeProfiles(profiles: Profiles): void {
  const file = profilesFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  // The mode above counts only for a file that was not there.
  chmodSync(file, 0o600);
}

/** The profile of CARILLON_PROFILE, else the current one; undefined: there is none. Throws a UsageError for a name that has none. */
export function chosenProfile(): (Profile & { readonly name: string }) | undefined {
  const { CARILLON_PROFILE: asked } = processEnvironment();
  const { current, profiles } = readProfiles();
  const name = asked || current;
  if (name === null) return undefined;
  const profile = profiles[name];
  if (profile === undefined)
    throw new UsageError(`there is no profile ${name}; "carillon profiles" lists them`);
  return { name, ...profile };
}

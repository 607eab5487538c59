// carillon login and profiles: keeps which scheduler the commands call, and with which token.
import { z } from 'zod';
import { Secret } from '../../platform/env.js';
import { readHidden } from '../shell/from-shell.js';
import { print, type JsonOption } from '../shell/output.js';
import { profilesFile, readProfiles, writeProfiles } from '../shell/profiles.js';
import { callScheduler } from '../shell/scheduler-api.js';
import { UsageError } from '../shell/usage-error.js';

export interface LoginOptions extends JsonOption {
  readonly url: string;
  readonly profile: string;
}

const Session = z.looseObject({
  token: z.string(),
  roles: z.array(z.string()),
  serviceIds: z.array(z.string()),
  expiresAt: z.string(),
});

/** Keeps nothing where the scheduler does not take the token. */
export async function login({ url, profile, ...options }: LoginOptions): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError(`--url: ${url} is no URL`);
  if (!/^[\w.-]{1,64}$/.test(profile))
    throw new UsageError('--profile takes letters, digits, dots and dashes');
  const before = readProfiles();
  const token = (await readHidden('token')).trim();
  if (token === '') throw new UsageError('give the token on standard input');
  const session = await callScheduler(
    {
      name: 'the scheduler',
      variable: '--url',
      url,
      token: new Secret(token),
      tokenVariable: 'standard input',
    },
    '/v1/session',
    Session,
  );
  writeProfiles({ current: profile, profiles: { ...before.profiles, [profile]: { url, token } } });
  const { token: name, roles, serviceIds, expiresAt } = session;
  const line = `${name}: ${roles.join(', ')} for ${serviceIds.join(', ')} at ${url}, until ${expiresAt}`;
  print(options, { profile, url, ...session }, `${line}\nprofile ${profile} is kept in ${profilesFile()}`);
}

export function listProfiles(options: JsonOption): void {
  const { current, profiles } = readProfiles();
  const items = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
  const lines = items.map(({ name, url, current: isUsed }) => `${isUsed ? '*' : ' '} ${name}  ${url}`);
  print(options, { items }, lines.join('\n') || 'no profiles: "carillon login" makes one');
}

export function useProfile(name: string, options: JsonOption): void {
  const { profiles } = readProfiles();
  writeProfiles({ current: known(name, profiles), profiles });
  print(options, { current: name }, `${name} is used from now on`);
}

export function removeProfile(name: string, options: JsonOption): void {
  const { current, profiles } = readProfiles();
  known(name, profiles);
  const { [name]: _, ...others } = profiles;
  writeProfiles({ current: current === name ? null : current, profiles: others });
  print(options, { removed: name }, `${name} is removed`);
}

function known(name: string, profiles: Readonly<Record<string, unknown>>): string {
  if (Object.hasOwn(profiles, name)) return name;
  throw new UsageError(`there is no profile ${name}; "carillon profiles" lists them`);
}

// Chooses the zone rules of this process (planning.md §8): TZDATA_DIR where it is set, else the system's zone files or
// ICU, whichever is newer.
import { existsSync } from 'node:fs';
import type { EpochMs, ZoneRules } from './zone-rules.js';
import { instantText } from '../platform/instant.js';
import { TzifError } from './tzif.js';
import { IcuZoneRules } from './zone-rules-icu.js';
import { TzifZoneRules } from './zone-rules-tzif.js';

/** Where operating systems keep compiled zone files. */
export const SYSTEM_ZONEINFO = [
  '/usr/share/zoneinfo',
  '/usr/lib/zoneinfo',
  '/usr/share/lib/zoneinfo',
  '/etc/zoneinfo',
];

export interface ZoneRulesChoice {
  /** TZDATA_DIR: use only these rules, however old they are. */
  readonly directory?: string | undefined;
  /** Where to search if no directory is given; by default SYSTEM_ZONEINFO. */
  readonly systemDirectories?: readonly string[];
}

/** Throws a TzifError when `directory` is given and holds no zones. A system without zone files falls back to ICU. */
export function loadZoneRules(choice: ZoneRulesChoice = {}): ZoneRules {
  if (choice.directory !== undefined) return new TzifZoneRules(choice.directory);
  const icu = new IcuZoneRules();
  const system = (choice.systemDirectories ?? SYSTEM_ZONEINFO)
    .map(tzifIn)
    .find((rules) => rules !== undefined);
  // At the same release, files win: they can be updated without updating Node.
  return system !== undefined && !isOlder(system.version, icu.version) ? system : icu;
}

function tzifIn(directory: string): ZoneRules | undefined {
  if (!existsSync(directory)) return undefined;
  try {
    return new TzifZoneRules(directory);
  } catch (error) {
    if (error instanceof TzifError) return undefined;
    throw error;
  }
}

/** Releases sort as text. An unknown release counts as older than any other. */
export function isOlder(version: string, than: string): boolean {
  if (than === 'unknown') return false;
  return version === 'unknown' || version < than;
}

/** A process's zone rules as its health endpoint shows them. */
export interface ZoneRulesView {
  readonly version: string;
  readonly source: string;
  /** Null for an unknown release. */
  readonly yearsBehind: number | null;
}

export function zoneRulesView({ version, source }: ZoneRules, now: EpochMs): ZoneRulesView {
  return { version, source, yearsBehind: yearsBehind(version, now) ?? null };
}

/** The calendar years from the release to `now`: it shows whether rules may be stale. Undefined for an unknown release. */
export function yearsBehind(version: string, now: EpochMs): number | undefined {
  const released = Number.parseInt(version, 10);
  const year = Number(instantText(now).slice(0, 4));
  return Number.isNaN(released) ? undefined : Math.max(0, year - released);
}

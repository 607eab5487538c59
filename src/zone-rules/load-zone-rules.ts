// Which zone rules this process goes by (planning.md §8): TZDATA_DIR where it is set, else the newer of the system's
// zone files and ICU.
import { existsSync } from 'node:fs';
import type { EpochMs, ZoneRules } from './zone-rules.js';
import { instantText } from '../platform/instant.js';
import { TzifError } from './tzif.js';
import { IcuZoneRules } from './zone-rules-icu.js';
import { TzifZoneRules } from './zone-rules-tzif.js';

/** Where systems keep their compiled zones. */
export const SYSTEM_ZONEINFO = [
  '/usr/share/zoneinfo',
  '/usr/lib/zoneinfo',
  '/usr/share/lib/zoneinfo',
  '/etc/zoneinfo',
];

export interface ZoneRulesChoice {
  /** TZDATA_DIR: these rules and no others, however old. */
  readonly directory?: string | undefined;
  /** Looked through otherwise; the system's own by default. */
  readonly systemDirectories?: readonly string[];
}

/** Throws a TzifError when `directory` is given and holds no zones; ICU stands in for a system without any. */
export function loadZoneRules(choice: ZoneRulesChoice = {}): ZoneRules {
  if (choice.directory !== undefined) return new TzifZoneRules(choice.directory);
  const icu = new IcuZoneRules();
  const system = (choice.systemDirectories ?? SYSTEM_ZONEINFO)
    .map(tzifIn)
    .find((rules) => rules !== undefined);
  // Of the same release, files: they can be replaced while Node stays.
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

/** Releases order as text; one that is not known is older than any. */
export function isOlder(version: string, than: string): boolean {
  if (than === 'unknown') return false;
  return version === 'unknown' || version < than;
}

/** The rules a process goes by, as its health shows them. */
export interface ZoneRulesView {
  readonly version: string;
  readonly source: string;
  /** Null for an unknown release. */
  readonly yearsBehind: number | null;
}

export function zoneRulesView({ version, source }: ZoneRules, now: EpochMs): ZoneRulesView {
  return { version, source, yearsBehind: yearsBehind(version, now) ?? null };
}

/** Calendar years from the release's to the one `now` is in: shown where rules may be stale. Undefined for an unknown release. */
export function yearsBehind(version: string, now: EpochMs): number | undefined {
  const released = Number.parseInt(version, 10);
  const year = Number(instantText(now).slice(0, 4));
  return Number.isNaN(released) ? undefined : Math.max(0, year - released);
}

// Every source of zone rules on this machine, for specs that must hold under each: ICU, the system's files, TZDATA_DIR,
// and the few zones of release 2026f kept beside the vectors.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SYSTEM_ZONEINFO } from '../../../src/zone-rules/load-zone-rules.js';
import { IcuZoneRules } from '../../../src/zone-rules/zone-rules-icu.js';
import { TzifZoneRules } from '../../../src/zone-rules/zone-rules-tzif.js';
import type { ZoneRules } from '../../../src/zone-rules/zone-rules.js';

/** Directories of compiled zones that hold every zone: TZDATA_DIR first, then the system's. */
export function zoneDirectories(): string[] {
  const own = process.env['TZDATA_DIR'];
  return [
    ...(own === undefined || own === '' ? [] : [own]),
    ...SYSTEM_ZONEINFO.filter((path) => existsSync(path)),
  ];
}

let complete: ZoneRules[] | undefined;

/** ICU first. The same objects every time: their tables are dear. */
export function completeRuleSets(): ZoneRules[] {
  complete ??= [new IcuZoneRules(), ...zoneDirectories().map((directory) => new TzifZoneRules(directory))];
  return complete;
}

/** Only the zones that rows marked tzdata_sensitive need. */
export function rulesOf2026f(): TzifZoneRules {
  return new TzifZoneRules(fileURLToPath(new URL('../../vectors/tzdata-2026f', import.meta.url)));
}

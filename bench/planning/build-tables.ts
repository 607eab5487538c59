// The transition tables of all zones, built from nothing as a plan over all of them would: each source on its own.
import { existsSync } from 'node:fs';
import { SYSTEM_ZONEINFO } from '../../src/zone-rules/load-zone-rules.js';
import { IcuZoneRules } from '../../src/zone-rules/zone-rules-icu.js';
import { TzifZoneRules } from '../../src/zone-rules/zone-rules-tzif.js';
import type { ZoneRules } from '../../src/zone-rules/zone-rules.js';
import { median, processorMs, type Finding } from '../measure.js';

const ROUNDS = 7;

export function buildTables(): Finding[] {
  const inAYear = Date.now() + 366 * 86_400_000;
  const canonical = Intl.supportedValuesOf('timeZone');
  const directory = [process.env['TZDATA_DIR'], ...SYSTEM_ZONEINFO].find(
    (path) => path !== undefined && path !== '' && existsSync(path),
  );
  const sources: [string, () => ZoneRules, readonly string[]][] = [
    ['ICU', () => new IcuZoneRules(), canonical],
  ];
  if (directory !== undefined) {
    const make = (): ZoneRules => new TzifZoneRules(directory);
    sources.unshift(['compiled zone files', make, make().names()]);
  }
  return sources.map(([name, make, zones]) => {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const rules = make();
      return processorMs(() => {
        for (const zone of zones) rules.table(zone)?.offsetAt(inAYear);
      });
    });
    return {
      name: `transition tables of all zones, from ${name}`,
      value: median(rounds),
      unit: 'ms of processor time',
      bound: { kind: 'at most', value: 200 },
      detail: `${zones.length} zones, a year ahead; first round ${Math.round(rounds[0] ?? 0)} ms`,
    };
  });
}

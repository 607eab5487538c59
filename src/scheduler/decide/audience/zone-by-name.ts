// Zones by name: IANA names from the rules, and the fixed offsets under which the push service registers users.
import { HOUR_MS, MINUTE_MS, SECOND_MS, formatOffset } from '../../../zone-rules/civil.js';
import { fixedTable, type ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';

const FIXED_OFFSET = /^UTC([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/;

/** The name of a fixed-offset zone: `UTC+09:00`. It has no DST (planning.md §2). */
export function fixedOffsetZone(offsetSeconds: number): string {
  return `UTC${formatOffset(offsetSeconds * SECOND_MS)}`;
}

/** The table of an IANA zone or of a fixed-offset zone; undefined where `zone` is neither. */
export function zoneTable(zone: string, rules: ZoneRules): ZoneOffsets | undefined {
  const [, sign, hours, minutes, seconds = '0'] = FIXED_OFFSET.exec(zone) ?? [];
  if (sign === undefined) return rules.table(zone);
  const length = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  return fixedTable(sign === '-' ? -length : length);
}

/** The table of a zone that was checked before. Throws for any other: that is a bug, never an input. */
export function requireZoneTable(zone: string, rules: ZoneRules): ZoneOffsets {
  const table = zoneTable(zone, rules);
  if (table === undefined) throw new RangeError(`no zone ${zone} in ${rules.source} ${rules.version}`);
  return table;
}

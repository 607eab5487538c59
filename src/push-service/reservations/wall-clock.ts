// Wall times of the interface by the zone rules of this process, which the scheduler goes by as well. Inside a gap a time
// moves forward by the gap, inside an overlap the first of the two is meant (push-decisions.md, "Messages").
import type { LocalMs } from '../../zone-rules/civil.js';
import type { ZoneOffsets } from '../../zone-rules/zone-offsets.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';

/** What is wrong with a zone that the rules do not know, after the name of the member that gives it. */
export const UNKNOWN_ZONE = 'is no name of the time-zone database';

export function instantOf(local: LocalMs, table: ZoneOffsets): EpochMs {
  const found = table.candidates(local);
  if (found.kind === 'unique') return found.instant;
  return found.kind === 'gap' ? found.forward : found.first;
}

/** The table of a zone that was checked when it was given. Throws where rules loaded since then lack it. */
export function requireTable(rules: ZoneRules, zone: string): ZoneOffsets {
  const table = rules.table(zone);
  if (table === undefined) throw new RangeError(`no zone ${zone} in ${rules.source} ${rules.version}`);
  return table;
}

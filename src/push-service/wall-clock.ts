// Zones of the interface by the zone rules of this process, which the scheduler uses as well.
import type { ZoneOffsets } from '../zone-rules/zone-offsets.js';
import type { ZoneRules } from '../zone-rules/zone-rules.js';

/** The refusal of a zone that the rules do not know, after the name of the member that gives it. */
export const UNKNOWN_ZONE = 'is no name of the time-zone database';

/** The table of a zone that was checked when it was given. Throws where rules loaded since then lack it. */
export function requireTable(rules: ZoneRules, zone: string): ZoneOffsets {
  const table = rules.table(zone);
  if (table === undefined) throw new RangeError(`no zone ${zone} in ${rules.source} ${rules.version}`);
  return table;
}

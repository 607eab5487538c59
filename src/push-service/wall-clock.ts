// The zones of the interface, by the zone rules of this process. The scheduler uses the same rules.
import type { ZoneOffsets } from '../zone-rules/zone-offsets.js';
import type { ZoneRules } from '../zone-rules/zone-rules.js';

/** The refusal of a zone that the rules do not know. The name of the member stands before it. */
export const UNKNOWN_ZONE = 'is no name of the time-zone database';

/** The table of a zone that was checked when it was given. Throws where the rules that this process has loaded lack it. */
export function requireTable(rules: ZoneRules, zone: string): ZoneOffsets {
  const table = rules.table(zone);
  if (table === undefined) throw new RangeError(`no zone ${zone} in ${rules.source} ${rules.version}`);
  return table;
}

// Reads the interface's date-times (push-interface.md §2.6). They have no offset, so they are read as wall times of the project's
// gatewayZone; one that has an offset is read by that. Pure: uses the zone rules that it is given, and not the present time.
import { DateTime, IANAZone } from 'luxon';
import { parseLocal } from '../../../zone-rules/civil.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';

/** The interface's own form. */
const PLAIN = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{3}))?$/;

/** Instants outside these years come from a wrong clock or format; the database could not keep them. */
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)];

/** Stands for the gatewayZone while a text is read. A zone that the text itself names is never the same object. */
const GATEWAY_ZONE = new IANAZone('UTC');

/**
 * Null for a text that is no date-time of the years 1970 to 9998, or for an unknown zone. Not specified (push-interface.md §2.6):
 * a wall time in a gap, or one that exists twice. These are read as our push service reads those of its clients
 * (push-decisions.md, "Messages").
 */
export function gatewayInstant(text: string, zone: string, rules: Pick<ZoneRules, 'table'>): EpochMs | null {
  const table = rules.table(zone);
  const at = table === undefined ? undefined : read(text, table);
  return at !== undefined && at >= EARLIEST && at < LATEST ? at : null;
}

function read(text: string, table: ZoneOffsets): EpochMs | undefined {
  const [, date, time, milliseconds = '0'] = PLAIN.exec(text) ?? [];
  const plain = date === undefined ? undefined : parseLocal(`${date}T${time}`);
  if (plain !== undefined) return table.instantOf(plain + Number(milliseconds));
  const options = { zone: GATEWAY_ZONE, setZone: true };
  const iso = DateTime.fromISO(text, options);
  const found = iso.isValid ? iso : DateTime.fromSQL(text, options);
  if (!found.isValid) return undefined;
  return found.zone === GATEWAY_ZONE ? table.instantOf(found.toMillis()) : found.toMillis();
}

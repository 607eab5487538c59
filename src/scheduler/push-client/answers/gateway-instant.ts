// The interface's date-times (push-interface.md §2.6) carry no offset: they are read on the clock of the project's gatewayZone,
// unless one carries an offset after all. Pure: by the zone rules it is given, whatever the time is now.
import { DateTime, IANAZone } from 'luxon';
import { parseLocal } from '../../../zone-rules/civil.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';

/** The interface's own form. */
const PLAIN = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{3}))?$/;

/** The database can keep these years; anything else is a fault of a clock or a format. */
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)];

/** Stands for the gateway's clock while a text is read: UTC, and no zone that a text itself names is the same object. */
const ITS_CLOCK = new IANAZone('UTC');

/**
 * Null for a text that is no date-time of the years 1970 to 9998, or for an unknown zone. Not specified (push-interface.md §2.6):
 * a wall time in a gap, or one that exists twice. They are read as the push service reads those that it is given
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
  const options = { zone: ITS_CLOCK, setZone: true };
  const iso = DateTime.fromISO(text, options);
  const found = iso.isValid ? iso : DateTime.fromSQL(text, options);
  if (!found.isValid) return undefined;
  return found.zone === ITS_CLOCK ? table.instantOf(found.toMillis()) : found.toMillis();
}

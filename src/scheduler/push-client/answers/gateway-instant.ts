// The interface's date-times (push-interface.md §2.6) carry no offset: they are read on the clock of the project's gatewayZone,
// unless one carries an offset after all. Pure, except that it remembers minutes: many results share one.
import { DateTime } from 'luxon';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

/** Minutes remembered. */
const REMEMBERED = 1_000;
const minutes = new Map<string, EpochMs | null>();

/** The interface's own form; every zone changes its offset at whole minutes. */
const PLAIN = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d):([0-5]\d)(?:\.(\d{3}))?$/;

/** The database can keep these years; anything else is a fault of a clock or a format. */
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 0, 1)];

/** Null for a text that is no date-time of the years 1970 to 9998, or for an unknown zone. */
export function gatewayInstant(text: string, zone: string): EpochMs | null {
  const [, minute, seconds, milliseconds = '0'] = PLAIN.exec(text) ?? [];
  if (minute === undefined) return read(text, zone);
  const name = `${zone} ${minute}`;
  let start = minutes.get(name);
  if (start === undefined) {
    start = read(minute, zone);
    if (minutes.size >= REMEMBERED) minutes.clear();
    minutes.set(name, start);
  }
  return start === null ? null : start + Number(seconds) * 1_000 + Number(milliseconds);
}

function read(text: string, zone: string): EpochMs | null {
  const iso = DateTime.fromISO(text, { zone });
  const found = iso.isValid ? iso : DateTime.fromSQL(text, { zone });
  const at = found.isValid ? found.toMillis() : null;
  return at !== null && at >= EARLIEST && at < LATEST ? at : null;
}

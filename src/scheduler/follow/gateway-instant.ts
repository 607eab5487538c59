// The interface's date-times (§2.6) carry no offset: they are read on the clock of the project's gatewayZone, unless
// one carries an offset after all. Pure.
import { DateTime } from 'luxon';
import type { EpochMs } from '../decide/ports.js';

/** Null for a text that is no date-time, or a zone nobody knows. */
export function gatewayInstant(text: string, zone: string): EpochMs | null {
  const iso = DateTime.fromISO(text, { zone });
  const read = iso.isValid ? iso : DateTime.fromSQL(text, { zone });
  return read.isValid ? read.toMillis() : null;
}

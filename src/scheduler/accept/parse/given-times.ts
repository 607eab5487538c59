// Times as an event gives them. Only those of four-digit years that a zone's rules and the database hold on every clock.
import { DateTime } from 'luxon';
import { parseLocal } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { INSTANT } from './campaign-event.js';
import { shown } from '../../decide/shown-value.js';
import { reason, type Reason } from './reason.js';

const FIRST_YEAR = 1970;
/** On some clock its last day is in 9999. */
const LAST_YEAR = 9998;

/** Epoch milliseconds of an RFC 3339 instant; NaN for a date that the calendar of these years has not. */
export function instantOf(text: string): EpochMs {
  if (!INSTANT.test(text)) return Number.NaN;
  const at = DateTime.fromISO(text, { zone: 'utc' });
  return isOurs(at.year) ? at.toMillis() : Number.NaN;
}

/** Whether the calendar of these years has such a wall time, in whatever zone. */
export function isWallTimeOfCalendar(text: string): boolean {
  return parseLocal(text) !== undefined && isOurs(Number(text.slice(0, 4)));
}

export function noSuchTime(pointer: string, text: string): Reason {
  const years = `${FIRST_YEAR} to ${LAST_YEAR}`;
  return reason(
    pointer,
    'NO_SUCH_TIME',
    `the calendar of the years ${years} has no ${shown(text)}: taken is a day that it has, such as 2027-03-01`,
  );
}

function isOurs(year: number): boolean {
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}

// Times as an event gives them. Only years are taken that the zone rules and the database can hold on the clock of any zone.
import { MINUTE_MS, parseLocal } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { INSTANT } from './campaign-event.js';
import { shown } from '../../decide/quote-value.js';
import { reason, type Reason } from './reason.js';

const FIRST_YEAR = 1970;
/** On the clock of some zone, its last day is already in 9999. */
const LAST_YEAR = 9998;
const FIRST_MS = Date.UTC(FIRST_YEAR, 0);
const END_MS = Date.UTC(LAST_YEAR + 1, 0);
/** The fields of an INSTANT: its wall time, its milliseconds and its offset from UTC. */
const INSTANT_FIELDS = /^([^.Z+]{16,19}?)(?:\.(\d{1,3})\d*)?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Epoch milliseconds of an RFC 3339 instant; NaN for a date that is not in the calendar of these years. */
export function instantOf(text: string): EpochMs {
  const fields = INSTANT.test(text) ? INSTANT_FIELDS.exec(text.toUpperCase()) : null;
  if (fields === null) return Number.NaN;
  const [, wall = '', fraction = '', sign, hours = 0, minutes = 0] = fields;
  const local = parseLocal(wall) ?? Number.NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const at = local + Number(fraction.padEnd(3, '0')) - (sign === '-' ? -offset : offset);
  return at >= FIRST_MS && at < END_MS ? at : Number.NaN;
}

/** A WALL_TIME as the planner reads it. */
export const wallTimeOf = (text: string): string => text.toUpperCase();

/** Whether the calendar of these years has such a wall time, whatever its zone. */
export function isWallTimeOfCalendar(text: string): boolean {
  const year = Number(text.slice(0, 4));
  return parseLocal(wallTimeOf(text)) !== undefined && year >= FIRST_YEAR && year <= LAST_YEAR;
}

export function noSuchTime(pointer: string, given: string): Reason {
  const years = `${FIRST_YEAR} to ${LAST_YEAR}`;
  const text = `the calendar of the years ${years} has no ${shown(given)}: give a day that it has, such as 2027-03-01`;
  return reason(pointer, 'NO_SUCH_TIME', text);
}

// When a schedule fires: its local date and minute on one zone's clock, or on the clock of each registered offset for
// LOCALTIME. Pure; knows nothing of messages.
import { LOCALTIME } from '../../push-contract/schedules.js';
import { DAYS_OF_WEEK, type DayOfWeek } from '../../push-contract/statuses.js';
import type { EpochMs } from '../../platform/clock.js';
import { instantOf } from '../reservations/wall-clock.js';
import { MAX_OFFSET_SECONDS } from '../users/user-registration.js';

export interface ScheduleTimes {
  /** An IANA name, or LOCALTIME. */
  readonly timeZone: string;
  /** Minute of the day. */
  readonly minute: number;
  /** `yyyy-MM-dd`, both inclusive. */
  readonly startDate: string;
  readonly endDate: string | null;
  readonly daysOfWeek: readonly DayOfWeek[];
}

export interface Occurrence {
  /**
   * Names it for ever: the local date-time with its offset in seconds. Without that, a schedule that is moved to another
   * zone on a day it has fired would not be fired at its new time.
   */
  readonly name: string;
  readonly at: EpochMs;
  /** LOCALTIME: the users it is for. */
  readonly timezone: number | null;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** All in (after, until], oldest first; `offsets` are those registered, used for LOCALTIME alone. */
export function occurrencesIn(
  times: ScheduleTimes,
  after: EpochMs,
  until: EpochMs,
  offsets: readonly number[],
): Occurrence[] {
  const found: Occurrence[] = [];
  // A local date begins at most 18 hours before and after the UTC date of its name.
  const from = Math.max(startOf(times.startDate), dayOf(after) - DAY_MS);
  const to = Math.min(times.endDate === null ? Infinity : startOf(times.endDate), dayOf(until) + DAY_MS);
  for (let day = from; day <= to; day += DAY_MS) {
    if (!times.daysOfWeek.includes(weekdayOf(day))) continue;
    for (const one of firingsOf(times, day, offsets)) if (one.at > after && one.at <= until) found.push(one);
  }
  return found.sort((a, b) => a.at - b.at);
}

function firingsOf(times: ScheduleTimes, day: number, offsets: readonly number[]): Occurrence[] {
  const reading = day + times.minute * MINUTE_MS;
  const name = new Date(reading).toISOString().slice(0, 16);
  if (times.timeZone !== LOCALTIME) {
    const at = instantOf(reading, times.timeZone);
    return [{ name: `${name}@${(reading - at) / 1_000}`, at, timezone: null }];
  }
  return offsets.map((offset) => ({
    name: `${name}@${offset}`,
    at: reading - offset * 1_000,
    timezone: offset,
  }));
}

/** When to look again after `now`; null when nothing is to come. LOCALTIME looks each minute: any offset may register. */
export function nextFiring(times: ScheduleTimes, now: EpochMs): EpochMs | null {
  if (times.timeZone === LOCALTIME) {
    const last = times.endDate === null ? Infinity : startOf(times.endDate) + times.minute * MINUTE_MS;
    if (now > last + MAX_OFFSET_SECONDS * 1_000) return null;
    const first = startOf(times.startDate) + times.minute * MINUTE_MS - MAX_OFFSET_SECONDS * 1_000;
    return Math.max(first, (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS);
  }
  // Nine days hold each weekday at least once, whatever the offsets do.
  const from = Math.max(now, startOf(times.startDate) - DAY_MS);
  return occurrencesIn(times, from, from + 9 * DAY_MS, [])[0]?.at ?? null;
}

function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: number): DayOfWeek {
  const index = (((day / DAY_MS + 3) % 7) + 7) % 7;
  return DAYS_OF_WEEK[index] ?? 'MON';
}

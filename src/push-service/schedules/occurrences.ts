// When a schedule fires: at its local date and minute on the clock of one zone or, for LOCALTIME, on the clock of each registered
// offset. Pure; knows nothing about messages.
import { LOCALTIME } from '../../push-contract/limits.js';
import { DAYS_OF_WEEK, type DayOfWeek } from '../../push-contract/statuses.js';
import { DAY_MS, MINUTE_MS, weekdayOfDays } from '../../zone-rules/civil.js';
import type { ZoneOffsets } from '../../zone-rules/zone-offsets.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { requireTable } from '../wall-clock.js';
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
   * The permanent name: the local date-time with its offset in seconds. Without the offset, a schedule that moves to another zone
   * on a day when it has fired would not fire at its new time.
   */
  readonly name: string;
  readonly at: EpochMs;
  /** Only for LOCALTIME: the quarter of an hour in which its users' offsets are (quarterOf), in seconds. */
  readonly timezone: number | null;
}

/** The clock by which it fires: that of its zone or, for LOCALTIME, one for each registered offset, in seconds. */
export type FiringClock = ZoneOffsets | readonly number[];

const QUARTER_SECONDS = 900;

/**
 * push-decisions.md, "Reservations and schedules": LOCALTIME goes by quarters of an hour, as the offsets of the world do. Users
 * whose offset is between 450 s before the quarter and less than 450 s after it get the message together.
 */
export function quarterOf(offsetSeconds: number): number {
  return Math.floor(offsetSeconds / QUARTER_SECONDS + 0.5) * QUARTER_SECONDS;
}

/** All occurrences in (after, until], oldest first. */
export function occurrencesIn(
  times: ScheduleTimes,
  after: EpochMs,
  until: EpochMs,
  clock: FiringClock,
): Occurrence[] {
  const found: Occurrence[] = [];
  // A local date begins at most 18 hours before and after the UTC date of its name.
  const from = Math.max(startOf(times.startDate), dayOf(after) - DAY_MS);
  const to = Math.min(times.endDate === null ? Infinity : startOf(times.endDate), dayOf(until) + DAY_MS);
  for (let day = from; day <= to; day += DAY_MS) {
    if (!times.daysOfWeek.includes(weekdayOf(day))) continue;
    for (const one of firingsOf(times, day, clock)) if (one.at > after && one.at <= until) found.push(one);
  }
  return found.sort((a, b) => a.at - b.at);
}

function firingsOf(times: ScheduleTimes, day: number, clock: FiringClock): Occurrence[] {
  const reading = day + times.minute * MINUTE_MS;
  const name = new Date(reading).toISOString().slice(0, 16);
  if ('offsetAt' in clock) {
    const at = clock.instantOf(reading);
    return [{ name: `${name}@${(reading - at) / 1_000}`, at, timezone: null }];
  }
  return clock.map((offset) => ({
    name: `${name}@${offset}`,
    at: reading - offset * 1_000,
    timezone: offset,
  }));
}

/**
 * When the schedule is due next after `now`; null when nothing follows. LOCALTIME is due each minute, because users may have any
 * offset.
 */
export function nextFiring(times: ScheduleTimes, now: EpochMs, rules: ZoneRules): EpochMs | null {
  if (times.timeZone === LOCALTIME) {
    const last = times.endDate === null ? Infinity : startOf(times.endDate) + times.minute * MINUTE_MS;
    if (now > last + MAX_OFFSET_SECONDS * 1_000) return null;
    const first = startOf(times.startDate) + times.minute * MINUTE_MS - MAX_OFFSET_SECONDS * 1_000;
    return Math.max(first, (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS);
  }
  // Nine days contain each weekday at least once, whatever the offsets do.
  const from = Math.max(now, startOf(times.startDate) - DAY_MS);
  return occurrencesIn(times, from, from + 9 * DAY_MS, requireTable(rules, times.timeZone))[0]?.at ?? null;
}

function startOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function dayOf(at: EpochMs): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

function weekdayOf(day: number): DayOfWeek {
  return DAYS_OF_WEEK[weekdayOfDays(day / DAY_MS) - 1] ?? 'MON';
}

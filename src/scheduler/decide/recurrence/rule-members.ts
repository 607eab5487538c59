// A recurrence rule's wall times, COUNT and UNTIL aside: period by period, the days of a period, the times of each day, and
// what BYSETPOS picks of them. In order, each once; never holds more than a year's days.
import {
  DAY_MS,
  dateOfDays,
  daysOfDate,
  HOUR_MS,
  MINUTE_MS,
  splitLocal,
  type LocalMs,
} from '../../../zone-rules/civil.js';
import { dayMatcher } from './rule-days.js';
import type { RuleParts } from './rule-parts.js';

interface MemberSpan {
  /** Not before the start. */
  readonly from: LocalMs;
  /** The first wall time after the span. */
  readonly end: LocalMs;
}

export function* ruleMembers(
  parts: RuleParts,
  start: LocalMs,
  { from, end }: MemberSpan,
): Generator<LocalMs> {
  const members = parts.positions === undefined ? everyMember : pickedMembers(parts.positions);
  const matches = dayMatcher(parts);
  const timesOf = timesOfDay(parts, start);
  const { numberOf, firstDay } = periodsOf(parts);
  // The hours of HOURLY are chosen within each day: its period is the day.
  const step = parts.frequency === 'HOURLY' ? 1 : parts.interval;
  const { days: fromDay } = splitLocal(from);
  // RFC 5545 §3.3.10, INTERVAL: every nth period, counted from the one that the start is in.
  const startPeriod = numberOf(splitLocal(start).days);
  let period = startPeriod + Math.ceil((numberOf(fromDay) - startPeriod) / step) * step;
  for (; firstDay(period) * DAY_MS < end; period += step) {
    // Positions count among all days of the period. Without them, days before the span can be left out.
    const first = parts.positions === undefined ? Math.max(firstDay(period), fromDay) : firstDay(period);
    const length = Math.max(0, firstDay(period + 1) - first);
    const days = Array.from({ length }, (_, index) => first + index).filter(matches);
    for (const local of members(days, timesOf)) {
      if (local >= end) return;
      if (local >= from) yield local;
    }
  }
}

/** Periods are numbered in order, without gaps, so that one far from the start is reached by a division. */
interface Periods {
  readonly numberOf: (day: number) => number;
  readonly firstDay: (period: number) => number;
}

function periodsOf({ frequency, weekStart }: RuleParts): Periods {
  switch (frequency) {
    case 'YEARLY':
      return {
        numberOf: (day) => dateOfDays(day).year,
        firstDay: (year) => daysOfDate({ year, month: 1, day: 1 }),
      };
    case 'MONTHLY':
      return {
        numberOf: (day) => {
          const { year, month } = dateOfDays(day);
          return year * 12 + month - 1;
        },
        firstDay: (n) => daysOfDate({ year: Math.floor(n / 12), month: (n % 12) + 1, day: 1 }),
      };
    case 'WEEKLY': {
      // "A week … starting on the day of the week defined to be the week start (see WKST)." 1969-12-29 was a Monday.
      const offset = weekStart - 4;
      return { numberOf: (day) => Math.floor((day - offset) / 7), firstDay: (week) => week * 7 + offset };
    }
    case 'DAILY':
    case 'HOURLY':
      return { numberOf: (day) => day, firstDay: (day) => day };
    default:
      return frequency satisfies never;
  }
}

/** The times of a day, in order, each once, as milliseconds of the day. */
type TimesOf = (day: number) => readonly number[];

/** BYHOUR and BYMINUTE expand any frequency above them (RFC 5545 §3.3.10, the table); seconds are the start's. */
function timesOfDay({ frequency, interval, hours, minutes }: RuleParts, start: LocalMs): TimesOf {
  const seconds = start % MINUTE_MS;
  const timesOf = (hoursOfDay: readonly number[]): number[] =>
    hoursOfDay.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS + seconds));
  if (frequency !== 'HOURLY') {
    const times = timesOf(hours);
    return () => times;
  }
  // Hours at a multiple of the interval from the start: the first such hour of a day determines the others.
  const { days: startDay, msOfDay } = splitLocal(start);
  const startHour = Math.floor(msOfDay / HOUR_MS);
  const byFirstHour = Array.from({ length: Math.min(interval, 24) }, (_, first) =>
    timesOf(Array.from({ length: Math.ceil((24 - first) / interval) }, (_none, n) => first + n * interval)),
  );
  return (day) => {
    const before = (day - startDay) * 24 - startHour;
    const firstHour = (interval - (before % interval)) % interval;
    return byFirstHour[firstHour] ?? [];
  };
}

function* everyMember(days: readonly number[], timesOf: TimesOf): Generator<LocalMs> {
  for (const day of days) for (const time of timesOf(day)) yield day * DAY_MS + time;
}

/**
 * BYSETPOS: "Each BYSETPOS value corresponds to the nth occurrence within the set of recurrence instances specified by
 * the rule", from its end where negative; a value beyond the set picks nothing. Every day has the same times, because
 * BYSETPOS is not taken with HOURLY, so the nth occurrence is found by a division.
 */
function pickedMembers(positions: readonly number[]) {
  return (days: readonly number[], timesOf: TimesOf): LocalMs[] => {
    const [first] = days;
    if (first === undefined) return [];
    const times = timesOf(first);
    const size = days.length * times.length;
    const indexes = positions.map((n) => (n > 0 ? n - 1 : size + n)).filter((n) => n >= 0 && n < size);
    return [...new Set(indexes)]
      .toSorted((a, b) => a - b)
      .map((index) => {
        const day = days[Math.floor(index / times.length)] ?? first;
        return day * DAY_MS + (times[index % times.length] ?? 0);
      });
  };
}

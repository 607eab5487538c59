// A recurrence rule's wall times, COUNT and UNTIL aside: period by period, the days of one, the times of each day, and
// of these what BYSETPOS picks. In order, each once; nothing longer than a year's days is ever held.
import { DAY_MS, splitLocal, type LocalMs } from '../../../zone-rules/civil.js';
import { dayMatcher } from './rule-days.js';
import type { RuleParts } from './rule-parts.js';
import { periodsOf, type Periods } from './rule-periods.js';
import { timesOfDay } from './rule-times.js';

export interface MemberSpan {
  /** Not before the start. */
  readonly from: LocalMs;
  /** The first wall time not wanted any more. */
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
  const periods = periodsOf(parts);
  const { days: fromDay } = splitLocal(from);
  let period = firstPeriod(periods, splitLocal(start).days, fromDay);
  for (; periods.firstDay(period) * DAY_MS < end; period += periods.step) {
    // Positions count among all days of the period; else those before the window take no part.
    const first = periods.firstDay(period);
    const days = daysFrom(parts.positions === undefined ? Math.max(first, fromDay) : first, periods, period);
    for (const local of members(days.filter(matches), timesOf)) {
      if (local >= end) return;
      if (local >= from) yield local;
    }
  }
}

/** RFC 5545 §3.3.10, INTERVAL: every nth period, counted from the one that the start is in. */
function firstPeriod({ numberOf, step }: Periods, startDay: number, fromDay: number): number {
  const first = numberOf(startDay);
  return first + Math.ceil((numberOf(fromDay) - first) / step) * step;
}

function daysFrom(first: number, { firstDay }: Periods, period: number): number[] {
  return Array.from({ length: Math.max(0, firstDay(period + 1) - first) }, (_, index) => first + index);
}

type TimesOf = (day: number) => readonly number[];

function* everyMember(days: readonly number[], timesOf: TimesOf): Generator<LocalMs> {
  for (const day of days) for (const time of timesOf(day)) yield day * DAY_MS + time;
}

/**
 * BYSETPOS: "Each BYSETPOS value corresponds to the nth occurrence within the set of recurrence instances specified by
 * the rule", from its end where negative; one beyond the set picks nothing. Every day has the same times, for BYSETPOS
 * is not taken with HOURLY: so the nth is found by a division.
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

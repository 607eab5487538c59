// Finds the days that a recurrence rule names. The table of RFC 5545 §3.3.10 says whether each BYxxx part expands the period's days
// or limits them. Here that makes no difference, because a period begins with all of its days.
import {
  dateOfDays,
  daysInMonth,
  daysOfDate,
  weekdayOfDays,
  type CivilDate,
} from '../../../zone-rules/civil.js';
import type { RuleParts, WeekdayPart } from './rule-parts.js';

/** Whether BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY and BYDAY all name the day. */
export function dayMatcher(parts: RuleParts): (day: number) => boolean {
  const { months, weekNumbers, yearDays, monthDays, weekdays, weekStart } = parts;
  return (day) => {
    // The cheapest test first: it rules out most days.
    if (weekdays?.some(({ weekday }) => weekday === weekdayOfDays(day)) === false) return false;
    const date = dateOfDays(day);
    if (months?.includes(date.month) === false) return false;
    if (monthDays !== undefined && !includes(monthDays, placeIn(monthOf(date), day))) return false;
    if (yearDays !== undefined && !includes(yearDays, placeIn(yearOf(date.year), day))) return false;
    if (weekNumbers !== undefined && !includes(weekNumbers, weekNumber(day, weekStart))) return false;
    return weekdays === undefined || byWeekday(weekdays, day, ordinalSpan(parts, date));
  };
}

/** The position of something in a month or year, counted from 1 and, from the end, from −1. */
interface Place {
  readonly fromStart: number;
  readonly fromEnd: number;
}
interface Span {
  readonly first: number;
  readonly last: number;
}

function includes(numbers: readonly number[], { fromStart, fromEnd }: Place): boolean {
  return numbers.includes(fromStart) || numbers.includes(fromEnd);
}

/** The place of a day among all days of a span or, with `every` 7, among those of its weekday. */
function placeIn({ first, last }: Span, day: number, every: 1 | 7 = 1): Place {
  return {
    fromStart: Math.floor((day - first) / every) + 1,
    fromEnd: -(Math.floor((last - day) / every) + 1),
  };
}

function monthOf({ year, month }: CivilDate): Span {
  const first = daysOfDate({ year, month, day: 1 });
  return { first, last: first + daysInMonth(year, month) - 1 };
}

function yearOf(year: number): Span {
  return { first: daysOfDate({ year, month: 1, day: 1 }), last: daysOfDate({ year, month: 12, day: 31 }) };
}

/**
 * "A week is defined as a seven day period, starting on the day of the week defined to be the week start (see WKST). Week
 * number one of the calendar year is the first week that contains at least four (4) days in that calendar year." So a week
 * belongs to the year of its fourth day, and its number is the place of that day among the year's days of the same weekday.
 */
function weekNumber(day: number, weekStart: number): Place {
  const fourth = day - ((weekdayOfDays(day) - weekStart + 7) % 7) + 3;
  return placeIn(yearOf(dateOfDays(fourth).year), fourth, 7);
}

/** "+1MO (or simply 1MO) represents the first Monday within the month, whereas -1MO represents the last Monday". */
function byWeekday(weekdays: readonly WeekdayPart[], day: number, span: Span): boolean {
  const dayOfWeek = weekdayOfDays(day);
  const { fromStart, fromEnd } = placeIn(span, day, 7);
  return weekdays.some(
    ({ weekday, nth }) =>
      weekday === dayOfWeek && (nth === undefined || nth === fromStart || nth === fromEnd),
  );
}

/** Notes 1 and 2 of the table: offsets count within the month for MONTHLY and where BYMONTH is present, else the year. */
function ordinalSpan({ frequency, months }: RuleParts, date: CivilDate): Span {
  return frequency === 'YEARLY' && months === undefined ? yearOf(date.year) : monthOf(date);
}

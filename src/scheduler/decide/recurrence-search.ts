// Whether a rule fires at all. Found out before the library is asked for occurrences, for it would search for a day that
// never comes to the end of its years, in every planning again.
import { DAY_MS, dateOfDays, daysInMonth, daysOfDate, splitLocal, weekdayOfDays } from './civil.js';
import type { LocalMs } from './civil.js';
import type { RecurrenceRule } from './recurrence-rule.js';
import { eachOfRule } from './rule-library.js';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A rule must fire within so many years of its start, or it counts as one that never does. */
const SEARCH_YEARS = 40;
const SEARCH_DAYS = SEARCH_YEARS * 366;

/** The calendar repeats itself, weekdays and all, after 400 years. */
const CYCLE_DAYS = 146_097;
const CYCLE_YEARS = 400;
/** The last year the library looks at. */
const LAST_YEAR = 9_999;

/** The rule's first wall time, UNTIL aside, within 40 years of `start`; undefined for a rule that never fires. */
export function firstOccurrence(rule: RecurrenceRule, start: LocalMs): LocalMs | undefined {
  if (!hasPossibleDay(rule, start)) return undefined;
  // Intervals and positions may still miss every such day. Asked as late in the library's time as leaves 40 years, a
  // vain search is over after four centuries in place of eighty.
  const { year } = dateOfDays(splitLocal(start).days);
  const cycles = Math.floor((LAST_YEAR - SEARCH_YEARS - 1 - year) / CYCLE_YEARS);
  const shift = cycles * CYCLE_DAYS * DAY_MS;
  const from = start + shift;
  let first: LocalMs | undefined;
  eachOfRule(rule.text, { start: from, from, to: from + SEARCH_DAYS * DAY_MS, until: null }, (local) => {
    first = local - shift;
    return false;
  });
  return first;
}

/** Whether any day of the next 40 years can match: a necessary condition, and enough for most rules that never fire. */
export function hasPossibleDay({ parts }: RecurrenceRule, start: LocalMs): boolean {
  const first = splitLocal(start).days;
  const list = (name: string): number[] | undefined => parts[name]?.split(',').map(Number);
  const months = list('BYMONTH');
  const monthDays = list('BYMONTHDAY');
  const yearDays = list('BYYEARDAY');
  const weekdays = parts['BYDAY']?.split(',').map((day) => WEEKDAYS.indexOf(day.slice(-2)) + 1);
  const everyDays = daysApart(parts);
  for (let day = first; day < first + SEARCH_DAYS; day += everyDays) {
    const date = dateOfDays(day);
    if (months !== undefined && !months.includes(date.month)) continue;
    if (weekdays !== undefined && !weekdays.includes(weekdayOfDays(day))) continue;
    const length = daysInMonth(date.year, date.month);
    if (monthDays !== undefined && !monthDays.some((n) => (n > 0 ? n : length + 1 + n) === date.day))
      continue;
    if (yearDays !== undefined && !yearDays.some((n) => dayOfYear(date.year, n) === day)) continue;
    return true;
  }
  return false;
}

/** Rules by the day look at no day between. */
function daysApart(parts: RecurrenceRule['parts']): number {
  const interval = Number(parts['INTERVAL'] ?? 1);
  if (parts['FREQ'] === 'DAILY') return interval;
  return parts['FREQ'] === 'HOURLY' && interval % 24 === 0 ? interval / 24 : 1;
}

/** The day that is nth of its year, from its end where negative. */
function dayOfYear(year: number, n: number): number {
  return n > 0
    ? daysOfDate({ year, month: 1, day: 1 }) + n - 1
    : daysOfDate({ year: year + 1, month: 1, day: 1 }) + n;
}

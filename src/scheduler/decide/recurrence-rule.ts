// Which RRULEs are taken (campaign-events.md, "recurrence"). The library takes anything, reads past what it does not
// know, and searches for ever for a day that never comes; so every part is checked here before it sees the rule.
import {
  DAY_MS,
  dateOfDays,
  daysInMonth,
  daysOfDate,
  parseLocal,
  splitLocal,
  weekdayOfDays,
} from './civil.js';
import type { LocalMs } from './civil.js';
import type { EpochMs } from './ports.js';
import type { TransitionTable } from './transition-table.js';

export interface RecurrenceRule {
  /** The rule without UNTIL, upper case, its parts in the publisher's order. */
  readonly text: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly untilText: string | null;
}

export type ParsedRecurrence =
  | { readonly kind: 'rule'; readonly rule: RecurrenceRule }
  | { readonly kind: 'refused'; readonly reason: string };

const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Each part's form; numbers are checked against their bounds after it. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^\d{1,3}$/,
  COUNT: /^\d{1,6}$/,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/,
  WKST: /^(?:MO|TU|WE|TH|FR|SA|SU)$/,
  BYDAY: /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)){0,20}$/,
  BYMONTH: numbers(),
  BYMONTHDAY: numbers(),
  BYYEARDAY: numbers(),
  BYWEEKNO: numbers(),
  BYHOUR: numbers(),
  BYMINUTE: numbers(),
  BYSETPOS: numbers(),
};

const BOUNDS: Readonly<Record<string, readonly [low: number, high: number]>> = {
  INTERVAL: [1, 999],
  COUNT: [1, 100_000],
  BYMONTH: [1, 12],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSETPOS: [-366, 366],
};

function numbers(): RegExp {
  return /^[+-]?\d{1,3}(?:,[+-]?\d{1,3}){0,60}$/;
}

/** Reads `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. Rules finer than an hour and DTSTART, EXDATE or RDATE are refused. */
export function parseRecurrence(text: string): ParsedRecurrence {
  const refused = (reason: string): ParsedRecurrence => ({ kind: 'refused', reason });
  const parts: Record<string, string> = {};
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = ''] = part.split('=');
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (form === undefined) return refused(`${name === '' ? 'an empty part' : name} is not taken`);
    if (Object.hasOwn(parts, name)) return refused(`${name} stands twice`);
    if (!form.test(value) || !withinBounds(name, value)) return refused(`${name}=${value} is not possible`);
    parts[name] = value;
  }
  const { FREQ: frequency = '', BYSETPOS: position } = parts as { FREQ?: string; BYSETPOS?: string };
  if (!FREQUENCIES.includes(frequency)) return refused(`FREQ must be one of ${FREQUENCIES.join(', ')}`);
  if (parts['COUNT'] !== undefined && parts['UNTIL'] !== undefined)
    return refused('COUNT and UNTIL exclude each other');
  const perDay = frequency === 'HOURLY' || frequency === 'DAILY';
  if (perDay && position !== undefined) return refused(`BYSETPOS is not taken with FREQ=${frequency}`);
  if (frequency === 'HOURLY' && parts['BYHOUR'] !== undefined)
    return refused('BYHOUR is not taken with FREQ=HOURLY');
  if (frequency === 'WEEKLY' && Math.abs(Number(position ?? 1)) > 7)
    return refused('BYSETPOS is beyond the week');
  if (/\d/.test(parts['BYDAY'] ?? '') && !['MONTHLY', 'YEARLY'].includes(frequency)) {
    return refused(`BYDAY with a number is not taken with FREQ=${frequency}`);
  }
  const untilText = parts['UNTIL'] ?? null;
  const rest = Object.entries(parts).filter(([name]) => name !== 'UNTIL');
  return { kind: 'rule', rule: { text: rest.map((part) => part.join('=')).join(';'), parts, untilText } };
}

function withinBounds(name: string, value: string): boolean {
  const bounds = BOUNDS[name];
  if (bounds === undefined) return true;
  const [low, high] = bounds;
  return value
    .split(',')
    .every((part) => Number(part) >= low && Number(part) <= high && (low >= 0 || Number(part) !== 0));
}

/**
 * UNTIL on the rule's wall clock: a wall time as it is, a date as its last second, and UTC read off the clock of
 * `table`; undefined for UTC where there is no one clock (`zone: "recipient"`) and for a date that does not exist.
 */
export function untilOf(
  rule: RecurrenceRule,
  table: TransitionTable | undefined,
): LocalMs | null | undefined {
  const text = rule.untilText;
  if (text === null) return null;
  const time = text.length > 8 ? text.slice(9, 15) : '235959';
  const [date, clock] = [text.slice(0, 8), time].map((digits) => digits.match(/\d\d/g) ?? []);
  const [century = '', year = '', month = '', day = ''] = date ?? [];
  const local = parseLocal(`${century}${year}-${month}-${day}T${(clock ?? []).join(':')}`);
  if (local === undefined || !text.endsWith('Z')) return local;
  return table?.toLocal(local satisfies EpochMs);
}

/** How many years ahead a rule must hold at least one day. */
const SEARCH_DAYS = 40 * 366;

/** Whether any day of the next 40 years can match: a necessary condition, enough to keep the library from a vain search. */
export function hasPossibleDay({ parts }: RecurrenceRule, start: LocalMs): boolean {
  const first = splitLocal(start).days;
  const list = (name: string): number[] | undefined => parts[name]?.split(',').map(Number);
  const months = list('BYMONTH');
  const monthDays = list('BYMONTHDAY');
  const yearDays = list('BYYEARDAY');
  const weekdays = parts['BYDAY']?.split(',').map((day) => WEEKDAYS.indexOf(day.slice(-2)) + 1);
  const everyDays = parts['FREQ'] === 'DAILY' ? Number(parts['INTERVAL'] ?? 1) : 1;
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

/** The day that is nth of its year, from its end where negative. */
function dayOfYear(year: number, n: number): number {
  return n > 0
    ? daysOfDate({ year, month: 1, day: 1 }) + n - 1
    : daysOfDate({ year: year + 1, month: 1, day: 1 }) + n;
}

/** A first planning refuses a start further back than this: every occurrence since would have to be counted through. */
export const OLDEST_START_MS = 10 * 366 * DAY_MS;

// A recurrence rule as numbers; what the rule leaves open is filled in from its start. parseRecurrence has checked the parts,
// so nothing is refused here.
import {
  dateOfDays,
  HOUR_MS,
  MINUTE_MS,
  splitLocal,
  weekdayOfDays,
  type LocalMs,
} from '../../../zone-rules/civil.js';
import type { RuleText } from './recurrence-rule.js';

/** `MO`, or with `nth` the nth Monday of the month or year, counted from its end where negative. */
export interface WeekdayPart {
  /** 1 Monday … 7 Sunday. */
  readonly weekday: number;
  readonly nth?: number;
}

/** A list is undefined where the rule has no such part. */
export interface RuleParts {
  readonly frequency: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY';
  readonly interval: number;
  readonly count: number;
  /** WKST: 1 Monday … 7 Sunday. */
  readonly weekStart: number;
  readonly months: readonly number[] | undefined;
  readonly weekNumbers: readonly number[] | undefined;
  readonly yearDays: readonly number[] | undefined;
  readonly monthDays: readonly number[] | undefined;
  readonly weekdays: readonly WeekdayPart[] | undefined;
  /** Not used for HOURLY, whose hours follow from the interval. */
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  /** BYSETPOS */
  readonly positions: readonly number[] | undefined;
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

export function readParts(parts: RuleText, start: LocalMs): RuleParts {
  const list = (name: string): number[] | undefined => parts[name]?.split(',').map(Number);
  const { days, msOfDay } = splitLocal(start);
  const frequency = (parts['FREQ'] ?? 'DAILY') as RuleParts['frequency'];
  const given: RuleParts = {
    frequency,
    interval: Number(parts['INTERVAL'] ?? 1),
    count: Number(parts['COUNT'] ?? Infinity),
    weekStart: weekdayOf(parts['WKST'] ?? 'MO'),
    months: list('BYMONTH'),
    weekNumbers: list('BYWEEKNO'),
    yearDays: list('BYYEARDAY'),
    monthDays: list('BYMONTHDAY'),
    weekdays: parts['BYDAY']?.split(',').map(weekdayPart),
    hours: sorted(list('BYHOUR') ?? [Math.floor(msOfDay / HOUR_MS)]),
    minutes: sorted(list('BYMINUTE') ?? [Math.floor(msOfDay / MINUTE_MS) % 60]),
    positions: list('BYSETPOS'),
  };
  return { ...given, ...dayOfStart(given, days) };
}

/**
 * RFC 5545 §3.3.10: "Information, not contained in the rule, necessary to determine the various recurrence instance start
 * time and dates are derived from the Start Time (DTSTART) component attribute."
 */
function dayOfStart(given: RuleParts, startDay: number): Partial<RuleParts> {
  const { frequency, months, weekNumbers, yearDays, monthDays, weekdays } = given;
  const dayIsGiven = yearDays !== undefined || monthDays !== undefined || weekdays !== undefined;
  if (dayIsGiven || frequency === 'DAILY' || frequency === 'HOURLY') return {};
  if (frequency === 'WEEKLY' || weekNumbers !== undefined)
    return { weekdays: [{ weekday: weekdayOfDays(startDay) }] };
  const { month, day } = dateOfDays(startDay);
  return frequency === 'YEARLY' && months === undefined
    ? { months: [month], monthDays: [day] }
    : { monthDays: [day] };
}

function weekdayOf(name: string): number {
  return WEEKDAYS.indexOf(name) + 1;
}

function weekdayPart(text: string): WeekdayPart {
  const weekday = weekdayOf(text.slice(-2));
  return text.length === 2 ? { weekday } : { weekday, nth: Number(text.slice(0, -2)) };
}

/** Sorted and without repeats, whatever the publisher wrote. */
function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

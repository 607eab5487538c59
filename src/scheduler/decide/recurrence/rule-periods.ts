// The periods that a rule's interval steps by, as numbers: the one a day is in, and the day one begins. So a window far
// from the start is reached by a division, not by stepping there.
import { dateOfDays, daysOfDate } from '../../../zone-rules/civil.js';
import type { RuleParts } from './rule-parts.js';

export interface Periods {
  /** Periods are numbered in order, without gaps. */
  readonly numberOf: (day: number) => number;
  readonly firstDay: (period: number) => number;
  /** How many numbers on the next period of the rule is. */
  readonly step: number;
}

const DAYS = (day: number): number => day;

export function periodsOf({ frequency, interval, weekStart }: RuleParts): Periods {
  switch (frequency) {
    case 'YEARLY':
      return {
        numberOf: (day) => dateOfDays(day).year,
        firstDay: (year) => daysOfDate({ year, month: 1, day: 1 }),
        step: interval,
      };
    case 'MONTHLY':
      return {
        numberOf: (day) => {
          const { year, month } = dateOfDays(day);
          return year * 12 + month - 1;
        },
        firstDay: (n) => daysOfDate({ year: Math.floor(n / 12), month: (n % 12) + 1, day: 1 }),
        step: interval,
      };
    case 'WEEKLY': {
      // "A week … starting on the day of the week defined to be the week start (see WKST)." 1969-12-29 was a Monday.
      const offset = weekStart - 4;
      return {
        numberOf: (day) => Math.floor((day - offset) / 7),
        firstDay: (week) => week * 7 + offset,
        step: interval,
      };
    }
    case 'DAILY':
      return { numberOf: DAYS, firstDay: DAYS, step: interval };
    case 'HOURLY':
      // Its hours are left out of each day by rule-times.ts.
      return { numberOf: DAYS, firstDay: DAYS, step: 1 };
    default:
      return frequency satisfies never;
  }
}

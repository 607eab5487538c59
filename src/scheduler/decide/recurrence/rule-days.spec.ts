// Which days of 2027 and about it a rule names, checked with Python's calendar.
import { describe, expect, it } from 'vitest';
import { daysOfDate, formatDate } from '../../../zone-rules/civil.js';
import { dayMatcher } from './rule-days.js';
import type { RuleParts } from './rule-parts.js';

const aRule = (parts: Partial<RuleParts>): RuleParts => ({
  frequency: 'YEARLY',
  interval: 1,
  count: Infinity,
  weekStart: 1,
  months: undefined,
  weekNumbers: undefined,
  yearDays: undefined,
  monthDays: undefined,
  weekdays: undefined,
  hours: [9],
  minutes: [0],
  positions: undefined,
  ...parts,
});

/** The days of the span that the rule names, without the year where it is 2027. */
function named(parts: Partial<RuleParts>, from = '2027-01-01', to = '2027-12-31'): string {
  const dayOf = (text: string): number => {
    const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
    return daysOfDate({ year, month, day });
  };
  const matches = dayMatcher(aRule(parts));
  const first = dayOf(from);
  return Array.from({ length: dayOf(to) - first + 1 }, (_, index) => first + index)
    .filter(matches)
    .map((day) => formatDate(day).replace('2027-', ''))
    .join(' ');
}
const [MO, TH, FR, SU] = [1, 4, 5, 7].map((weekday) => ({ weekday })) as [
  { weekday: number },
  { weekday: number },
  { weekday: number },
  { weekday: number },
];

describe('the days that a rule names (RFC 5545 §3.3.10)', () => {
  it('are all days where it names none', () => {
    expect(named({}).split(' ')).toHaveLength(365);
  });

  it.each<[string, Partial<RuleParts>, string]>([
    ['of the month, from either end', { months: [2, 4], monthDays: [1, -1] }, '02-01 02-28 04-01 04-30'],
    ['the 31st, where there is one', { monthDays: [31] }, '01-31 03-31 05-31 07-31 08-31 10-31 12-31'],
    ['31 days from the end, where there are as many', { months: [1, 2], monthDays: [-31] }, '01-01'],
    ['of the year, from either end', { yearDays: [1, 60, -1, -365] }, '01-01 03-01 12-31'],
    ['day 366 of no common year', { yearDays: [366, -366] }, ''],
    ['weekdays', { months: [3], weekdays: [MO] }, '03-01 03-08 03-15 03-22 03-29'],
    ['the nth weekday of a month', { months: [3], weekdays: [{ ...MO, nth: 2 }] }, '03-08'],
    ['the last weekday of a month', { months: [3], weekdays: [{ ...MO, nth: -1 }] }, '03-29'],
    ['a fifth that the month lacks', { months: [4], weekdays: [{ ...MO, nth: 5 }] }, ''],
    [
      'the nth weekday of the year',
      {
        weekdays: [
          { ...FR, nth: 1 },
          { ...FR, nth: -1 },
        ],
      },
      '01-01 12-31',
    ],
    [
      'the 53rd of the year, where there is one',
      {
        weekdays: [
          { ...FR, nth: 53 },
          { ...MO, nth: 53 },
        ],
      },
      '12-31',
    ],
    [
      'the nth of the month, of each month',
      { frequency: 'MONTHLY', weekdays: [{ ...SU, nth: 5 }] },
      '01-31 05-30 08-29 10-31',
    ],
    [
      'with and without a number, joined',
      { months: [3], weekdays: [{ ...MO, nth: 1 }, TH] },
      '03-01 03-04 03-11 03-18 03-25',
    ],
    ['of two parts, those of both', { monthDays: [13], weekdays: [FR] }, '08-13'],
  ])('%s', (_what, parts, expected) => {
    expect(named(parts)).toBe(expected);
  });

  it('knows the leap day', () => {
    const leap = (parts: Partial<RuleParts>): string => named(parts, '2028-01-01', '2028-12-31');
    expect(leap({ yearDays: [60, 366, -366] })).toBe('2028-01-01 2028-02-29 2028-12-31');
    expect(leap({ months: [2], monthDays: [-1] })).toBe('2028-02-29');
  });
});

describe('the weeks of a year (RFC 5545 §3.3.10, BYWEEKNO)', () => {
  const around = (parts: Partial<RuleParts>): string => named(parts, '2026-12-25', '2027-01-20');

  it('are those of ISO 8601 where they begin on a Monday', () => {
    // 2026 has 53 weeks; the first of 2027 begins on the 4th of January.
    expect(around({ weekNumbers: [53], weekdays: [MO, SU] })).toBe('2026-12-28 01-03');
    expect(around({ weekNumbers: [-1], weekdays: [MO, SU] })).toBe('2026-12-28 01-03');
    expect(around({ weekNumbers: [1], weekdays: [MO, SU] })).toBe('01-04 01-10');
    expect(named({ weekNumbers: [-1], weekdays: [MO, SU] }, '2027-12-20', '2028-01-09')).toBe(
      '12-27 2028-01-02',
    );
  });

  it('move with WKST: the first one has four days of the year', () => {
    // From Sunday the 3rd; the week from the 27th of December has five of its days in 2026.
    expect(around({ weekNumbers: [1], weekStart: 7 })).toBe('01-03 01-04 01-05 01-06 01-07 01-08 01-09');
    // From Thursday the 31st: six days of it are in 2027.
    expect(around({ weekNumbers: [1], weekStart: 4 })).toBe('2026-12-31 01-01 01-02 01-03 01-04 01-05 01-06');
  });

  it('of every year are 52 or 53, as ISO 8601 counts them', () => {
    const weeks = (year: number): number =>
      named({ weekNumbers: [53], weekdays: [TH] }, `${year}-01-01`, `${year}-12-31`) === '' ? 52 : 53;
    const long = Array.from({ length: 41 }, (_, index) => 2000 + index).filter((year) => weeks(year) === 53);
    expect(long).toEqual([2004, 2009, 2015, 2020, 2026, 2032, 2037]);
  });
});

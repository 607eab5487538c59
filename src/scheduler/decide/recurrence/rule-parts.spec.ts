import { describe, expect, it } from 'vitest';
import { parseLocal } from '../../../zone-rules/civil.js';
import { parseRecurrence } from './recurrence-rule.js';
import { readParts, type RuleParts } from './rule-parts.js';

/** A Monday. */
const START = parseLocal('2027-03-01T09:30') ?? 0;

function read(text: string, start = START): RuleParts {
  const parsed = parseRecurrence(text);
  if (parsed.kind === 'refused') throw new Error(parsed.reason);
  return readParts(parsed.parts, start);
}

describe('what a rule leaves open is its start (RFC 5545 §3.3.10)', () => {
  const days = (text: string): Partial<RuleParts> => {
    const { months, weekNumbers, yearDays, monthDays, weekdays } = read(text);
    return JSON.parse(JSON.stringify({ months, weekNumbers, yearDays, monthDays, weekdays })) as object;
  };
  const monday = { weekdays: [{ weekday: 1 }] };
  it.each<[string, Partial<RuleParts>]>([
    ['FREQ=HOURLY', {}],
    ['FREQ=DAILY', {}],
    ['FREQ=DAILY;BYMONTH=5', { months: [5] }],
    ['FREQ=WEEKLY', monday],
    ['FREQ=WEEKLY;BYMONTH=5', { ...monday, months: [5] }],
    ['FREQ=WEEKLY;BYDAY=TU', { weekdays: [{ weekday: 2 }] }],
    ['FREQ=MONTHLY', { monthDays: [1] }],
    ['FREQ=MONTHLY;BYMONTH=5', { months: [5], monthDays: [1] }],
    ['FREQ=MONTHLY;BYDAY=TU', { weekdays: [{ weekday: 2 }] }],
    ['FREQ=MONTHLY;BYMONTHDAY=15', { monthDays: [15] }],
    ['FREQ=YEARLY', { months: [3], monthDays: [1] }],
    ['FREQ=YEARLY;BYMONTH=5', { months: [5], monthDays: [1] }],
    ['FREQ=YEARLY;BYWEEKNO=20', { ...monday, weekNumbers: [20] }],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=TU', { weekNumbers: [20], weekdays: [{ weekday: 2 }] }],
    ['FREQ=YEARLY;BYYEARDAY=100', { yearDays: [100] }],
    ['FREQ=YEARLY;BYMONTHDAY=15', { monthDays: [15] }],
    ['FREQ=YEARLY;BYDAY=TU', { weekdays: [{ weekday: 2 }] }],
  ])('%s', (text, expected) => {
    expect(days(text)).toEqual(expected);
  });

  it('its hour and minute too, where the rule names none', () => {
    expect(read('FREQ=DAILY')).toMatchObject({ hours: [9], minutes: [30] });
    expect(read('FREQ=DAILY;BYHOUR=8')).toMatchObject({ hours: [8], minutes: [30] });
    expect(read('FREQ=DAILY;BYMINUTE=5')).toMatchObject({ hours: [9], minutes: [5] });
  });
});

describe('the numbers of a rule', () => {
  it('are those of the default, unless it names others', () => {
    expect(read('FREQ=DAILY')).toMatchObject({
      interval: 1,
      count: Infinity,
      weekStart: 1,
      positions: undefined,
    });
    expect(read('FREQ=WEEKLY;INTERVAL=2;COUNT=7;WKST=SU;BYDAY=MO,TU;BYSETPOS=-1,1')).toMatchObject({
      frequency: 'WEEKLY',
      interval: 2,
      count: 7,
      weekStart: 7,
      positions: [-1, 1],
    });
  });

  it('are in order and without repeats where they are hours and minutes', () => {
    expect(read('FREQ=DAILY;BYHOUR=18,9,18,10;BYMINUTE=45,5,5')).toMatchObject({
      hours: [9, 10, 18],
      minutes: [5, 45],
    });
  });

  it('stand before a weekday with their sign', () => {
    expect(read('FREQ=MONTHLY;BYDAY=MO,2TU,+3WE,-1SU').weekdays).toEqual([
      { weekday: 1 },
      { weekday: 2, nth: 2 },
      { weekday: 3, nth: 3 },
      { weekday: 7, nth: -1 },
    ]);
  });
});

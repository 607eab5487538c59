// The calendar against Date's own in UTC, which is proleptic Gregorian too.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addCalendar,
  DAY_MS,
  dateOfDays,
  daysInMonth,
  daysOfDate,
  formatDate,
  formatLocal,
  formatOffset,
  formatTime,
  parseLocal,
  splitLocal,
  startOfYear,
  weekdayOfDays,
} from './civil.js';

/** Days of the years 1 to 9999. */
const FIRST = Date.UTC(2001, 0, 1) / DAY_MS - 5 * 146_097;
const LAST = Date.UTC(9999, 11, 31) / DAY_MS;
const days = fc.integer({ min: FIRST, max: LAST });
const wallTime = fc.integer({ min: FIRST * 86_400, max: LAST * 86_400 }).map((seconds) => seconds * 1_000);

describe('the civil calendar', () => {
  it('counts days as Date does, both ways, over all years of four digits', () => {
    fc.assert(
      fc.property(days, (day) => {
        const at = new Date(day * DAY_MS);
        const date = { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
        expect(dateOfDays(day)).toEqual(date);
        expect(daysOfDate(date)).toBe(day);
        expect(weekdayOfDays(day) % 7).toBe(at.getUTCDay());
        expect(formatDate(day)).toBe(at.toISOString().slice(0, 10));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['1970-01-01', 0, 4],
    ['1969-12-31', -1, 3],
    ['2000-02-29', 11_016, 2],
    ['2000-03-01', 11_017, 3],
    ['2100-03-01', 47_541, 1],
    ['0001-01-01', -719_162, 1],
    ['9999-12-31', 2_932_896, 5],
  ])('%s is day %d, weekday %d', (text, day, weekday) => {
    expect([formatDate(day), weekdayOfDays(day)]).toEqual([text, weekday]);
  });

  it.each([
    [2027, 28],
    [2028, 29],
    [2100, 28],
    [2000, 29],
  ])('February of %d has %d days', (year, length) => {
    expect(daysInMonth(year, 2)).toBe(length);
    expect(Array.from({ length: 12 }, (_, index) => daysInMonth(year, index + 1))).toEqual([
      31,
      length,
      31,
      30,
      31,
      30,
      31,
      31,
      30,
      31,
      30,
      31,
    ]);
  });

  it('begins each year on its first of January', () => {
    for (const year of [1600, 1900, 1969, 1970, 2000, 2027, 2100, 9999])
      expect(startOfYear(year)).toBe(Date.UTC(year, 0));
  });
});

describe('a wall time', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(wallTime, (local) => {
        expect(parseLocal(formatLocal(local))).toBe(local);
        const { days: day, msOfDay } = splitLocal(local);
        expect(day * DAY_MS + msOfDay).toBe(local);
        expect(msOfDay >= 0 && msOfDay < DAY_MS).toBe(true);
      }),
    );
  });

  it.each([
    ['2027-03-01T09:00', '2027-03-01T09:00:00Z'],
    ['2027-03-01T09:00:00', '2027-03-01T09:00:00Z'],
    ['2027-03-01T23:59:59', '2027-03-01T23:59:59Z'],
    ['2028-02-29T00:00', '2028-02-29T00:00:00Z'],
    ['1969-12-31T23:00', '1969-12-31T23:00:00Z'],
  ])('%s counts from 1970 on its own clock', (text, inUtc) => {
    expect(parseLocal(text)).toBe(Date.parse(inUtc));
  });

  it.each([
    '2027-02-29T09:00',
    '2100-02-29T09:00',
    '2027-04-31T09:00',
    '2027-00-01T09:00',
    '2027-13-01T09:00',
    '2027-01-00T09:00',
    '2027-01-32T09:00',
    '0000-01-01T09:00',
    '2027-01-01T24:00',
    '2027-01-01T09:60',
    '2027-01-01T09:00:60',
    '2027-01-01T9:00',
    '2027-01-01 09:00',
    '2027-01-01T09:00Z',
    '2027-01-01T09:00+09:00',
    '2027-01-01T09:00:00.000',
    ' 2027-01-01T09:00',
    '2027-01-01T09:00\n',
    '2027-01-01',
    '',
  ])('%j is none', (text) => {
    expect(parseLocal(text)).toBeUndefined();
  });
});

describe('what is shown of it', () => {
  it('has seconds only where they are not 0', () => {
    expect([0, 32_400_000, 86_399_000, 61_000].map(formatTime)).toEqual([
      '00:00',
      '09:00',
      '23:59:59',
      '00:01:01',
    ]);
    expect(formatLocal(Date.UTC(2027, 2, 1, 9, 0, 5))).toBe('2027-03-01T09:00:05');
  });

  it('is an offset with its sign', () => {
    expect([0, 32_400_000, -12_600_000, -1_000, 20_700_000].map(formatOffset)).toEqual([
      '+00:00',
      '+09:00',
      '-03:30',
      '-00:00:01',
      '+05:45',
    ]);
  });
});

describe('calendar arithmetic', () => {
  /** So that fifty years less is no year before the first. */
  const fromYear100 = wallTime.filter((local) => local >= startOfYear(100));
  const add = (text: string, months: number, more = 0): string =>
    formatLocal(addCalendar(parseLocal(text) ?? NaN, { months, days: more }));

  it.each([
    ['2027-01-31T09:00', 1, 0, '2027-02-28T09:00'],
    ['2028-01-31T09:00', 1, 0, '2028-02-29T09:00'],
    ['2027-01-31T09:00', 2, 0, '2027-03-31T09:00'],
    ['2027-12-15T09:00', 1, 0, '2028-01-15T09:00'],
    ['2027-03-31T09:00', -1, 0, '2027-02-28T09:00'],
    ['2027-01-15T09:00', -1, 0, '2026-12-15T09:00'],
    ['2028-02-29T09:00', 12, 0, '2029-02-28T09:00'],
    // The months first, then the days.
    ['2027-01-31T09:00', 1, 1, '2027-03-01T09:00'],
    ['2027-03-01T09:00:05', 0, -1, '2027-02-28T09:00:05'],
  ])('%s and %d months and %d days is %s', (text, months, more, expected) => {
    expect(add(text, months, more)).toBe(expected);
  });

  it('keeps the time of day, and the day of the month unless the month is shorter', () => {
    fc.assert(
      fc.property(fromYear100, fc.integer({ min: -600, max: 600 }), (local, months) => {
        const [from, to] = [splitLocal(local), splitLocal(addCalendar(local, { months, days: 0 }))];
        expect(to.msOfDay).toBe(from.msOfDay);
        const [before, after] = [dateOfDays(from.days), dateOfDays(to.days)];
        expect(after.year * 12 + after.month).toBe(before.year * 12 + before.month + months);
        expect(after.day).toBe(Math.min(before.day, daysInMonth(after.year, after.month)));
      }),
    );
  });
});

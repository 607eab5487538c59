import { describe, expect, it } from 'vitest';
import { iso, rules } from '../../../../test/support/planning.js';
import { deadlineOf } from './deadline.js';
import { exactMs, parseDuration } from '../timing/duration.js';
import { firstOutside, insideWindow } from '../timing/quiet-hours.js';
import { requireZoneTable } from '../audience/zone-by-name.js';

const newYork = requireZoneTable('America/New_York', rules);

describe('deadlineOf (planning.md §4)', () => {
  it.each([
    ['P1D over a day of 25 hours', '2027-11-06T16:00Z', 'P1D', '2027-11-07T17:00Z'],
    ['P1D over a day of 23 hours', '2027-03-13T17:00Z', 'P1D', '2027-03-14T16:00Z'],
    ['P1D onto a wall time that comes twice: the second', '2027-11-06T05:30Z', 'P1D', '2027-11-07T06:30Z'],
    ['P1D onto one that does not exist: past the gap', '2027-03-13T07:30Z', 'P1D', '2027-03-14T07:30Z'],
    ['PT24H is 24 hours', '2027-11-06T16:00Z', 'PT24H', '2027-11-07T16:00Z'],
    ['P1M from the 31st is the last of the month', '2027-01-31T17:00Z', 'P1M', '2027-02-28T17:00Z'],
    ['P1DT1H adds both', '2027-11-06T16:00Z', 'P1DT1H', '2027-11-07T18:00Z'],
    ['P1W', '2027-11-01T16:00Z', 'P1W', '2027-11-08T17:00Z'],
  ])('%s', (_name, intendedAt, text, expected) => {
    const duration = parseDuration(text);
    if (duration === undefined) throw new Error(`${text} is no duration`);
    expect(iso(deadlineOf(Date.parse(intendedAt), duration, newYork))).toBe(expected);
  });
});

describe('parseDuration', () => {
  it.each(['', 'P', 'PT', 'P1DT', '1D', 'P1.5D', '-P1D', 'P-1D', 'PT-5M', 'one day', 'P0.5M'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
  it('keeps the calendar part apart, and an exact length only where there are no months', () => {
    expect(parseDuration('P1Y2M3W4DT5H6.5S')).toEqual({ months: 14, days: 25, ms: 18_006_500 });
    expect([exactMs({ months: 0, days: 1, ms: 5 }), exactMs({ months: 1, days: 0, ms: 0 })]).toEqual([
      86_400_005,
      undefined,
    ]);
  });
});

describe('windows on the night clocks go back (planning.md §4)', () => {
  const window = { startMinute: 90, endMinute: 150 };
  it('last until their end has come, though the hour before it comes round again', () => {
    // 01:50 the first time; at 02:00 it is 01:00 again, and 02:30 is an hour and 40 minutes off.
    const instant = Date.parse('2027-11-07T05:50Z');
    expect(iso(firstOutside(instant, newYork, window))).toBe('2027-11-07T07:30Z');
    expect(insideWindow(Date.parse('2027-11-07T06:10Z'), newYork, window)).toBe(false);
  });
  it('an end that comes twice counts the first time it comes, and then again', () => {
    const early = { startMinute: 23 * 60, endMinute: 90 };
    expect(iso(firstOutside(Date.parse('2027-11-07T05:10Z'), newYork, early))).toBe('2027-11-07T05:30Z');
    expect(iso(firstOutside(Date.parse('2027-11-07T06:10Z'), newYork, early))).toBe('2027-11-07T06:30Z');
  });
  it('a window whose ends are equal holds nothing', () => {
    expect(insideWindow(Date.parse('2027-11-07T05:10Z'), newYork, { startMinute: 60, endMinute: 60 })).toBe(
      false,
    );
  });
});

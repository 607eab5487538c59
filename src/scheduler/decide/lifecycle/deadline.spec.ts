import { describe, expect, it } from 'vitest';
import { iso, rules } from '../../../../test/support/planning/planning.js';
import { deadlineOf } from './deadline.js';
import { parseDuration } from '../timing/duration.js';
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

import { describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../zone-rules/load-zone-rules.js';
import { requireZoneTable } from '../../decide/audience/zone-by-name.js';
import { offsetChanges } from './offset-changes.js';

const rules = loadZoneRules({});
const of = (zone: string, due: string): string[] =>
  offsetChanges(Date.parse(due), requireZoneTable(zone, rules)).map(
    ({ at, from, to }) => `${at.toISOString()} ${from} ${to}`,
  );

describe('the changes of a zone on the local day of a due', () => {
  it.each([
    ['Europe/Paris', '2027-03-28T20:00:00Z', ['2027-03-28T01:00:00.000Z +01:00 +02:00']],
    ['Europe/Paris', '2027-10-31T10:00:00Z', ['2027-10-31T01:00:00.000Z +02:00 +01:00']],
    // The evening before, and the morning after, in Paris.
    ['Europe/Paris', '2027-03-27T22:30:00Z', []],
    ['Europe/Paris', '2027-03-28T22:30:00Z', []],
    // Here the next UTC day has begun, in New York it is the day of the change still.
    ['America/New_York', '2027-03-15T02:00:00Z', ['2027-03-14T07:00:00.000Z -05:00 -04:00']],
    // Midnight is skipped: of the day that begins at 01:00, and of no other.
    ['Africa/Cairo', '2027-04-30T12:00:00Z', ['2027-04-29T22:00:00.000Z +02:00 +03:00']],
    ['Africa/Cairo', '2027-04-29T12:00:00Z', []],
    // At midnight the clock goes back to 23:00 of the day that was ending.
    ['Africa/Cairo', '2027-10-28T12:00:00Z', ['2027-10-28T21:00:00.000Z +03:00 +02:00']],
    ['Africa/Cairo', '2027-10-29T12:00:00Z', []],
    ['Asia/Seoul', '2027-03-28T20:00:00Z', []],
    ['UTC+09:00', '2027-03-28T20:00:00Z', []],
  ])('%s at %s', (zone, due, changes) => {
    expect(of(zone, due)).toEqual(changes);
  });
});

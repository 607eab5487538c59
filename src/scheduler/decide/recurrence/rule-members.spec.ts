import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recurrenceText } from '../../../../test/support/planning/rule-texts.js';
import { DAY_MS, formatLocal, HOUR_MS, parseLocal } from '../../../zone-rules/civil.js';
import { parseRecurrence } from './recurrence-rule.js';
import { ruleMembers } from './rule-members.js';
import { readParts } from './rule-parts.js';

const local = (text: string): number => parseLocal(text) ?? NaN;

function members(text: string, start: number, from: number, end: number): number[] {
  const parsed = parseRecurrence(text);
  if (parsed.kind === 'refused') throw new Error(parsed.reason);
  return [...ruleMembers(readParts(parsed.parts, start), start, { from, end })];
}
const named = (text: string, start: string, from: string, end: string): string[] =>
  members(text, local(start), local(from), local(end)).map(formatLocal);

describe('the wall times of a rule (RFC 5545 §3.3.10)', () => {
  it('begin at `from` and end before `end`', () => {
    const daily = (from: string, end: string): string[] => named('FREQ=DAILY', '2027-03-01T09:00', from, end);
    expect(daily('2027-03-02T09:00', '2027-03-04T09:00')).toEqual(['2027-03-02T09:00', '2027-03-03T09:00']);
    expect(daily('2027-03-02T09:00:01', '2027-03-04T09:00:01')).toEqual([
      '2027-03-03T09:00',
      '2027-03-04T09:00',
    ]);
    expect(daily('2027-03-02T09:00', '2027-03-02T09:00')).toEqual([]);
  });

  it('leave COUNT and UNTIL aside', () => {
    for (const more of ['COUNT=1', 'UNTIL=20270301'])
      expect(
        named(`FREQ=DAILY;${more}`, '2027-03-01T09:00', '2027-03-01T09:00', '2027-03-05T00:00'),
      ).toHaveLength(4);
  });

  it.each([
    ['years', 'FREQ=YEARLY;INTERVAL=3', '2027-03-01T09:00', ['2030-03-01T09:00', '2033-03-01T09:00']],
    ['months', 'FREQ=MONTHLY;INTERVAL=5', '2027-11-01T09:00', ['2030-05-01T09:00', '2030-10-01T09:00']],
    ['weeks', 'FREQ=WEEKLY;INTERVAL=100', '2027-03-01T09:00', ['2030-12-30T09:00', '2032-11-29T09:00']],
    ['days', 'FREQ=DAILY;INTERVAL=500', '2027-03-01T09:00', ['2031-04-09T09:00', '2032-08-21T09:00']],
    ['hours', 'FREQ=HOURLY;INTERVAL=999', '2027-03-01T09:00', ['2030-01-05T00:00', '2030-02-15T15:00']],
  ])(
    'are of every nth of its %s, counted from the start wherever one begins',
    (_what, text, start, expected) => {
      expect(named(text, start, '2030-01-01T00:00', '2034-01-01T00:00').slice(0, 2)).toEqual(expected);
    },
  );

  it('of an hourly rule go on over midnight', () => {
    expect(
      named('FREQ=HOURLY;INTERVAL=7', '2027-03-01T09:30', '2027-03-01T09:30', '2027-03-03T00:00'),
    ).toEqual([
      '2027-03-01T09:30',
      '2027-03-01T16:30',
      '2027-03-01T23:30',
      '2027-03-02T06:30',
      '2027-03-02T13:30',
      '2027-03-02T20:30',
    ]);
  });

  it('that a position picks are counted in the whole period, though it began before', () => {
    expect(
      named(
        'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=3,-1',
        '2027-03-05T09:00',
        '2027-03-05T09:00',
        '2027-05-01T00:00',
      ),
    ).toEqual(['2027-03-08T09:00', '2027-03-30T09:00', '2027-04-12T09:00', '2027-04-27T09:00']);
  });

  it('are the same from any wall time on', () => {
    const text = recurrenceText.filter((one) => parseRecurrence(one).kind === 'rule');
    const start = local('2027-03-01T09:30');
    const end = start + 400 * DAY_MS;
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 400 * 24 }), (one, hours) => {
        const from = start + hours * HOUR_MS;
        const all = members(one, start, start, end);
        expect(members(one, start, from, end)).toEqual(all.filter((time) => time >= from));
      }),
      { numRuns: 50 },
    );
  });
});

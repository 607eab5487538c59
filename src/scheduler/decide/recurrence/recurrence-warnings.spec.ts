import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, cellsOf, knowing, users } from '../../../../test/support/planning/planning.js';
import { parseLocal } from '../../../zone-rules/civil.js';
import type { Plan, PlannedCell, PlannedOccurrence } from '../plan/plan-types.js';
import type { Policy } from '../timing/campaign-policy.js';
import type { AskedOccurrences } from './occurrences.js';
import { recurrenceWarnings } from './recurrence-warnings.js';

const recurringOn = (recurrence: string, now: string, policy: Partial<Policy>): Plan =>
  aPlan(
    aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00', recurrence },
      { policy, audience: users('anna', 'ben') },
    ),
    now,
    { audience: knowing({ anna: 'Asia/Seoul', ben: 'Asia/Tokyo' }) },
  );

describe('what a plan says of its occurrences', () => {
  const warned = (recurrence: string, now: string, policy: Partial<Policy> = {}): string[] =>
    recurringOn(recurrence, now, policy).warnings.map(({ code, text }) => `${code}: ${text}`);

  it('those that meet where night or quiet hours defer more than one', () => {
    const quietHours = { startMinute: 22 * 60, endMinute: 8 * 60, action: 'defer' } as const;
    const hourly = warned('FREQ=HOURLY;COUNT=24', '2027-02-28T00:00Z', { quietHours });
    expect(hourly).toEqual([
      // In each of two zones 22:00 to 07:00 come to 08:00, the hour of another.
      'OCCURRENCES_MEET: 20 times an occurrence goes at the very instant of another (2027-03-01T22:00 and 2027-03-01T23:00 in Asia/Seoul): who is deferred gets them together',
    ]);
    expect(warned('FREQ=DAILY;COUNT=24', '2027-02-28T00:00Z', { quietHours })).toEqual([]);
    expect(
      warned('FREQ=HOURLY;COUNT=24', '2027-02-28T00:00Z', { quietHours: { ...quietHours, action: 'skip' } }),
    ).toEqual([]);
  });

  it('that the first is not planned yet, which is not to say that nobody gets it', () => {
    expect(warned('FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=1', '2027-02-28T00:00Z')).toEqual([
      'NO_OCCURRENCE_YET: the first one to come is 2027-09-01T09:00: occurrences are worked out 35 days ahead',
    ]);
  });

  it('that none is left', () => {
    expect(warned('FREQ=DAILY;COUNT=2', '2027-03-05T00:00Z')).toEqual([
      'NOTHING_WILL_LEAVE: nothing will leave: there is nobody, or no time, to send it to',
      'PAST_OCCURRENCES: 2 occurrences were over before the campaign was planned, and left out',
      'NO_OCCURRENCE_LEFT: none of its occurrences is still to come: nothing will leave',
    ]);
  });
});

describe('the warnings of a recurrence', () => {
  const asked = (overrides: Partial<AskedOccurrences>): AskedOccurrences => ({
    occurrences: [],
    recurring: true,
    past: 0,
    ...overrides,
  });
  const [cell] = cellsOf(aPlan(aCampaign({ kind: 'now' }), '2027-03-01T00:00Z'));
  const occurrence = (name: string, ...cells: Partial<PlannedCell>[]): PlannedOccurrence => ({
    occurrence: name,
    cells: cells.map((one) => ({ ...(cell as PlannedCell), ...one })),
  });
  const warningsOf = (
    overrides: Partial<AskedOccurrences>,
    occurrences: readonly PlannedOccurrence[] = [occurrence('first', { dueAt: 0 })],
  ): string[] => recurrenceWarnings(asked(overrides), occurrences).map(({ code, text }) => `${code} ${text}`);

  it('are none where all is planned', () => {
    expect(warningsOf({})).toEqual([]);
  });

  it.each([
    [1, 'PAST_OCCURRENCES 1 occurrence was over before the campaign was planned, and left out'],
    [2, 'PAST_OCCURRENCES 2 occurrences were over before the campaign was planned, and left out'],
  ])('count what was over: %d', (past, text) => {
    expect(warningsOf({ past })).toEqual([text]);
  });

  it('distinguish an occurrence that is to come from none at all', () => {
    expect(warningsOf({ next: parseLocal('2027-09-01T09:00') }, [])).toEqual([
      'NO_OCCURRENCE_YET the first one to come is 2027-09-01T09:00: occurrences are worked out 35 days ahead',
    ]);
    expect(warningsOf({}, [])).toEqual([
      'NO_OCCURRENCE_LEFT none of its occurrences is still to come: nothing will leave',
    ]);
  });

  it('name the first two that meet in a cell, and how often any do', () => {
    const meeting = (...occurrences: PlannedOccurrence[]): string[] => warningsOf({}, occurrences);
    const a = { key: 'a', zone: 'Asia/Seoul', dueAt: 1 };
    const b = { key: 'b', zone: 'Asia/Tokyo', dueAt: 1 };
    expect(meeting(occurrence('one', a), occurrence('two', a))).toEqual([
      'OCCURRENCES_MEET once an occurrence goes at the very instant of another (one and two in Asia/Seoul): who is deferred gets them together',
    ]);
    expect(meeting(occurrence('one', a, b), occurrence('two', b), occurrence('three', a, b))[0]).toContain(
      '3 times an occurrence goes at the very instant of another (one and two in Asia/Tokyo)',
    );
    expect(meeting(occurrence('one', a), occurrence('two', b))).toEqual([]);
    expect(meeting(occurrence('one', a), occurrence('two', { ...a, dueAt: 2 }))).toEqual([]);
    const leftOut: Partial<PlannedCell>[] = [{ skipped: 'NIGHT' }, { expired: { lateMs: 1 } }];
    for (const left of leftOut)
      expect(meeting(occurrence('one', a), occurrence('two', { ...a, ...left }))).toEqual([]);
  });
});

// Which firings are planned: what was over before, to whom passedZone still speaks, and where UNTIL ends them.
import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, cellsOf, iso, knowing, users } from '../../../../test/support/planning.js';
import type { Plan } from '../plan/plan-types.js';
import type { PassedZonePolicy, Policy } from '../timing/policy.js';

const recurringOn = (recurrence: string, now: string, policy: Partial<Policy>): Plan =>
  aPlan(
    aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00', recurrence },
      { policy, audience: users('anna', 'ben') },
    ),
    now,
    { audience: knowing({ anna: 'Asia/Seoul', ben: 'Asia/Tokyo' }) },
  );
/** `occurrence when-or-why`, of Seoul alone. */
const ofSeoul = (plan: Plan): string[] =>
  plan.occurrences.flatMap(({ occurrence, cells }) =>
    cells
      .filter(({ zone }) => zone === 'Asia/Seoul')
      .map((cell) => `${occurrence} ${cell.passed.kind} ${cell.skipped ?? iso(cell.dueAt)}`),
  );
const past = (plan: Plan): string | undefined =>
  plan.warnings.find(({ code }) => code === 'PAST_OCCURRENCES')?.text;

describe('planning.md §4: passedZone, where the last occurrence is over in every zone', () => {
  const floor = (zone: string): PassedZonePolicy => ({ kind: 'floor', zone });
  const next = '2027-03-08T09:00 not-passed 2027-03-08T00:00Z';
  // 09:00 of the first of March came at 00:00Z in Seoul and in Tokyo, and comes at 14:00Z in New York.
  const cases: [what: string, now: string, policy: PassedZonePolicy, found: string[], leftOut: boolean][] = [
    ['skip leaves it out', '2027-03-01T05:00Z', { kind: 'skip' }, [next], true],
    ['next-day counts as skip', '2027-03-01T05:00Z', { kind: 'next-day' }, [next], true],
    [
      'send-now sends it',
      '2027-03-01T05:00Z',
      { kind: 'send-now' },
      ['2027-03-01T09:00 sent-now 2027-03-01T05:00Z', next],
      false,
    ],
    ['send-now is over with its deadline', '2027-03-02T00:01Z', { kind: 'send-now' }, [next], true],
    [
      'floor waits for its own clock',
      '2027-03-01T05:00Z',
      floor('America/New_York'),
      ['2027-03-01T09:00 floored 2027-03-01T14:00Z', next],
      false,
    ],
    [
      'floor is over where its clock is past it',
      '2027-03-01T14:01Z',
      floor('America/New_York'),
      [next],
      true,
    ],
    [
      'reject takes out that occurrence alone, and says so',
      '2027-03-01T05:00Z',
      { kind: 'reject' },
      ['2027-03-01T09:00 rejected REJECTED_BY_POLICY', next],
      false,
    ],
  ];
  it.each(cases)('%s', (_what, now, passedZone, found, leftOut) => {
    const plan = recurringOn('FREQ=WEEKLY;COUNT=2', now, { passedZone });
    expect(ofSeoul(plan)).toEqual(found);
    expect(past(plan) !== undefined).toBe(leftOut);
  });

  it('holds for one occurrence alone: the last that is over, and none before it', () => {
    const plan = recurringOn('FREQ=HOURLY;COUNT=4', '2027-03-01T01:30Z', {
      passedZone: { kind: 'send-now' },
    });
    expect(ofSeoul(plan)).toEqual([
      '2027-03-01T10:00 sent-now 2027-03-01T01:30Z',
      '2027-03-01T11:00 not-passed 2027-03-01T02:00Z',
      '2027-03-01T12:00 not-passed 2027-03-01T03:00Z',
    ]);
    expect(past(plan)).toContain('1 occurrence was over');
  });

  it('leaves it out where the next one has begun: nobody gets two at once', () => {
    const plan = aPlan(
      aCampaign(
        { kind: 'recipient', local: '2027-03-01T09:00', recurrence: 'FREQ=DAILY;COUNT=2' },
        { policy: { passedZone: { kind: 'send-now' } }, audience: users('anna', 'ben') },
      ),
      '2027-03-02T05:00Z',
      { audience: knowing({ anna: 'Asia/Seoul', ben: 'Europe/London' }) },
    );
    expect(cellsOf(plan).map(({ zone, passed, dueAt }) => `${zone} ${passed.kind} ${iso(dueAt)}`)).toEqual([
      'Asia/Seoul sent-now 2027-03-02T05:00Z',
      'Europe/London not-passed 2027-03-02T09:00Z',
    ]);
    expect(past(plan)).toContain('1 occurrence was over');
  });
});

describe('UNTIL in UTC', () => {
  // 01:30 comes twice in New York on that night, at 05:30Z and at 06:30Z.
  const cases: [until: string, overlap: 'first' | 'second', ids: string[]][] = [
    ['20271107T050000Z', 'first', ['2027-11-06T01:30']],
    ['20271107T053000Z', 'first', ['2027-11-06T01:30', '2027-11-07T01:30']],
    ['20271107T060000Z', 'first', ['2027-11-06T01:30', '2027-11-07T01:30']],
    ['20271107T060000Z', 'second', ['2027-11-06T01:30']],
    ['20271107T063000Z', 'second', ['2027-11-06T01:30', '2027-11-07T01:30']],
    ['20271108T070000Z', 'first', ['2027-11-06T01:30', '2027-11-07T01:30', '2027-11-08T01:30']],
  ];
  it.each(cases)(
    '%s is compared as an instant, also in an hour that comes twice (%s)',
    (until, overlap, ids) => {
      const delivery = {
        kind: 'wall',
        local: '2027-11-06T01:30',
        zone: 'America/New_York',
        recurrence: `FREQ=DAILY;UNTIL=${until}`,
      } as const;
      const plan = aPlan(
        aCampaign(delivery, { policy: { dst: { gap: 'forward', overlap } } }),
        '2027-11-05T00:00Z',
      );
      expect(plan.occurrences.map(({ occurrence }) => occurrence)).toEqual(ids);
      expect(plan.nextLookAt).toBeUndefined();
    },
  );
});

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
      'NO_OCCURRENCE_YET: the first one to come is 2027-09-01T09:00: occurrences are planned 35 days ahead',
    ]);
  });

  it('that none is left', () => {
    expect(warned('FREQ=DAILY;COUNT=2', '2027-03-05T00:00Z')).toEqual([
      'PAST_OCCURRENCES: 2 occurrences were over before the campaign was planned, and left out',
      'NO_OCCURRENCE_LEFT: none of its occurrences is still to come: nothing will leave',
    ]);
  });
});

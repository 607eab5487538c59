// Which occurrences are planned: how far ahead, what was over before, what passedZone still decides, and where UNTIL ends them.
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  cellsOf,
  iso,
  knowing,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Delivery } from '../plan/campaign.js';
import type { Plan, PlanInput } from '../plan/plan-types.js';
import type { PassedZonePolicy, Policy } from '../timing/campaign-policy.js';

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

const seoul = (recurrence: string, local = '2027-03-01T09:00'): Delivery => ({
  kind: 'wall',
  local,
  zone: 'Asia/Seoul',
  recurrence,
});
const plan = (
  delivery: Delivery,
  now: string,
  policy: Partial<Policy> = {},
  input: Partial<PlanInput> = {},
): Plan =>
  aPlan(aCampaign(delivery, { policy, audience: users('anna', 'ben') }), now, {
    audience: knowing({ anna: 'Asia/Seoul', ben: 'America/New_York' }),
    ...input,
  });
const ids = (of: Plan): string[] => of.occurrences.map(({ occurrence }) => occurrence);

describe('recurrences (planning.md §3)', () => {
  it('are worked out 35 days ahead, and say when the next one is planned', () => {
    const first = plan(seoul('FREQ=WEEKLY;BYDAY=MO'), '2027-02-28T00:00Z');
    expect(ids(first)).toEqual([
      '2027-03-01T09:00',
      '2027-03-08T09:00',
      '2027-03-15T09:00',
      '2027-03-22T09:00',
      '2027-03-29T09:00',
    ]);
    const nextLookAt = first.nextLookAt ?? 0;
    expect(iso(nextLookAt)).toBe('2027-04-02T19:00Z');
    const second = plan(
      seoul('FREQ=WEEKLY;BYDAY=MO'),
      new Date(nextLookAt).toISOString(),
      {},
      { after: '2027-03-29T09:00' },
    );
    expect(ids(second)).toEqual(['2027-04-05T09:00']);
    expect(second.nextLookAt).toBe(nextLookAt + 7 * 86_400_000);
  });

  it('count ids, not what DST makes of them: the id is the wall time before it is resolved', () => {
    const delivery: Delivery = {
      kind: 'wall',
      local: '2027-03-13T02:30',
      zone: 'America/New_York',
      recurrence: 'FREQ=DAILY;COUNT=3',
    };
    const skipping = plan(delivery, '2027-03-12T00:00Z', { dst: { gap: 'skip', overlap: 'first' } });
    expect(skipping.occurrences.map(({ occurrence, cells }) => [occurrence, cells[0]?.skipped])).toEqual([
      ['2027-03-13T02:30', undefined],
      ['2027-03-14T02:30', 'DST_GAP'],
      ['2027-03-15T02:30', undefined],
    ]);
    expect(skipping.nextLookAt).toBeUndefined();
  });

  it("on the recipient's clock have the same ids in every zone", () => {
    const weekly: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=WEEKLY;COUNT=2',
    };
    const found = plan(weekly, '2027-02-27T00:00Z');
    expect(ids(found)).toEqual(['2027-03-01T09:00', '2027-03-08T09:00']);
    expect(cellsOf(found).map((cell) => `${cell.zone} ${iso(cell.dueAt)}`)).toEqual([
      'Asia/Seoul 2027-03-01T00:00Z',
      'America/New_York 2027-03-01T14:00Z',
      'Asia/Seoul 2027-03-08T00:00Z',
      'America/New_York 2027-03-08T14:00Z',
    ]);
  });

  it('on an instant run in UTC', () => {
    const delivery: Delivery = {
      kind: 'instant',
      at: Date.parse('2027-03-13T09:00Z'),
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    expect(cellsOf(plan(delivery, '2027-03-01T00:00Z')).map((cell) => iso(cell.dueAt))).toEqual([
      '2027-03-13T09:00Z',
      '2027-03-14T09:00Z',
    ]);
  });

  it.each([
    [
      'monthly on the 31st skips short months',
      'FREQ=MONTHLY;BYMONTHDAY=31',
      '2027-01-31T09:00',
      '2027-01-30T00:00Z',
      ['2027-01-31T09:00'],
    ],
    [
      'the last day of the month',
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      '2027-01-31T09:00',
      '2027-01-30T00:00Z',
      ['2027-01-31T09:00', '2027-02-28T09:00'],
    ],
    [
      'UNTIL on the wall clock takes part',
      'FREQ=DAILY;UNTIL=20270302T090000',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      'UNTIL as a date takes its whole day',
      'FREQ=DAILY;UNTIL=20270302',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      "UNTIL in UTC is read on the zone's clock",
      'FREQ=DAILY;UNTIL=20270302T000000Z',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      'twice a day',
      'FREQ=DAILY;BYHOUR=9,18;COUNT=3',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-01T18:00', '2027-03-02T09:00'],
    ],
    [
      'a start that the rule does not match is no occurrence',
      'FREQ=WEEKLY;BYDAY=WE;COUNT=1',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-03T09:00'],
    ],
  ])('%s', (_name, rule, local, now, expected) => {
    expect(ids(plan(seoul(rule, local), now))).toEqual(expected);
  });

  it('leave out what was over before they were planned, and say how much', () => {
    const found = plan(seoul('FREQ=DAILY;COUNT=5'), '2027-03-03T01:00Z');
    expect(ids(found)).toEqual(['2027-03-04T09:00', '2027-03-05T09:00']);
    expect(found.warnings).toContainEqual(
      expect.objectContaining({ code: 'PAST_OCCURRENCES', text: expect.stringContaining('3 occurrences') }),
    );
  });

  it('send what is late by no more than lateness.max', () => {
    expect(ids(plan(seoul('FREQ=DAILY;COUNT=3'), '2027-03-01T00:30Z'))[0]).toBe('2027-03-01T09:00');
  });

  it('planning.md §4: passedZone holds for the first occurrence planned alone, where next-day counts as skip', () => {
    const daily: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    const found = plan(daily, '2027-03-01T05:00Z', { passedZone: { kind: 'next-day' } });
    expect(cellsOf(found).map((cell) => `${cell.zone} ${cell.skipped ?? iso(cell.dueAt)}`)).toEqual([
      'Asia/Seoul PASSED_ZONE',
      'America/New_York 2027-03-01T14:00Z',
      'Asia/Seoul 2027-03-02T00:00Z',
      'America/New_York 2027-03-02T14:00Z',
    ]);
  });

  it('planning.md §4: of the occurrences after the first, what is past follows lateness', () => {
    const hourly: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=HOURLY;COUNT=2',
    };
    const seoulOnly = cellsOf(plan(hourly, '2027-03-01T05:00Z', { passedZone: { kind: 'send-now' } })).filter(
      (cell) => cell.zone === 'Asia/Seoul',
    );
    expect(seoulOnly.map((cell) => [cell.passed.kind, cell.expired?.lateMs])).toEqual([
      ['sent-now', undefined],
      ['not-passed', 4 * 3_600_000],
    ]);
  });

  it('planning.md §4: reject takes out the occurrence, all of it, and no other', () => {
    const daily: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    const found = plan(daily, '2027-03-01T05:00Z', { passedZone: { kind: 'reject' } });
    expect(found.refusal).toBeUndefined();
    expect(found.occurrences.map(({ occurrence, skipped }) => [occurrence, skipped])).toEqual([
      ['2027-03-01T09:00', 'REJECTED_BY_POLICY'],
      ['2027-03-02T09:00', undefined],
    ]);
    expect(found.occurrences[0]?.cells.map((cell) => cell.skipped)).toEqual([
      'REJECTED_BY_POLICY',
      'REJECTED_BY_POLICY',
    ]);
  });
});

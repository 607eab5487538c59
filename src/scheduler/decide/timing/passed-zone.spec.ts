import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aroundTheWorld, everywhere, outcomes } from '../../../../test/support/planning/around-the-world.js';
import { aCampaign, aPlan, cellIn, iso, rules, users } from '../../../../test/support/planning/planning.js';
import { formatLocal, parseLocal } from '../../../zone-rules/civil.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import type { Plan, TimedCell } from '../plan/plan-types.js';
import type { PassedZonePolicy, Policy } from './campaign-policy.js';
import { resolveLocal } from './local-time.js';
import { judgePassedZone } from './passed-zone.js';

describe.each(['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'])(
  'a plan with passed zones, the machine showing %s',
  (today) => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.parse(today), toFake: ['Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each<[string, Partial<Policy>, string[]]>([
      [
        'skip',
        { passedZone: { kind: 'skip' } },
        [
          'Asia/Seoul PASSED_ZONE',
          'Europe/Berlin PASSED_ZONE',
          'America/New_York 2027-03-01T14:00Z',
          'America/Los_Angeles 2027-03-01T17:00Z',
        ],
      ],
      [
        'send-now',
        { passedZone: { kind: 'send-now' } },
        [
          'Asia/Seoul 2027-03-01T10:00Z',
          'Europe/Berlin 2027-03-01T10:00Z',
          'America/New_York 2027-03-01T14:00Z',
          'America/Los_Angeles 2027-03-01T17:00Z',
        ],
      ],
      [
        'next-day',
        { passedZone: { kind: 'next-day' } },
        [
          'America/New_York 2027-03-01T14:00Z',
          'America/Los_Angeles 2027-03-01T17:00Z',
          'Asia/Seoul 2027-03-02T00:00Z',
          'Europe/Berlin 2027-03-02T08:00Z',
        ],
      ],
      [
        'floor:America/New_York',
        { passedZone: { kind: 'floor', zone: 'America/New_York' } },
        [
          'Asia/Seoul 2027-03-01T14:00Z',
          'Europe/Berlin 2027-03-01T14:00Z',
          'America/New_York 2027-03-01T14:00Z',
          'America/Los_Angeles 2027-03-01T17:00Z',
        ],
      ],
      [
        'floor on a zone that has passed too',
        { passedZone: { kind: 'floor', zone: 'Europe/Paris' } },
        [
          'Asia/Seoul PASSED_ZONE',
          'Europe/Berlin PASSED_ZONE',
          'America/New_York 2027-03-01T14:00Z',
          'America/Los_Angeles 2027-03-01T17:00Z',
        ],
      ],
    ])('planning.md §4 passed zones: %s', (_name, policy, expected) => {
      const plan = aPlan(aroundTheWorld('2027-03-01T09:00', policy), '2027-03-01T10:00Z', {
        audience: everywhere,
      });
      expect(outcomes(plan)).toEqual(expected);
    });

    it('planning.md §4 passed zones: reject refuses the whole one-shot campaign', () => {
      const plan = aPlan(
        aroundTheWorld('2027-03-01T09:00', { passedZone: { kind: 'reject' } }),
        '2027-03-01T10:00Z',
        { audience: everywhere },
      );
      expect(plan).toMatchObject({
        occurrences: [],
        refusal: { code: 'PASSED_ZONE', pointer: '/policy/passedZone' },
      });
    });

    it('next-day over a 25-hour day is not cut off by a deadline of one day', () => {
      const plan = aPlan(
        aroundTheWorld('2027-10-31T00:30', { passedZone: { kind: 'next-day' } }),
        '2027-10-30T23:00Z',
        { audience: everywhere },
      );
      expect(cellIn(plan, 'Europe/Berlin')).toMatchObject({ dueAt: Date.parse('2027-10-31T23:30Z') });
      expect(cellIn(plan, 'Europe/Berlin').skipped).toBeUndefined();
    });
  },
);

describe('a passed zone that goes the next day', () => {
  // In New York 02:30 of the 14th of March does not exist; the campaign comes on the 13th at noon there.
  const planned = (policy: Partial<Policy>): Plan =>
    aPlan(
      aroundTheWorld('2027-03-13T02:30', { passedZone: { kind: 'next-day' }, ...policy }),
      '2027-03-13T17:00Z',
      {
        audience: everywhere,
      },
    );

  it("shows what DST makes of that day's wall time", () => {
    expect(cellIn(planned({}), 'America/New_York')).toMatchObject({
      dst: 'moved-forward',
      passed: { kind: 'next-day' },
      localReading: { date: '2027-03-14', time: '03:30' },
    });
    expect(cellIn(planned({ dst: { gap: 'skip', overlap: 'first' } }), 'America/New_York')).toMatchObject({
      dst: 'skipped',
      skipped: 'DST_GAP',
    });
    expect(cellIn(planned({}), 'Europe/Berlin')).toMatchObject({ dst: 'exact' });
  });

  it('shows the day that was left out for its gap, not the one asked for', () => {
    const skipping = planned({ dst: { gap: 'skip', overlap: 'first' } });
    expect(cellIn(skipping, 'America/New_York')).toMatchObject({
      passed: { kind: 'next-day' },
      dstLocal: '2027-03-14T02:30',
      localReading: { date: '2027-03-14', time: '03:30' },
    });
  });

  it('goes on to the day after where the gap is over too', () => {
    // 03:15 on the 14th: its 02:30 never came and never will.
    const after = (gap: 'skip' | 'reject' | 'forward'): unknown => {
      const policy = { passedZone: { kind: 'next-day' }, dst: { gap, overlap: 'first' } } as const;
      const alone = { audience: users('newYork') };
      const plan = aPlan(aroundTheWorld('2027-03-13T02:30', policy, alone), '2027-03-14T07:15Z', {
        audience: everywhere,
      });
      const { date, time } = cellIn(plan, 'America/New_York').localReading;
      return `${date} ${time}`;
    };
    expect([after('skip'), after('reject')]).toEqual(['2027-03-15 02:30', '2027-03-15 02:30']);
    expect(after('forward')).toBe('2027-03-14 03:30');
  });

  it('refuses the campaign where that wall time is one to reject, and names it', () => {
    expect(planned({ dst: { gap: 'reject', overlap: 'first' } }).refusal).toMatchObject({
      code: 'DST_GAP',
      text: expect.stringContaining('2027-03-14T02:30 in America/New_York') as string,
    });
  });

  it('warns where the deadline comes before it', () => {
    const { warnings } = planned({ deadline: { months: 0, days: 0, ms: 12 * 3_600_000 } });
    expect(warnings.map(({ code }) => code)).toEqual(['NOTHING_WILL_LEAVE', 'NEXT_DAY_PAST_DEADLINE']);
    expect(planned({}).warnings).toEqual([]);
  });
});

describe('one zone where the wall time is over', () => {
  const dst = { gap: 'forward', overlap: 'first' } as const;
  /** What is decided of a cell in `zone`: its verdict, its due or why it is left out, and the wall time it goes by. */
  function judge(
    policy: Partial<Policy>,
    { local = '2027-03-01T09:00', zone = 'Asia/Seoul', now = '2027-03-01T10:00Z', recurring = false } = {},
  ): string {
    const table = requireZoneTable(zone, rules);
    const asked = parseLocal(local) ?? NaN;
    const { instant, verdict } = resolveLocal(asked, table, policy.dst ?? dst);
    const outside = { kind: 'outside' } as const;
    const cell: TimedCell = {
      base: {
        key: `${zone}|given|0|all|all`,
        zone,
        zoneSource: 'given',
        segment: 0,
        deviceType: 'all',
        country: 'all',
        target: { type: 'ALL' },
      },
      table,
      askedLocal: local,
      intendedAt: instant,
      dueAt: instant,
      deadlineAt: Infinity,
      dst: verdict,
      passed: { kind: 'not-passed' },
      night: outside,
      quiet: outside,
      jitterMs: 0,
    };
    const campaign = aCampaign({ kind: 'recipient', local }, { policy });
    const found = judgePassedZone(cell, asked, { campaign, rules, now: Date.parse(now), recurring });
    const { passed, skipped, dueAt } = found.judged;
    return `${passed.kind} ${skipped ?? iso(dueAt)} by ${formatLocal(found.local)}`;
  }
  const kinds: PassedZonePolicy[] = [
    { kind: 'skip' },
    { kind: 'send-now' },
    { kind: 'next-day' },
    { kind: 'reject' },
    { kind: 'floor', zone: 'America/New_York' },
  ];

  it.each(kinds)('is none while it is still to come, or just comes: %o', (passedZone) => {
    const expected = 'not-passed 2027-03-01T00:00Z by 2027-03-01T09:00';
    expect(judge({ passedZone }, { now: '2027-02-28T23:59Z' })).toBe(expected);
    expect(judge({ passedZone }, { now: '2027-03-01T00:00Z' })).toBe(expected);
  });

  it.each<[PassedZonePolicy, recurring: boolean, string]>([
    [{ kind: 'skip' }, false, 'skipped PASSED_ZONE by 2027-03-01T09:00'],
    [{ kind: 'send-now' }, false, 'sent-now 2027-03-01T10:00Z by 2027-03-01T09:00'],
    [{ kind: 'next-day' }, false, 'next-day 2027-03-02T00:00Z by 2027-03-02T09:00'],
    [{ kind: 'next-day' }, true, 'skipped PASSED_ZONE by 2027-03-01T09:00'],
    [{ kind: 'reject' }, false, 'rejected REJECTED_BY_POLICY by 2027-03-01T09:00'],
    [{ kind: 'floor', zone: 'America/New_York' }, false, 'floored 2027-03-01T14:00Z by 2027-03-01T09:00'],
    [{ kind: 'floor', zone: 'Europe/Paris' }, false, 'skipped PASSED_ZONE by 2027-03-01T09:00'],
  ])('goes by the policy: %o, in a recurrence %j', (passedZone, recurring, expected) => {
    expect(judge({ passedZone }, { recurring })).toBe(expected);
  });

  it('goes on the first day on which it is still to come, however many days are over', () => {
    const nextDay = (now: string): string => judge({ passedZone: { kind: 'next-day' } }, { now });
    expect(nextDay('2027-03-02T00:00Z')).toBe('next-day 2027-03-02T00:00Z by 2027-03-02T09:00');
    expect(nextDay('2027-03-02T00:01Z')).toBe('next-day 2027-03-03T00:00Z by 2027-03-03T09:00');
    expect(nextDay('2027-06-01T00:01Z')).toBe('next-day 2027-06-02T00:00Z by 2027-06-02T09:00');
  });

  it('waits for no floor whose clock leaves out that wall time', () => {
    // In New York 02:30 of the 14th of March does not exist.
    const floored = (gap: 'forward' | 'skip' | 'reject'): string =>
      judge(
        { passedZone: { kind: 'floor', zone: 'America/New_York' }, dst: { gap, overlap: 'first' } },
        { local: '2027-03-14T02:30', now: '2027-03-14T00:00Z' },
      );
    expect([floored('forward'), floored('skip'), floored('reject')]).toEqual([
      'floored 2027-03-14T07:30Z by 2027-03-14T02:30',
      'skipped PASSED_ZONE by 2027-03-14T02:30',
      'skipped PASSED_ZONE by 2027-03-14T02:30',
    ]);
  });
});

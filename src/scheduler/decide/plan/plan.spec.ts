import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  aCampaign,
  aPlan,
  cellIn,
  cellsOf,
  channel,
  iso,
  onlyCell,
} from '../../../../test/support/planning.js';
import {
  aroundTheWorld,
  everywhere,
  outcomes,
  recipient,
} from '../../../../test/support/around-the-world.js';
import type { Campaign } from './campaign.js';
import type { Policy } from '../timing/policy.js';

describe.each(['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'])(
  'planCampaign, the machine showing %s',
  (today) => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.parse(today), toFake: ['Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('goes around the world with the clock: one cell a zone, each at its own nine in the morning', () => {
      const plan = aPlan(aroundTheWorld('2027-03-01T09:00'), '2027-02-27T00:00Z', { audience: everywhere });
      expect(outcomes(plan)).toEqual([
        'Asia/Seoul 2027-03-01T00:00Z',
        'Europe/Berlin 2027-03-01T08:00Z',
        'America/New_York 2027-03-01T14:00Z',
        'America/Los_Angeles 2027-03-01T17:00Z',
      ]);
      expect(cellsOf(plan).map((cell) => cell.localReading.time)).toEqual([
        '09:00',
        '09:00',
        '09:00',
        '09:00',
      ]);
      expect(plan.totals).toMatchObject({ cells: 4, requests: 4, recipients: 4, fallbackRecipients: 0 });
    });

    it('keeps the instant across a DST change: the same wall time is an hour less of UTC', () => {
      const at = (local: string): string =>
        iso(
          cellIn(
            aPlan(aroundTheWorld(local), '2027-03-01T00:00Z', { audience: everywhere }),
            'America/New_York',
          ).dueAt,
        );
      expect([at('2027-03-13T09:00'), at('2027-03-14T09:00')]).toEqual([
        '2027-03-13T14:00Z',
        '2027-03-14T13:00Z',
      ]);
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

    it.each<[string, string, Partial<Policy>, string]>([
      ['gap, forward', '2026-03-08T02:30', {}, '2026-03-08T07:30Z'],
      ['gap, skip', '2026-03-08T02:30', { dst: { gap: 'skip', overlap: 'first' } }, 'DST_GAP'],
      ['overlap, first', '2026-11-01T01:30', {}, '2026-11-01T05:30Z'],
      [
        'overlap, second',
        '2026-11-01T01:30',
        { dst: { gap: 'forward', overlap: 'second' } },
        '2026-11-01T06:30Z',
      ],
    ])('planning.md §3 in one zone: %s', (_name, local, policy, expected) => {
      const plan = aPlan(
        aCampaign({ kind: 'wall', local, zone: 'America/New_York' }, { policy }),
        '2026-01-01T00:00Z',
      );
      expect(outcomes(plan)).toEqual([`America/New_York ${expected}`]);
    });

    it.each([
      ['2026-03-08T02:30', 'DST_GAP', '/policy/dst/gap'],
      ['2026-11-01T01:30', 'DST_OVERLAP', '/policy/dst/overlap'],
    ])('planning.md §4 reject refuses a one-shot campaign at %s: %s', (local, code, pointer) => {
      const policy = { dst: { gap: 'reject', overlap: 'reject' } } as const;
      const plan = aPlan(
        aCampaign({ kind: 'wall', local, zone: 'America/New_York' }, { policy }),
        '2026-01-01T00:00Z',
      );
      expect(plan).toMatchObject({ occurrences: [], refusal: { code, pointer } });
    });
  },
);

describe('other deliveries', () => {
  it("now: at once, on the project's clock", () => {
    const cell = onlyCell(aPlan(aCampaign({ kind: 'now' }), '2027-03-01T10:00:07Z'));
    expect(cell).toMatchObject({
      zone: 'Asia/Seoul',
      zoneSource: 'project',
      mode: 'immediate',
      rule: 'DUE_NOW',
    });
    expect(cell.dueAt).toBe(Date.parse('2027-03-01T10:00:07Z'));
  });
  it('a schedule code: attached at once, standing', () => {
    const policy = { night: 'skip', jitterMs: 60_000 } as const;
    const standing = aCampaign({ kind: 'schedule', scheduleCode: 'WEEKLY' }, { messageType: 'AD', policy });
    const plan = aPlan(standing, '2027-03-01T15:00Z');
    expect(plan.warnings.map(({ code }) => code)).toContain('WINDOWS_NOT_KEPT');
    const cell = onlyCell(plan);
    expect(cell).toMatchObject({
      mode: 'scheduled',
      rule: 'SCHEDULE_CODE',
      handOffAt: Date.parse('2027-03-01T15:00Z'),
    });
    expect(cell.skipped).toBeUndefined();
  });
  it.each<[string, Campaign, string]>([
    [
      'an unknown zone',
      aCampaign({ kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Soul' }),
      'UNKNOWN_ZONE',
    ],
    [
      'an unknown floor',
      aroundTheWorld('2027-03-01T09:00', { passedZone: { kind: 'floor', zone: 'Here' } }),
      'UNKNOWN_ZONE',
    ],
    [
      'a split by a country nobody named',
      aCampaign({ kind: 'now' }, { policy: { split: { deviceType: false, country: true } } }),
      'SPLIT_NEEDS_COUNTRY',
    ],
    [
      'a standing message that is over',
      aCampaign({ kind: 'schedule', scheduleCode: 'X', until: 0 }),
      'UNTIL_PASSED',
    ],
  ])('refuses %s', (_name, campaign, code) => {
    expect(aPlan(campaign, '2027-02-01T00:00Z')).toMatchObject({ occurrences: [], refusal: { code } });
  });
  it('the test send: at once, by no policy, outside the totals', () => {
    const campaign = aCampaign(
      { kind: 'wall', local: '2027-03-01T22:00', zone: 'Asia/Seoul' },
      { messageType: 'AD', policy: { night: 'skip', testTo: ['anna', 'ben', 'anna'] } },
    );
    const plan = aPlan(campaign, '2027-02-01T15:00:05Z', { withTest: true, revision: 3 });
    expect(plan.test).toMatchObject({
      occurrence: 'test-3',
      cells: [{ mode: 'immediate', rule: 'DUE_NOW', chunks: 1, recipients: 2 }],
    });
    expect(plan.test?.cells[0]?.skipped).toBeUndefined();
    expect(plan.totals.requests).toBe(1);
  });
});

describe('split (planning.md §1)', () => {
  it('one cell for each zone, device type and country, with keys that do not depend on the others', () => {
    const campaign = aCampaign(recipient('2027-03-01T09:00'), {
      audience: channel('vip', 'KR', 'FR'),
      policy: { split: { deviceType: true, country: true } },
    });
    const plan = aPlan(campaign, '2027-02-01T00:00Z');
    expect(cellsOf(plan).map((cell) => cell.key)).toEqual([
      'Asia/Seoul|country|0|GCM|KR',
      'Asia/Seoul|country|0|APNS|KR',
      'Europe/Paris|country|0|GCM|FR',
      'Europe/Paris|country|0|APNS|FR',
    ]);
    expect(cellsOf(plan)[3]?.target).toEqual({
      type: 'CHANNEL',
      deviceType: 'APNS',
      to: ['vip'],
      country: ['FR'],
    });
  });
});

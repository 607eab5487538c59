import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellIn,
  cellsOf,
  channel,
  everybody,
  iso,
  knowing,
  onlyCell,
  users,
} from '../../../test/support/planning.js';
import type { Campaign, Delivery } from './campaign.js';
import { planHash } from './plan-hash.js';
import { noFacts, type Plan } from './planned.js';
import type { Policy } from './policy.js';

const zones = {
  seoul: 'Asia/Seoul',
  berlin: 'Europe/Berlin',
  newYork: 'America/New_York',
  la: 'America/Los_Angeles',
};
const everywhere = knowing(zones);
const recipient = (local: string): Delivery => ({ kind: 'recipient', local });

/** A campaign on the clocks of four users, one in each zone. */
function aroundTheWorld(
  local: string,
  policy: Partial<Policy> = {},
  overrides: Partial<Campaign> = {},
): Campaign {
  return aCampaign(recipient(local), { ...overrides, audience: users(...Object.keys(zones)), policy });
}

/** zone → what became of it, in order of due. */
function outcomes(plan: Plan): string[] {
  return cellsOf(plan)
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(
      (cell) => `${cell.zone} ${cell.skipped ?? (cell.expired === undefined ? iso(cell.dueAt) : 'expired')}`,
    );
}

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
    ])('§4 passed zones: %s', (_name, policy, expected) => {
      const plan = aPlan(aroundTheWorld('2027-03-01T09:00', policy), '2027-03-01T10:00Z', {
        audience: everywhere,
      });
      expect(outcomes(plan)).toEqual(expected);
    });

    it('§4 passed zones: reject refuses the whole one-shot campaign', () => {
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
    ])('§3 in one zone: %s', (_name, local, policy, expected) => {
      const plan = aPlan(
        aCampaign({ kind: 'wall', local, zone: 'America/New_York' }, { policy }),
        '2026-01-01T00:00Z',
      );
      expect(outcomes(plan)).toEqual([`America/New_York ${expected}`]);
    });

    it.each([
      ['2026-03-08T02:30', 'DST_GAP', '/policy/dst/gap'],
      ['2026-11-01T01:30', 'DST_OVERLAP', '/policy/dst/overlap'],
    ])('§4 reject refuses a one-shot campaign at %s: %s', (local, code, pointer) => {
      const policy = { dst: { gap: 'reject', overlap: 'reject' } } as const;
      const plan = aPlan(
        aCampaign({ kind: 'wall', local, zone: 'America/New_York' }, { policy }),
        '2026-01-01T00:00Z',
      );
      expect(plan).toMatchObject({ occurrences: [], refusal: { code, pointer } });
    });
  },
);

describe('night and quiet hours (§4)', () => {
  const ad = (local: string, policy: Partial<Policy>): Plan =>
    aPlan(
      aCampaign({ kind: 'wall', local, zone: 'Asia/Seoul' }, { messageType: 'AD', policy }),
      '2027-02-01T00:00Z',
    );

  it.each<[string, string, Partial<Policy>, string]>([
    ['21:00 is night', '2027-03-01T21:00', { night: 'defer' }, 'Asia/Seoul 2027-03-01T23:00Z'],
    ['07:59 is night', '2027-03-01T07:59', { night: 'defer' }, 'Asia/Seoul 2027-02-28T23:00Z'],
    ['08:00 is not', '2027-03-01T08:00', { night: 'defer' }, 'Asia/Seoul 2027-02-28T23:00Z'],
    ['20:59 is not', '2027-03-01T20:59', { night: 'defer' }, 'Asia/Seoul 2027-03-01T11:59Z'],
    ['skip', '2027-03-01T22:00', { night: 'skip' }, 'Asia/Seoul NIGHT'],
    ['consented goes as it is', '2027-03-01T22:00', { night: 'consented' }, 'Asia/Seoul 2027-03-01T13:00Z'],
    [
      'a night that ends in a quiet hour is deferred by both',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 7 * 60, endMinute: 10 * 60, action: 'defer' } },
      'Asia/Seoul 2027-03-02T01:00Z',
    ],
    [
      'a night that ends in a quiet hour that skips',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 7 * 60, endMinute: 10 * 60, action: 'skip' } },
      'Asia/Seoul QUIET_HOURS',
    ],
    [
      'no minute of the day is left: the deadline ends it',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 8 * 60, endMinute: 21 * 60, action: 'defer' } },
      'Asia/Seoul DEADLINE',
    ],
    [
      'a deadline before the morning',
      '2027-03-01T22:00',
      { night: 'defer', deadline: { months: 0, days: 0, ms: 3_600_000 } },
      'Asia/Seoul DEADLINE',
    ],
    [
      'a deadline at the very end of the night',
      '2027-03-01T22:00',
      { night: 'defer', deadline: { months: 0, days: 0, ms: 36_000_000 } },
      'Asia/Seoul 2027-03-01T23:00Z',
    ],
  ])('%s', (_name, local, policy, expected) => {
    expect(outcomes(ad(local, policy))).toEqual([expected]);
  });

  it('judges each recipient by their own clock', () => {
    const campaign = aroundTheWorld(
      '2027-03-01T09:00',
      { night: 'defer', passedZone: { kind: 'send-now' } },
      { messageType: 'AD' },
    );
    const plan = aPlan(campaign, '2027-03-01T12:00Z', { audience: everywhere });
    // 21:00 in Seoul when it is sent now, 13:00 in Berlin.
    expect(cellIn(plan, 'Asia/Seoul')).toMatchObject({
      night: { kind: 'deferred' },
      dueAt: Date.parse('2027-03-01T23:00Z'),
    });
    expect(cellIn(plan, 'Europe/Berlin')).toMatchObject({
      night: { kind: 'outside' },
      dueAt: Date.parse('2027-03-01T12:00Z'),
    });
  });

  it('says that the push service leaves out users without night consent, and warns of a missing (광고) where Korea may be meant', () => {
    const codes = (plan: Plan): string[] => plan.warnings.map((warning) => warning.code);
    expect(codes(ad('2027-03-01T22:00', {}))).toEqual(['NIGHT_CONSENT_ONLY', 'NO_AD_LABEL']);
    expect(codes(ad('2027-03-01T12:00', {}))).toEqual(['NO_AD_LABEL']);
    const labelled = { messageType: 'AD' as const, message: { default: { content: '(광고) sale' } } };
    const now = '2027-02-01T00:00Z';
    expect(codes(aPlan(aCampaign({ kind: 'now' }, labelled), now))).toEqual([]);
    const toFrance = { messageType: 'AD' as const, audience: { ...everybody, country: ['FR'] } };
    expect(codes(aPlan(aCampaign({ kind: 'now' }, toFrance), now))).toEqual([]);
  });

  it('leaves a NOTIF alone at night, but not in quiet hours', () => {
    const at = { kind: 'wall', local: '2027-03-01T22:00', zone: 'Asia/Seoul' } as const;
    expect(outcomes(aPlan(aCampaign(at, { policy: { night: 'skip' } }), '2027-02-01T00:00Z'))).toEqual([
      'Asia/Seoul 2027-03-01T13:00Z',
    ]);
    const quietHours = { startMinute: 22 * 60, endMinute: 60, action: 'defer' } as const;
    expect(outcomes(aPlan(aCampaign(at, { policy: { quietHours } }), '2027-02-01T00:00Z'))).toEqual([
      'Asia/Seoul 2027-03-01T16:00Z',
    ]);
  });
});

describe('lateness at planning (§4)', () => {
  const late = (minutes: number, policy: Partial<Policy> = {}): string[] => {
    const at = Date.parse('2027-03-01T10:00Z');
    return outcomes(
      aPlan(aCampaign({ kind: 'instant', at }, { policy }), new Date(at + minutes * 60_000).toISOString()),
    );
  };
  it('sends what is late by no more than lateness.max, with the due it had', () => {
    expect(late(30)).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
  it('expires what is later than that', () => {
    expect(late(31)).toEqual(['Asia/Seoul expired']);
  });
  it('sends it all the same where the policy says send', () => {
    expect(late(600, { lateness: { maxMs: 0, beyond: 'send' } })).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
});

describe('what is late and comes to lie in a window', () => {
  it('is judged by the clock at which it goes, not at which it was due', () => {
    const at = Date.parse('2027-03-01T11:45Z');
    const late = (night: Policy['night']): string[] =>
      outcomes(
        aPlan(
          aCampaign({ kind: 'instant', at }, { messageType: 'AD', policy: { night } }),
          '2027-03-01T12:05Z',
        ),
      );
    expect(late('skip')).toEqual(['Asia/Seoul NIGHT']);
    expect(late('defer')).toEqual(['Asia/Seoul 2027-03-01T23:00Z']);
    expect(late('consented')).toEqual(['Asia/Seoul 2027-03-01T11:45Z']);
  });
});

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

describe('split (§1)', () => {
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

describe('planHash (§9)', () => {
  const hash = (campaign: Campaign, now: string, overrides: Parameters<typeof aPlan>[2] = {}): string => {
    const plan = aPlan(campaign, now, overrides);
    return planHash(plan, campaign, overrides.audience ?? noFacts, Date.parse(now));
  };
  const at = recipient('2027-03-01T09:00');
  const campaign = aCampaign(at, { audience: users('anna') });
  const same = hash(campaign, '2027-02-01T00:00Z');

  it('is the same a minute later, and in any order of members', () => {
    expect(hash(campaign, '2027-02-01T00:01Z')).toBe(same);
    const message = JSON.parse(
      '{"i18n":{"ja":{"content":"j"},"default":{"content":"d"}},"default":{"content":"x"}}',
    ) as Campaign['message'];
    const other = JSON.parse(
      '{"default":{"content":"x"},"i18n":{"default":{"content":"d"},"ja":{"content":"j"}}}',
    ) as Campaign['message'];
    expect(hash({ ...campaign, message }, '2027-02-01T00:00Z')).toBe(
      hash({ ...campaign, message: other }, '2027-02-01T00:00Z'),
    );
  });
  it('is the same for a campaign that goes now, whenever it is previewed', () => {
    const now = aCampaign({ kind: 'now' });
    expect(hash(now, '2027-02-01T00:00Z')).toBe(hash(now, '2027-02-01T03:17:21Z'));
  });
  it('does not hang on mode or hand-off', () => {
    expect(hash(campaign, '2027-02-28T23:59Z')).toBe(same);
    expect(hash(campaign, '2027-02-01T00:00Z', { project: aProject({ reservations: false }) })).toBe(same);
  });
  it.each<[string, Campaign, Parameters<typeof aPlan>[2]]>([
    ['the message', { ...campaign, message: { default: { content: 'other' } } }, {}],
    ['the time', { ...campaign, delivery: recipient('2027-03-01T09:01') }, {}],
    ['the audience', { ...campaign, audience: users('ben') }, {}],
    ['a zone in the directory', campaign, { audience: knowing({ anna: 'Europe/Berlin' }) }],
    ['the message type', { ...campaign, messageType: 'AD' }, {}],
  ])('changes with %s', (_name, changed, overrides) => {
    expect(hash(changed, '2027-02-01T00:00Z', overrides)).not.toBe(same);
  });
});

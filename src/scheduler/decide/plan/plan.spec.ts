import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aroundTheWorld, everywhere, outcomes } from '../../../../test/support/planning/around-the-world.js';
import {
  aCampaign,
  aPlan,
  aProject,
  cellIn,
  cellsOf,
  iso,
  knowing,
  onlyCell,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Campaign, Delivery } from './campaign.js';
import { fingerprint } from './plan-hash.js';
import { noFacts, type Plan, type PlannedCell } from './plan-types.js';
import { placeOf } from '../timing/jitter.js';
import type { Policy } from '../timing/campaign-policy.js';

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

const SEOUL = 'Asia/Seoul';
const quietFrom = (start: number, end: number): Policy['quietHours'] => ({
  startMinute: start * 60,
  endMinute: end * 60,
  action: 'defer',
});

/** A cell in Seoul, of a campaign that another zone takes part in. */
function inSeoul(local: string, now: string, policy: Partial<Policy>, messageType: 'AD' | 'NOTIF' = 'NOTIF') {
  const facts = knowing({ anna: SEOUL, emil: 'America/New_York' });
  const delivery: Delivery = { kind: 'recipient', local };
  const campaign = aCampaign(delivery, { messageType, audience: users('anna', 'emil'), policy });
  return cellIn(aPlan(campaign, now, { audience: facts }), SEOUL);
}

const dueOrSkipped = (cell: PlannedCell): string => cell.skipped ?? iso(cell.dueAt);

// Each case comes out otherwise where two neighbours change places.
describe('the order of decisions (planning.md §4)', () => {
  it('DST before passed zone: a wall time in a gap is over when what it was moved to is', () => {
    const delivery: Delivery = { kind: 'recipient', local: '2027-03-14T02:30' };
    const campaign = aCampaign(delivery, { audience: users('emil') });
    const audience = knowing({ emil: 'America/New_York' });
    // 03:15 of the new offset, which was 02:15 an hour of the old one ago.
    const before = onlyCell(aPlan(campaign, '2027-03-14T07:15Z', { audience }));
    expect([dueOrSkipped(before), before.dst, before.passed.kind]).toEqual([
      '2027-03-14T07:30Z',
      'moved-forward',
      'not-passed',
    ]);
    const after = onlyCell(aPlan(campaign, '2027-03-14T07:31Z', { audience }));
    expect([dueOrSkipped(after), after.dst, after.passed.kind]).toEqual([
      'PASSED_ZONE',
      'moved-forward',
      'skipped',
    ]);
  });

  it.each<[what: string, local: string, now: string, Partial<Policy>, due: string]>([
    [
      'passed zone before night: what is sent now is sent at night, and so deferred',
      '2027-03-01T10:00',
      '2027-03-01T13:00Z',
      { passedZone: { kind: 'send-now' }, night: 'defer' },
      '2027-03-01T23:00Z',
    ],
    [
      'passed zone before night: a floor that falls into it is deferred',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      { passedZone: { kind: 'floor', zone: 'America/New_York' }, night: 'defer' },
      '2027-03-01T23:00Z',
    ],
    [
      'passed zone before quiet hours: the next day has its own',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      {
        passedZone: { kind: 'next-day' },
        quietHours: quietFrom(9, 11),
        deadline: { months: 0, days: 2, ms: 0 },
      },
      '2027-03-02T02:00Z',
    ],
    [
      'passed zone before the deadline, which counts from what was asked for',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      { passedZone: { kind: 'next-day' }, deadline: { months: 0, days: 0, ms: 3_600_000 } },
      'DEADLINE',
    ],
  ])('%s', (_what, local, now, policy, due) => {
    expect(dueOrSkipped(inSeoul(local, now, policy, 'AD'))).toBe(due);
  });

  it('night before jitter: it moves from the end of the night on, and not within it', () => {
    const cell = inSeoul(
      '2027-03-01T22:00',
      '2027-02-27T00:00Z',
      { night: 'defer', jitterMs: 600_000 },
      'AD',
    );
    const minutes = Math.floor(10 * placeOf(SEOUL));
    expect(minutes).toBeGreaterThan(0);
    expect(dueOrSkipped(cell)).toBe(iso(Date.parse('2027-03-01T23:00Z') + minutes * 60_000));
  });

  it('jitter before pace: who was moved less is served first', () => {
    const zones = { anna: SEOUL, ben: 'Asia/Tokyo' };
    const policy = { jitterMs: 600_000, pace: { perMinute: 1 } };
    const campaign = aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00' },
      { audience: users('anna', 'ben'), policy },
    );
    const plan = aPlan(campaign, '2027-02-27T00:00Z', { audience: knowing(zones) });
    const placed = (zone: string): string =>
      iso(Date.parse('2027-03-01T00:00Z') + Math.floor(10 * placeOf(zone)) * 60_000);
    for (const cell of cellsOf(plan))
      expect([dueOrSkipped(cell), cell.paceMs]).toEqual([placed(cell.zone), 0]);
  });

  it('pace before the deadline, after both checks of the windows', () => {
    const campaign = aCampaign(
      { kind: 'wall', local: '2027-03-01T11:59', zone: SEOUL },
      {
        audience: users('anna', 'ben', 'carl'),
        policy: {
          pace: { perMinute: 1 },
          quietHours: quietFrom(12, 13),
          deadline: { months: 0, days: 0, ms: 3_660_000 },
        },
      },
    );
    const { runs } = onlyCell(aPlan(campaign, '2027-02-27T00:00Z', { project: aProject({ maxTo: 1 }) }));
    const chunks = runs.flatMap(({ count, dueAt, stepMs, skipped }) =>
      Array.from({ length: count }, (_, index) => skipped ?? iso(dueAt + index * stepMs)),
    );
    // 13:00 is the deadline: the third one would go at 13:01.
    expect(chunks).toEqual(['2027-03-01T02:59Z', '2027-03-01T04:00Z', 'DEADLINE']);
  });

  it('holds passed zones for the recipient clock alone: any other time in the past follows lateness', () => {
    const policy = { passedZone: { kind: 'reject' } } as const;
    for (const delivery of [
      { kind: 'wall', local: '2027-03-01T09:00', zone: SEOUL },
      { kind: 'instant', at: Date.parse('2027-03-01T00:00Z') },
    ] satisfies Delivery[]) {
      const campaign = aCampaign(delivery, { policy });
      const late = onlyCell(aPlan(campaign, '2027-03-01T00:30Z'));
      expect([late.passed.kind, late.skipped, late.expired]).toEqual(['not-passed', undefined, undefined]);
      expect(onlyCell(aPlan(campaign, '2027-03-01T00:31Z')).expired).toEqual({ lateMs: 31 * 60_000 });
    }
  });
});

describe('the order of decisions (planning.md §4)', () => {
  it('names the window before the deadline, also of what is late', () => {
    const at = Date.parse('2027-03-01T13:00Z');
    const campaign = aCampaign(
      { kind: 'instant', at },
      {
        messageType: 'AD',
        policy: {
          night: 'skip',
          deadline: { months: 0, days: 0, ms: 60_000 },
          lateness: { maxMs: 3_600_000, beyond: 'send' },
        },
      },
    );
    // 22:10 in Seoul, ten minutes late.
    expect(onlyCell(aPlan(campaign, '2027-03-01T13:10Z')).skipped).toBe('NIGHT');
    const paced = { ...campaign, policy: { ...campaign.policy, pace: { perMinute: 1 } } };
    expect(onlyCell(aPlan(paced, '2027-03-01T13:10Z')).skipped).toBe('NIGHT');
  });
});

describe('a plan of which nothing leaves', () => {
  const codes = (campaign: Campaign, audience = noFacts): string[] =>
    aPlan(campaign, '2027-03-01T12:00Z', { audience }).warnings.map(({ code, text }) => `${code}: ${text}`);
  const at = (local: string): Campaign =>
    aCampaign({ kind: 'recipient', local }, { audience: users('anna', 'ben') });
  const zones = knowing({ anna: 'Asia/Seoul', ben: 'Asia/Tokyo' });

  it('says so first, and why', () => {
    expect(codes(at('2027-03-01T09:00'), zones)[0]).toBe(
      'NOTHING_WILL_LEAVE: nothing will leave: PASSED_ZONE (cells: 2)',
    );
    const late = aCampaign({ kind: 'instant', at: Date.parse('2027-03-01T11:00Z') });
    expect(codes(late)[0]).toBe('NOTHING_WILL_LEAVE: nothing will leave: LATE (cells: 1)');
    const unknown = codes(at('2027-03-01T09:00'), { ...noFacts, provisional: 2, lookUps: 2 });
    expect(unknown[0]).toMatch(/^PROVISIONAL: /);
    expect(unknown[1]).toContain('by the zones that are known now, nothing will leave');
  });

  it('does not say so where anything leaves, or may leave later', () => {
    expect(codes(at('2027-03-01T22:00'), zones).join()).not.toContain('NOTHING_WILL_LEAVE');
    const far = aCampaign({ kind: 'wall', local: '2027-08-01T09:00', zone: 'UTC', recurrence: 'FREQ=DAILY' });
    expect(codes(far).join()).not.toContain('NOTHING_WILL_LEAVE');
  });
});

describe('what else of planning.md had no test of its own', () => {
  it('planning.md §9 the hash changes with the release of the zone rules and with the version of a list', () => {
    const campaign = aCampaign({ kind: 'now' });
    const now = Date.parse('2027-03-01T00:00Z');
    const plan = aPlan(campaign, '2027-03-01T00:00Z');
    const input = { campaign, project: aProject(), audience: noFacts, now, rules, revision: 1 };
    const { hash } = fingerprint(plan, input);
    const newer = { ...plan, tzdata: { ...plan.tzdata, version: '2099z' } };
    expect(fingerprint(newer, input).hash).not.toBe(hash);
    const elsewhere = { ...plan, tzdata: { ...plan.tzdata, source: 'another directory' } };
    expect(fingerprint(elsewhere, input).hash).toBe(hash);
    const listed = (version: string) =>
      fingerprint(plan, { ...input, audience: { ...noFacts, lists: { vip: { version, groups: [] } } } }).hash;
    expect(new Set([hash, listed('1'), listed('2')]).size).toBe(3);
  });

  it('planning.md §3 an instant is read back with its weekday, date, time and offset', () => {
    const cell = onlyCell(
      aPlan(
        aCampaign({ kind: 'wall', local: '2027-03-14T02:30', zone: 'America/New_York' }),
        '2027-03-01T00:00Z',
      ),
    );
    expect(cell.localReading).toEqual({
      weekday: 'Sun',
      date: '2027-03-14',
      time: '03:30',
      offset: '-04:00',
    });
    expect(rules.has(cell.zone)).toBe(true);
  });
});

const MINUTE = 60_000;
const NOON = Date.parse('2027-03-13T12:00Z');
const zones = {
  anna: 'Pacific/Kiritimati',
  ben: 'Asia/Seoul',
  carl: 'Asia/Tokyo',
  dora: 'Europe/Berlin',
  emil: 'America/New_York',
  fay: 'America/Los_Angeles',
};

/** The decisions about every cell that is not over by `instant`, in words: dues, verdicts, and what is left out. */
function decidedAfter(plan: Plan, instant: number): unknown[] {
  return cellsOf(plan)
    .filter(({ intendedAt }) => intendedAt > instant)
    .map(({ key, askedLocal, dueAt, jitterMs, paceMs, runs, night, quiet, skipped }) => ({
      key,
      askedLocal,
      due: iso(dueAt),
      moved: [jitterMs, paceMs],
      runs,
      verdicts: [night, quiet, skipped],
    }));
}

describe('planCampaign and now', () => {
  it('decides the same of a cell that is not over, whenever it is asked', () => {
    const policies = fc.record({
      jitterMs: fc.constantFrom(0, 7 * MINUTE, 20 * MINUTE + 123),
      passedZone: fc.constantFrom<Policy['passedZone']>(
        { kind: 'skip' },
        { kind: 'next-day' },
        { kind: 'send-now' },
        { kind: 'floor', zone: 'Europe/Berlin' },
      ),
      pace: fc.constantFrom(null, { perMinute: 1 }, { perMinute: 3 }),
      handoff: fc.constantFrom('reserve' as const, 'hold' as const),
      quietHours: fc.constantFrom(null, { startMinute: 541, endMinute: 600, action: 'defer' } as const),
      night: fc.constantFrom('consented' as const, 'defer' as const, 'skip' as const),
    });
    const locals = fc.constantFrom('2027-03-14T09:00', '2027-03-14T02:30', '2027-03-14T09:00:30');
    // At any time of the day and a half, and the last minutes before nine here and there, where modes change.
    const nines = ['2027-03-13T19:00Z', '2027-03-14T00:00Z', '2027-03-14T08:00Z', '2027-03-14T13:00Z'];
    const nows = fc.oneof(
      fc.integer({ min: 0, max: 36 * 60 * MINUTE }).map((ms) => NOON + ms),
      fc
        .tuple(fc.constantFrom(...nines), fc.nat({ max: 4 * MINUTE }))
        .map(([nine, ms]) => Date.parse(nine) - ms),
    );
    let compared = 0;
    fc.assert(
      fc.property(policies, locals, fc.boolean(), nows, nows, (policy, local, reservations, one, other) => {
        const joins = policy.passedZone.kind === 'send-now' || policy.passedZone.kind === 'floor';
        // What is over and goes yet takes minutes of the pace, and has to.
        const pace = joins ? null : policy.pace;
        const campaign = aCampaign(
          { kind: 'recipient', local },
          { messageType: 'AD', audience: users(...Object.keys(zones)), policy: { ...policy, pace } },
        );
        const overrides = { audience: knowing(zones), project: aProject({ reservations }) };
        const [first, second] = [one, other].map((now) =>
          decidedAfter(aPlan(campaign, new Date(now).toISOString(), overrides), Math.max(one, other)),
        );
        expect(second).toEqual(first);
        compared += first?.length ?? 0;
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});

import { describe, expect, it } from 'vitest';
import { aroundTheWorld, everywhere, outcomes } from '../../../../test/support/planning/around-the-world.js';
import { aCampaign, aPlan, cellIn, onlyCell, rules } from '../../../../test/support/planning/planning.js';
import type { Plan, PlannedCell } from '../plan/plan-types.js';
import { policyDefaults, type Policy } from './campaign-policy.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import { judgeWindows, windowRules, type WindowRule } from './window-rules.js';

describe('night and quiet hours together (planning.md §4)', () => {
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

  it('says at which time quiet hours end where the clock change skips their end', () => {
    const quietHours = { startMinute: 22 * 60, endMinute: 2 * 60 + 30, action: 'defer' } as const;
    const quietOn = (local: string): PlannedCell['quiet'] =>
      onlyCell(
        aPlan(
          aCampaign({ kind: 'wall', local, zone: 'America/New_York' }, { policy: { quietHours } }),
          '2027-03-01T00:00Z',
        ),
      ).quiet;
    expect(quietOn('2027-03-14T01:00')).toEqual({
      kind: 'deferred',
      to: Date.parse('2027-03-14T07:00Z'),
      afterGap: '03:00',
    });
    expect(quietOn('2027-03-15T01:00')).toEqual({ kind: 'deferred', to: Date.parse('2027-03-15T06:30Z') });
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

describe('the rules that a message has (planning.md §4)', () => {
  const quiet = { startMinute: 60, endMinute: 120, action: 'skip' } as const;
  it.each<[string, 'AD' | 'NOTIF', Partial<Policy>, string[]]>([
    ['none of a NOTIF', 'NOTIF', {}, []],
    ['no night of a NOTIF', 'NOTIF', { night: 'skip' }, []],
    ['the night of an AD, as the policy has it', 'AD', { night: 'defer' }, ['NIGHT defer 1260–480']],
    ['the night of an AD with consent', 'AD', {}, ['NIGHT consented 1260–480']],
    ['quiet hours of any', 'NOTIF', { quietHours: quiet }, ['QUIET_HOURS skip 60–120']],
    ['both of an AD', 'AD', { quietHours: quiet }, ['NIGHT consented 1260–480', 'QUIET_HOURS skip 60–120']],
  ])('are %s', (_what, messageType, policy, expected) => {
    const found = windowRules(messageType, { ...policyDefaults, ...policy });
    expect(
      found.map(({ code, action, window }) => `${code} ${action} ${window.startMinute}–${window.endMinute}`),
    ).toEqual(expected);
  });
});

describe('several windows at once', () => {
  const seoul = requireZoneTable('Asia/Seoul', rules);
  const ten = Date.parse('2027-03-01T13:00Z');
  const HOUR = 3_600_000;
  const rule = (
    code: WindowRule['code'],
    action: WindowRule['action'],
    from: number,
    to: number,
  ): WindowRule => ({
    code,
    action,
    window: { startMinute: from * 60, endMinute: to * 60 },
  });
  const judged = (...of: WindowRule[]) => judgeWindows(ten, seoul, of, ten + 24 * HOUR);
  const outside = { kind: 'outside' } as const;

  it('leave an instant alone that none holds', () => {
    expect(judged(rule('NIGHT', 'defer', 0, 6), rule('QUIET_HOURS', 'skip', 23, 24))).toEqual({
      at: ten,
      night: outside,
      quiet: outside,
    });
  });

  it('defer in turn, whichever is judged first', () => {
    const both = [rule('NIGHT', 'defer', 21, 8), rule('QUIET_HOURS', 'defer', 7, 10)];
    const until = (hours: number) => ({ kind: 'deferred', to: ten + hours * HOUR });
    for (const of of [both, both.toReversed()])
      expect(judged(...of)).toEqual({ at: ten + 12 * HOUR, night: until(10), quiet: until(12) });
  });

  it('that skip end it, at the instant to which it was deferred', () => {
    expect(judged(rule('NIGHT', 'defer', 21, 8), rule('QUIET_HOURS', 'skip', 7, 10))).toEqual({
      at: ten + 10 * HOUR,
      night: { kind: 'deferred', to: ten + 10 * HOUR },
      quiet: { kind: 'skipped' },
      skipped: 'QUIET_HOURS',
    });
  });

  it('with consent move nothing, and are listed', () => {
    expect(judged(rule('NIGHT', 'consented', 21, 8), rule('QUIET_HOURS', 'defer', 22, 23))).toEqual({
      at: ten + HOUR,
      night: { kind: 'consented' },
      quiet: { kind: 'deferred', to: ten + HOUR },
    });
  });

  it('that leave no minute of the day are given up once the deadline is passed', () => {
    const { at } = judged(rule('NIGHT', 'defer', 21, 8), rule('QUIET_HOURS', 'defer', 8, 21));
    expect(at).toBeGreaterThan(ten + 24 * HOUR);
    expect(at).toBeLessThan(ten + 48 * HOUR);
  });

  it('come before the deadline: an instant after it is judged, and one deferred past it as well', () => {
    expect(judgeWindows(ten, seoul, [rule('NIGHT', 'skip', 21, 8)], ten - 1)).toMatchObject({
      skipped: 'NIGHT',
    });
    const both = [rule('NIGHT', 'skip', 0, 8), rule('QUIET_HOURS', 'defer', 21, 2)];
    expect(judgeWindows(ten, seoul, both, ten + HOUR)).toMatchObject({ skipped: 'NIGHT' });
  });
});

import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  cellIn,
  cellsOf,
  iso,
  knowing,
  onlyCell,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import { placeOf } from './jitter.js';
import type { Plan } from '../plan/plan-types.js';
import type { Policy } from './campaign-policy.js';

const MINUTE = 60_000;
const nine = '2027-03-01T09:00';

describe('jitter (planning.md §4)', () => {
  const zones = {
    anna: 'Asia/Seoul',
    ben: 'Asia/Tokyo',
    carl: 'Asia/Pyongyang',
    dora: 'Europe/Berlin',
    emil: 'America/New_York',
  };
  const planAt = (now: string, policy: Partial<Policy>): Plan => {
    const campaign = aCampaign(
      { kind: 'recipient', local: nine },
      { audience: users(...Object.keys(zones)), policy },
    );
    return aPlan(campaign, now, { audience: knowing(zones) });
  };
  const spread = (policy: Partial<Policy>, now = '2027-02-27T00:00Z'): Record<string, string> =>
    Object.fromEntries(
      cellsOf(planAt(now, policy)).map((cell) => [cell.zone, cell.skipped ?? iso(cell.dueAt)]),
    );

  it('moves every zone by a fraction of it that depends only on its name: whole minutes where it is reserved', () => {
    // SHA-256 of the name, its first 32 bits as a fraction: Seoul 0.6588, Tokyo 0.8135, Pyongyang 0.5500, New York 0.6746.
    expect(spread({ jitterMs: 10 * MINUTE })).toEqual({
      'Asia/Pyongyang': '2027-03-01T00:05Z',
      'Asia/Seoul': '2027-03-01T00:06Z',
      'Asia/Tokyo': '2027-03-01T00:08Z',
      'Europe/Berlin': '2027-03-01T08:06Z',
      'America/New_York': '2027-03-01T14:06Z',
    });
    const held = spread({ jitterMs: 10_000, handoff: 'hold' });
    expect([held['Asia/Tokyo'], held['America/New_York']]).toEqual([
      '2027-03-01T00:00:08.134Z',
      '2027-03-01T14:00:06.746Z',
    ]);
  });

  it('spreads all zones there are evenly enough: of ten parts of it none has twice its share', () => {
    const parts = Array.from({ length: 10 }, () => 0);
    const names = rules.names();
    for (const name of names)
      parts[Math.floor(placeOf(name) * 10)] = (parts[Math.floor(placeOf(name) * 10)] ?? 0) + 1;
    expect(Math.max(...parts)).toBeLessThan((2 * names.length) / 10);
    expect(Math.min(...parts)).toBeGreaterThan(names.length / 20);
  });

  it('leaves alone what is on one clock: there is nothing to spread', () => {
    const policy = { jitterMs: 10 * MINUTE };
    const wall = aCampaign({ kind: 'wall', local: nine, zone: 'Asia/Tokyo' }, { policy });
    expect(iso(onlyCell(aPlan(wall, '2027-02-27T00:00Z')).dueAt)).toBe('2027-03-01T00:00Z');
    const alone = aCampaign({ kind: 'recipient', local: nine }, { audience: users('ben'), policy });
    const plan = aPlan(alone, '2027-02-27T00:00Z', { audience: knowing(zones) });
    expect(iso(onlyCell(plan).dueAt)).toBe('2027-03-01T00:00Z');
  });

  it('keeps every zone where it was while others pass, and lets those join it on its instant at places of their own', () => {
    const policy = { jitterMs: 10 * MINUTE, passedZone: { kind: 'floor', zone: 'Europe/Berlin' } } as const;
    const early = spread(policy);
    // Nine is over in Asia by then.
    const late = spread(policy, '2027-03-01T05:00Z');
    expect(late['Europe/Berlin']).toBe(early['Europe/Berlin']);
    expect(late['America/New_York']).toBe(early['America/New_York']);
    expect([late['Asia/Seoul'], late['Asia/Tokyo']]).toEqual(['2027-03-01T08:06Z', '2027-03-01T08:08Z']);
  });

  it('and the pace put requests at the same instants however near they are, reserved or not', () => {
    const dues = (now: string, policy: Partial<Policy>): number[] =>
      cellsOf(planAt(now, { jitterMs: 10 * MINUTE + 7, ...policy })).map(({ dueAt }) => dueAt);
    for (const policy of [{}, { pace: { perMinute: 3 } }]) {
      const far = dues('2027-01-27T00:00Z', policy);
      expect(dues('2027-02-28T23:59:30.500Z', policy)).toEqual(far);
      expect(dues('2027-03-01T00:00Z', policy)).toEqual(far);
    }
  });

  it('is judged against quiet hours once more', () => {
    const quietHours = { startMinute: 9 * 60 + 1, endMinute: 9 * 60 + 30, action: 'defer' } as const;
    expect(spread({ jitterMs: 10 * MINUTE, quietHours })['Asia/Tokyo']).toBe('2027-03-01T00:30Z');
    const skipping = { ...quietHours, action: 'skip' } as const;
    expect(spread({ jitterMs: 10 * MINUTE, quietHours: skipping })['Asia/Tokyo']).toBe('QUIET_HOURS');
  });

  it('never goes beyond the deadline', () => {
    const found = spread({ jitterMs: 10 * MINUTE, deadline: { months: 0, days: 0, ms: 7 * MINUTE } });
    expect([found['Asia/Seoul'], found['Asia/Tokyo']]).toEqual(['2027-03-01T00:06Z', 'DEADLINE']);
  });

  it('is shown with the cell', () => {
    const cell = cellIn(planAt('2027-02-27T00:00Z', { jitterMs: 10 * MINUTE }), 'Asia/Tokyo');
    expect(cell.jitterMs).toBe(cell.dueAt - cell.intendedAt);
  });
});

import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  iso,
  onlyCell,
  users,
} from '../../../../test/support/planning/planning.js';
import { loadOf } from './plan-load.js';
import type { ChunkRun, PlannedCell } from './plan-types.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user-${index}`);

describe('load (planning.md §9)', () => {
  it('adds up hand-offs by the minute against the rate: reservations leave now, the rest at due', () => {
    const campaign = aCampaign(
      { kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' },
      { audience: users(...ids(1_000)) },
    );
    const plan = aPlan(campaign, '2027-02-27T00:00:10Z', {
      project: aProject({ maxTo: 1, ratePerSecond: 5 }),
    });
    expect(plan.load).toEqual([{ minute: Date.parse('2027-02-27T00:00Z'), requests: 1_000, backlog: 700 }]);
    expect(plan.warnings.map(({ code }) => code)).toEqual(['OVER_RATE']);
    const held = aPlan(
      { ...campaign, policy: { ...campaign.policy, handoff: 'hold' } },
      '2027-02-27T00:00Z',
      { project: aProject({ maxTo: 1, ratePerSecond: 5 }) },
    );
    expect(held.load).toEqual([{ minute: Date.parse('2027-03-01T00:00Z'), requests: 1_000, backlog: 700 }]);
    // 1 000 requests at 5 a second.
    expect(iso(held.totals.expectedEndAt ?? 0)).toBe('2027-03-01T00:03:20Z');
  });
});

describe('the load of cells, minute by minute', () => {
  const MINUTE = 60_000;
  const nine = Date.parse('2027-03-01T09:00Z');
  const aRun = (overrides: Partial<ChunkRun> = {}): ChunkRun => ({
    first: 0,
    count: 1,
    dueAt: nine,
    stepMs: 0,
    perStep: 1,
    ...overrides,
  });
  /** Immediate, handed off at nine. */
  const aCell = (overrides: Partial<PlannedCell> = {}): PlannedCell => ({
    ...onlyCell(aPlan(aCampaign({ kind: 'instant', at: nine }), '2027-03-01T00:00Z')),
    mode: 'immediate',
    handOffAt: nine,
    runs: [aRun()],
    ...overrides,
  });
  /** `requests/backlog` after the minutes from nine on. */
  const load = (cells: PlannedCell[], rate = 1): Record<number, string> =>
    Object.fromEntries(
      loadOf(cells, rate).minutes.map(({ minute, requests, backlog }) => [
        (minute - nine) / MINUTE,
        `${requests}/${backlog}`,
      ]),
    );
  const many = (count: number, minutes = 0): PlannedCell =>
    aCell({ runs: [aRun({ count, dueAt: nine + minutes * MINUTE })] });

  it('counts what leaves, and nothing that is left out or late', () => {
    const inPart = aCell({ runs: [aRun({ count: 7 }), aRun({ first: 7, count: 3, skipped: 'DEADLINE' })] });
    const cells = [inPart, aCell({ skipped: 'NIGHT' }), aCell({ expired: { lateMs: 1 } })];
    expect(load(cells)).toEqual({ 0: '7/0' });
    expect(loadOf([aCell({ skipped: 'NIGHT' })], 1)).toEqual({ minutes: [], drainedAt: null });
  });

  it('puts a reservation on its hand-off and anything else on its due, never before its hand-off', () => {
    const due = [aRun({ count: 5, dueAt: nine + 30 * MINUTE })];
    expect(load([aCell({ runs: due })])).toEqual({ 30: '5/0' });
    expect(load([aCell({ runs: due, mode: 'reserved' })])).toEqual({ 0: '5/0' });
    expect(load([aCell({ runs: due, handOffAt: nine + 31 * MINUTE })])).toEqual({ 31: '5/0' });
  });

  it('puts each step of a paced run on its own minute', () => {
    const paced = (overrides: Partial<ChunkRun>): PlannedCell => aCell({ runs: [aRun(overrides)] });
    expect(load([paced({ count: 5, stepMs: MINUTE, perStep: 2 })])).toEqual({ 0: '2/0', 1: '2/0', 2: '1/0' });
    expect(load([paced({ count: 5, stepMs: 20_000 })])).toEqual({ 0: '3/0', 1: '2/0' });
  });

  it('carries what the rate does not let through into the next minutes, also those without requests', () => {
    expect(load([many(60)])).toEqual({ 0: '60/0' });
    expect(load([many(200), many(10, 1)])).toEqual({ 0: '200/140', 1: '10/90' });
    expect(load([many(200), many(10, 2)])).toEqual({ 0: '200/140', 2: '10/30' });
    expect(load([many(200), many(10, 9)])).toEqual({ 0: '200/140', 9: '10/0' });
  });

  it('is through when the last request is', () => {
    const drained = (...cells: PlannedCell[]): string => iso(loadOf(cells, 1).drainedAt ?? 0);
    expect(drained(many(1))).toBe('2027-03-01T09:00:01Z');
    expect(drained(many(60))).toBe('2027-03-01T09:01Z');
    expect(drained(many(61))).toBe('2027-03-01T09:01:01Z');
    expect(drained(many(200), many(10, 1))).toBe('2027-03-01T09:03:30Z');
  });
});

import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  channel,
  iso,
  onlyCell,
  rules,
} from '../../../../test/support/planning/planning.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import { policyDefaults } from '../timing/campaign-policy.js';
import type { ChosenMode } from '../timing/send-mode.js';
import type { Campaign, Delivery } from './campaign.js';
import { chunksOf, dueOfChunk, plannedCell, runsOf, wholeMinutes, windowsOf } from './planned-cell.js';
import { noFacts, type CellBase, type ChunkRun, type PlanInput, type TimedCell } from './plan-types.js';

const NINE = Date.parse('2027-03-01T00:00Z');
const NOW = NINE - 3_600_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const wall: Delivery = { kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' };

const aBase = (overrides: Partial<CellBase> = {}): CellBase => ({
  key: 'Asia/Seoul|given|0|all|all',
  zone: 'Asia/Seoul',
  zoneSource: 'given',
  segment: 0,
  deviceType: 'all',
  country: 'all',
  target: { type: 'ALL' },
  ...overrides,
});
/** At nine in Seoul, with a deadline a day on. */
const aTimed = (overrides: Partial<TimedCell> = {}): TimedCell => ({
  base: aBase(),
  table: requireZoneTable('Asia/Seoul', rules),
  askedLocal: '2027-03-01T09:00',
  intendedAt: NINE,
  dueAt: NINE,
  deadlineAt: NINE + 24 * HOUR,
  dst: 'exact',
  passed: { kind: 'not-passed' },
  night: { kind: 'outside' },
  quiet: { kind: 'outside' },
  jitterMs: 0,
  ...overrides,
});
const aRun = (overrides: Partial<ChunkRun> = {}): ChunkRun => ({
  first: 0,
  count: 1,
  dueAt: NINE,
  stepMs: 0,
  perStep: 1,
  ...overrides,
});
const anInput = (campaign: Campaign = aCampaign(wall), overrides: Partial<PlanInput> = {}): PlanInput => ({
  campaign,
  project: aProject(),
  audience: noFacts,
  now: NOW,
  rules,
  revision: 1,
  ...overrides,
});

describe('how many requests a cell has (planning.md §1)', () => {
  it('planning.md §1 the names of a CHANNEL audience are never chunked', () => {
    const audience = { ...channel('a'), to: ['a', 'b', 'c', 'd', 'e'] } as ReturnType<typeof channel>;
    const plan = aPlan(aCampaign({ kind: 'now' }, { audience }), '2027-03-01T00:00Z', {
      project: aProject({ maxTo: 2 }),
    });
    expect(onlyCell(plan)).toMatchObject({ chunks: 1, target: { to: ['a', 'b', 'c', 'd', 'e'] } });
  });

  it.each([
    ['users, by maxTo', { type: 'USER' }, 1_000, 1],
    ['users, and one more', { type: 'USER' }, 1_001, 2],
    ['nobody', { type: 'USER' }, 0, 0],
    ['everybody', { type: 'ALL' }, undefined, 1],
    ['everybody of an offset, however many', { type: 'ALL' }, 50_000, 1],
    ['channels', { type: 'CHANNEL', to: ['a', 'b'] }, undefined, 1],
  ] as const)('%s', (_what, target, recipients, chunks) => {
    expect(chunksOf(aBase({ target, recipients }), anInput())).toBe(chunks);
  });
});

describe('the windows of a campaign (planning.md §4)', () => {
  it('are those of its message and policy, and none of a standing message', () => {
    const policy = { night: 'skip' } as const;
    const codes = (delivery: Delivery): string[] =>
      windowsOf(aCampaign(delivery, { messageType: 'AD', policy })).map(({ code }) => code);
    expect(codes(wall)).toEqual(['NIGHT']);
    expect(codes({ kind: 'schedule', scheduleCode: 'WEEKLY' })).toEqual([]);
  });
});

describe('whether jitter and pace move a cell by whole minutes (planning.md §4)', () => {
  it.each<[string, Campaign, Partial<TimedCell>, Partial<PlanInput>, boolean]>([
    ['one that may be reserved', aCampaign(wall), {}, {}, true],
    ['one that is held', aCampaign(wall, { policy: { handoff: 'hold' } }), {}, {}, false],
    [
      'one of a project without reservations',
      aCampaign(wall),
      {},
      { project: aProject({ reservations: false }) },
      false,
    ],
    ['one that goes now', aCampaign({ kind: 'now' }), {}, {}, false],
    ['one that is sent now', aCampaign(wall), { passed: { kind: 'sent-now', to: NINE } }, {}, false],
    ['one that is late', aCampaign(wall), {}, { now: NINE + 1 }, false],
    ['one that is due now', aCampaign(wall), {}, { now: NINE }, true],
    ['one that is due within a minute', aCampaign(wall), { dueAt: NINE + 1_000 }, {}, false],
  ])('%s', (_what, campaign, cell, input, whole) => {
    expect(wholeMinutes(anInput(campaign, input), aTimed(cell))).toBe(whole);
  });
});

describe('the runs of cells without a pace', () => {
  const quietHours = { startMinute: 9 * 60, endMinute: 10 * 60, action: 'defer' } as const;
  const runs = (cell: TimedCell, policy: Partial<typeof policyDefaults> = {}) =>
    runsOf([cell], anInput(aCampaign(wall, { policy }))).get(cell);

  it('are one for each cell, all of its requests at its due', () => {
    const base = aBase({ target: { type: 'USER' }, recipients: 2_500 });
    expect(runs(aTimed({ base }))).toEqual({ runs: [aRun({ count: 3, skipped: undefined })] });
  });

  it('are left out as their cell is', () => {
    expect(runs(aTimed({ skipped: 'NIGHT' }))?.runs).toEqual([aRun({ skipped: 'NIGHT' })]);
    expect(runs(aTimed({ expired: { lateMs: 1 } }))?.runs).toEqual([aRun({ skipped: undefined })]);
  });

  it('are judged once more where jitter moved the cell, and only there', () => {
    expect(runs(aTimed(), { quietHours })?.runs).toEqual([aRun({ skipped: undefined })]);
    expect(runs(aTimed({ jitterMs: MINUTE }), { quietHours })).toMatchObject({
      runs: [{ dueAt: NINE + HOUR, skipped: undefined }],
      quiet: { kind: 'deferred', to: NINE + HOUR },
    });
    expect(
      runs(aTimed({ jitterMs: MINUTE }), { quietHours: { ...quietHours, action: 'skip' } })?.runs,
    ).toEqual([aRun({ skipped: 'QUIET_HOURS' })]);
    expect(runs(aTimed({ jitterMs: MINUTE, deadlineAt: NINE + HOUR - 1 }), { quietHours })?.runs).toEqual([
      aRun({ dueAt: NINE + HOUR, skipped: 'DEADLINE' }),
    ]);
  });
});

describe('the runs of cells with a pace', () => {
  const due = (campaign: Campaign, cell: TimedCell, now = NOW): string[] =>
    (runsOf([cell], anInput(campaign, { now })).get(cell)?.runs ?? []).map(({ dueAt }) => iso(dueAt));
  const pace = { pace: { perMinute: 1 } };

  it('begin at the due, and now where that is over', () => {
    expect(due(aCampaign(wall, { policy: pace }), aTimed())).toEqual(['2027-03-01T00:00Z']);
    expect(due(aCampaign(wall, { policy: pace }), aTimed(), NINE + 2 * MINUTE)).toEqual([
      '2027-03-01T00:02Z',
    ]);
  });

  it('of what goes now count from its own instant', () => {
    const cell = aTimed({ dueAt: NINE + 7_000 });
    expect(due(aCampaign({ kind: 'now' }, { policy: pace }), cell, NINE + 7_000)).toEqual([
      '2027-03-01T00:00:07Z',
    ]);
    expect(due(aCampaign(wall, { policy: pace }), cell)).toEqual(['2027-03-01T00:01Z']);
  });

  it('of a standing message keep none', () => {
    const standing = aCampaign({ kind: 'schedule', scheduleCode: 'WEEKLY' }, { policy: pace });
    const cells = [aTimed(), aTimed()];
    const runs = runsOf(cells, anInput(standing));
    expect(cells.map((cell) => runs.get(cell)?.runs[0]?.dueAt)).toEqual([NINE, NINE]);
  });
});

describe('the finished cell', () => {
  const modeAt = (dueAt: number): ChosenMode => ({ mode: 'immediate', rule: 'SUB_MINUTE', handOffAt: dueAt });
  const finished = (runs: ChunkRun[], cell: Partial<TimedCell> = {}, judged = {}) =>
    plannedCell(aTimed(cell), { runs, ...judged }, modeAt);

  it('goes by its first request that leaves', () => {
    const cell = finished([
      aRun({ count: 2, skipped: 'NIGHT' }),
      aRun({ first: 2, count: 3, dueAt: NINE + 5 * MINUTE, stepMs: MINUTE }),
      aRun({ first: 5, dueAt: NINE + HOUR, skipped: 'DEADLINE' }),
    ]);
    expect(cell).toMatchObject({
      dueAt: NINE + 5 * MINUTE,
      handOffAt: NINE + 5 * MINUTE,
      lastDueAt: NINE + 7 * MINUTE,
      paceMs: 5 * MINUTE,
      chunks: 6,
      localReading: { date: '2027-03-01', time: '09:05', offset: '+09:00' },
    });
    expect(cell.skipped).toBeUndefined();
  });

  it('is left out where all of it is, for the reason of its first', () => {
    const runs = [aRun({ skipped: 'NIGHT' }), aRun({ first: 1, skipped: 'DEADLINE' })];
    expect(finished(runs)).toMatchObject({ skipped: 'NIGHT', dueAt: NINE, chunks: 2 });
    expect(finished(runs, { skipped: 'PASSED_ZONE' }).skipped).toBe('PASSED_ZONE');
  });

  it('has the verdict of the check before send where that found something', () => {
    const night = { kind: 'deferred', to: NINE } as const;
    const quiet = { kind: 'skipped' } as const;
    const outside = { kind: 'outside' } as const;
    expect(finished([aRun()], { night, quiet: night }, { night: outside, quiet })).toMatchObject({
      night,
      quiet,
    });
    expect(finished([aRun()], { night })).toMatchObject({ night, quiet: outside });
  });

  it('says of each chunk when it is due and why it is left out', () => {
    const cell = finished([
      aRun({ count: 4, stepMs: MINUTE, perStep: 2 }),
      aRun({ first: 4, dueAt: NINE + HOUR, skipped: 'DEADLINE' }),
    ]);
    expect([0, 1, 2, 3, 4].map((chunk) => dueOfChunk(cell, chunk))).toEqual([
      { dueAt: NINE },
      { dueAt: NINE },
      { dueAt: NINE + MINUTE },
      { dueAt: NINE + MINUTE },
      { dueAt: NINE + HOUR, skipped: 'DEADLINE' },
    ]);
    expect(dueOfChunk({ ...cell, skipped: 'NIGHT' }, 4).skipped).toBe('NIGHT');
    for (const chunk of [-1, 5]) expect(() => dueOfChunk(cell, chunk)).toThrow(RangeError);
  });
});

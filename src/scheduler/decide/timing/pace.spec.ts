import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellIn,
  iso,
  knowing,
  onlyCell,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Campaign } from '../plan/campaign.js';
import type { ChunkRun, PlannedCell } from '../plan/plan-types.js';
import { dueOfChunk } from '../plan/planned-cell.js';
import { chunkOfRun, Pace, type PacedCell } from './pace.js';
import type { Policy } from './campaign-policy.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user-${index}`);
const dues = (cell: PlannedCell): string[] =>
  Array.from({ length: cell.chunks }, (_, chunk) => {
    const { dueAt, skipped } = dueOfChunk(cell, chunk);
    return skipped ?? iso(dueAt);
  });

describe('pace (planning.md §4)', () => {
  const paced = (
    perMinute: number,
    chunks: number,
    overrides: Partial<Policy> = {},
    delivery: Campaign['delivery'] = { kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' },
  ): PlannedCell =>
    onlyCell(
      aPlan(
        aCampaign(delivery, {
          audience: users(...ids(chunks)),
          policy: { pace: { perMinute }, ...overrides },
        }),
        '2027-02-27T00:00Z',
        { project: aProject({ maxTo: 1 }) },
      ),
    );

  it('puts reservations on whole minutes, as many to each as the pace allows', () => {
    const cell = paced(2, 5);
    expect(dues(cell)).toEqual([
      '2027-03-01T00:00Z',
      '2027-03-01T00:00Z',
      '2027-03-01T00:01Z',
      '2027-03-01T00:01Z',
      '2027-03-01T00:02Z',
    ]);
    expect(cell.runs).toHaveLength(1);
    expect(iso(cell.lastDueAt)).toBe('2027-03-01T00:02Z');
  });

  it('counts what falls into a night that goes to those who consented', () => {
    const ad = (local: string): PlannedCell => {
      const delivery = { kind: 'wall', local, zone: 'Asia/Seoul' } as const;
      const policy = { pace: { perMinute: 2 }, night: 'consented' } as const;
      const campaign = aCampaign(delivery, { audience: users(...ids(7)), messageType: 'AD', policy });
      return onlyCell(aPlan(campaign, '2027-02-27T00:00Z', { project: aProject({ maxTo: 1 }) }));
    };
    expect(ad('2027-03-01T20:58').nightRequests).toBe(3);
    expect(ad('2027-03-01T20:58').night).toEqual({ kind: 'outside' });
    expect(ad('2027-03-01T12:00').nightRequests).toBeUndefined();
  });

  it('spreads what is not reserved within the minute', () => {
    expect(dues(paced(3, 4, { handoff: 'hold' }))).toEqual([
      '2027-03-01T00:00Z',
      '2027-03-01T00:00:20Z',
      '2027-03-01T00:00:40Z',
      '2027-03-01T00:01Z',
    ]);
  });

  it('is one for all zones of the campaign: who is due first goes first', () => {
    const zones = knowing({ 'user-0': 'Asia/Seoul', 'user-1': 'Asia/Tokyo', 'user-2': 'Asia/Tokyo' });
    const campaign = aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00' },
      { audience: users(...ids(3)), policy: { pace: { perMinute: 1 } } },
    );
    const plan = aPlan(campaign, '2027-02-27T00:00Z', { audience: zones, project: aProject({ maxTo: 1 }) });
    expect(dues(cellIn(plan, 'Asia/Seoul'))).toEqual(['2027-03-01T00:00Z']);
    expect(dues(cellIn(plan, 'Asia/Tokyo'))).toEqual(['2027-03-01T00:01Z', '2027-03-01T00:02Z']);
    expect(cellIn(plan, 'Asia/Tokyo').paceMs).toBe(60_000);
  });

  it('defers to the end of the quiet hours what it would push into them, and skips where they skip', () => {
    const quietHours = { startMinute: 9 * 60 + 2, endMinute: 12 * 60, action: 'defer' } as const;
    expect(dues(paced(1, 4, { quietHours }))).toEqual([
      '2027-03-01T00:00Z',
      '2027-03-01T00:01Z',
      '2027-03-01T03:00Z',
      '2027-03-01T03:01Z',
    ]);
    expect(dues(paced(1, 3, { quietHours: { ...quietHours, action: 'skip' } }))).toEqual([
      '2027-03-01T00:00Z',
      '2027-03-01T00:01Z',
      'QUIET_HOURS',
    ]);
  });

  it('skips what it would push past the deadline, and only that', () => {
    const deadline = { months: 0, days: 0, ms: 60_000 };
    const cell = paced(2, 6, { deadline });
    expect(dues(cell)).toEqual([
      '2027-03-01T00:00Z',
      '2027-03-01T00:00Z',
      '2027-03-01T00:01Z',
      '2027-03-01T00:01Z',
      'DEADLINE',
      'DEADLINE',
    ]);
    expect(cell.skipped).toBeUndefined();
  });

  it('starts what is late from now on, not all at once', () => {
    const at = Date.parse('2027-02-26T23:50Z');
    expect(dues(paced(60, 3, {}, { kind: 'instant', at }))).toEqual([
      '2027-02-27T00:00Z',
      '2027-02-27T00:00:01Z',
      '2027-02-27T00:00:02Z',
    ]);
  });

  it('is one queue over all occurrences: the next day in the east does not wait for this day in the far west', () => {
    const zones = knowing({ east: 'Pacific/Kiritimati', west: 'Pacific/Pago_Pago' });
    const campaign = aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00', recurrence: 'FREQ=DAILY;COUNT=3' },
      { audience: users('east', 'west'), policy: { pace: { perMinute: 1 } } },
    );
    const plan = aPlan(campaign, '2027-02-27T00:00Z', { audience: zones });
    expect(plan.occurrences.map(({ cells }) => cells.map(({ dueAt }) => iso(dueAt)))).toEqual([
      ['2027-02-28T19:00Z', '2027-03-01T20:00Z'],
      ['2027-03-01T19:00Z', '2027-03-02T20:00Z'],
      ['2027-03-02T19:00Z', '2027-03-03T20:00Z'],
    ]);
  });

  it('leaves to earlier plans of the campaign the minutes they took, and no more than those', () => {
    const campaign = aCampaign(
      { kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' },
      { audience: users(...ids(4)), policy: { pace: { perMinute: 2 } } },
    );
    const taken = new Map([
      [Date.parse('2027-03-01T00:00Z'), 2],
      [Date.parse('2027-03-01T00:01Z'), 1],
      [Date.parse('2027-03-01T09:00Z'), 2],
    ]);
    const plan = aPlan(campaign, '2027-02-27T00:00Z', { taken, project: aProject({ maxTo: 1 }) });
    expect(dues(onlyCell(plan))).toEqual([
      '2027-03-01T00:01Z',
      '2027-03-01T00:02Z',
      '2027-03-01T00:02Z',
      '2027-03-01T00:03Z',
    ]);
  });

  it('counts from now what goes now, so that it is the same plan at any second of the minute', () => {
    const offsets = (now: string): number[] => {
      const campaign = aCampaign(
        { kind: 'now' },
        { audience: users(...ids(5)), policy: { pace: { perMinute: 3 } } },
      );
      const cell = onlyCell(aPlan(campaign, now, { project: aProject({ maxTo: 1 }) }));
      return [0, 1, 2, 3, 4].map((chunk) => dueOfChunk(cell, chunk).dueAt - Date.parse(now));
    };
    expect(offsets('2027-02-27T00:00:37.123Z')).toEqual([0, 20_000, 40_000, 60_000, 80_000]);
    expect(offsets('2027-02-27T00:00Z')).toEqual([0, 20_000, 40_000, 60_000, 80_000]);
  });
});

const MARCH = Date.parse('2027-03-01T00:00Z');

interface PacedSeed {
  readonly ready: number;
  readonly seconds: number;
  readonly chunks: number;
  readonly wholeMinutes: boolean;
  readonly window: { readonly start: number; readonly length: number } | null;
  readonly deadline: number | null;
}

function pacedCell(seed: PacedSeed, index: number, origin: number): PacedCell {
  const { ready, seconds, chunks, wholeMinutes, window, deadline } = seed;
  const readyAt = MARCH + ready * 60_000 + seconds;
  const outside = { kind: 'outside' } as const;
  const start = MARCH + (window?.start ?? 0) * 60_000;
  const end = start + (window?.length ?? 0) * 60_000;
  return {
    key: `cell-${index % 3}`,
    readyAt: Math.max(readyAt, MARCH + origin),
    chunks,
    deadlineAt: deadline === null ? Infinity : readyAt + deadline * 60_000,
    wholeMinutes,
    judge: (at) =>
      at >= start && at < end
        ? { at: end, night: { kind: 'deferred', to: end }, quiet: outside }
        : { at, night: outside, quiet: outside },
  };
}

function chunksOfRuns(runs: readonly ChunkRun[]): (number | string)[] {
  let next = 0;
  return runs.flatMap((run) => {
    expect(run.first).toBe(next);
    next += run.count;
    return Array.from({ length: run.count }, (_, chunk) => run.skipped ?? chunkOfRun(run, run.first + chunk));
  });
}

/** The same by trying slot after slot: the slots that are taken are the first ones of each minute from the origin on. */
function plainSearch(
  cells: readonly PacedCell[],
  { perMinute, taken, origin }: { perMinute: number; taken: ReadonlyMap<number, number>; origin: number },
): (number | string)[][] {
  const held = new Set<string>();
  for (const [minute, count] of taken) {
    const index = Math.floor((minute + 59_999 - origin) / 60_000);
    for (let slot = 0; slot < count; slot += 1) held.add(`${index} ${slot}`);
  }
  const duesOf = cells.map((): (number | string)[] => []);
  const waiting = cells.map((cell, index) => ({ cell, index, readyAt: cell.readyAt }));
  for (;;) {
    waiting.sort(
      (a, b) => a.readyAt - b.readyAt || a.cell.key.localeCompare(b.cell.key) || a.index - b.index,
    );
    const entry = waiting.shift();
    if (entry === undefined) return duesOf;
    const { cell, index, readyAt } = entry;
    const own = duesOf[index] ?? [];
    const whole = cell.wholeMinutes && readyAt % 60_000 === 0 && origin % 60_000 === 0;
    let at = { minute: Math.floor((readyAt - origin) / 60_000), slot: 0 };
    while (own.length < cell.chunks) {
      const start = origin + at.minute * 60_000;
      const instant = start + Math.floor((at.slot * 60_000) / perMinute);
      if (instant < readyAt || held.has(`${at.minute} ${at.slot}`)) {
        at = at.slot + 1 < perMinute ? { ...at, slot: at.slot + 1 } : { minute: at.minute + 1, slot: 0 };
        continue;
      }
      const due = whole ? start : instant;
      const judged = cell.judge(due).at;
      if (judged > cell.deadlineAt) {
        while (own.length < cell.chunks) own.push('DEADLINE');
      } else if (judged > due) {
        waiting.push({ cell, index, readyAt: judged });
        break;
      } else {
        held.add(`${at.minute} ${at.slot}`);
        own.push(due);
      }
    }
  }
}

describe('the slots of a pace (planning.md §4)', () => {
  it('takes the earliest free slot that is not before ready, whoever came before: as a plain search of all slots does', () => {
    const cell = fc.record({
      ready: fc.nat({ max: 12 }),
      seconds: fc.constantFrom(0, 0, 17_123),
      chunks: fc.integer({ min: 1, max: 12 }),
      wholeMinutes: fc.boolean(),
      // A window that defers, [start, start + length), and how long after ready the deadline is.
      window: fc.option(fc.record({ start: fc.nat({ max: 15 }), length: fc.integer({ min: 1, max: 9 }) })),
      deadline: fc.option(fc.nat({ max: 20 })),
    });
    const taken = fc.array(fc.record({ minute: fc.nat({ max: 20 }), count: fc.integer({ min: 1, max: 9 }) }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(cell, { minLength: 1, maxLength: 8 }),
        taken,
        fc.constantFrom(0, 0, 23_456),
        (perMinute, seeds, takenMinutes, origin) => {
          const cells = seeds.map((seed, index) => pacedCell(seed, index, origin));
          const counts = new Map(takenMinutes.map(({ minute, count }) => [MARCH + minute * 60_000, count]));
          const options = { perMinute, taken: counts, origin: MARCH + origin };
          const found = new Pace(options).spread(cells).map(({ runs }) => chunksOfRuns(runs));
          expect(found).toEqual(plainSearch(cells, options));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never lets more than perMinute fall on a minute, never goes before ready, and loses no chunk', () => {
    const cell = fc.record({
      ready: fc.nat({ max: 20 }),
      seconds: fc.constantFrom(0, 17_123),
      chunks: fc.integer({ min: 1, max: 200 }),
      wholeMinutes: fc.boolean(),
      window: fc.constant(null),
      deadline: fc.constant(null),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.array(cell, { minLength: 1, maxLength: 8 }),
        (most, seeds) => {
          const cells = seeds.map((seed, index) => pacedCell(seed, index, 0));
          const minutes = new Map<number, number>();
          const runs = new Pace({ perMinute: most }).spread(cells).map((paced) => chunksOfRuns(paced.runs));
          for (const [index, { readyAt, chunks }] of cells.entries()) {
            const own = runs[index] ?? [];
            expect(own).toHaveLength(chunks);
            for (const due of own) {
              if (typeof due !== 'number' || due < readyAt) throw new Error(`left out, or too early: ${due}`);
              minutes.set(Math.floor(due / 60_000), (minutes.get(Math.floor(due / 60_000)) ?? 0) + 1);
            }
          }
          expect(Math.max(...minutes.values())).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 100 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkOfRun, Pace, type PacedCell } from './pace.js';
import type { ChunkRun } from '../plan/plan-types.js';

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

/** The same by trying slot after slot: of each minute from the origin on, what is taken is its first slots. */
function plainSearch(
  cells: readonly PacedCell[],
  { perMinute, taken, origin }: { perMinute: number; taken: ReadonlyMap<number, number>; origin: number },
): (number | string)[][] {
  const held = new Set<string>();
  for (const [minute, count] of taken) {
    const index = Math.floor((minute + 59_999 - origin) / 60_000);
    for (let slot = 0; slot < count; slot += 1) held.add(`${index} ${slot}`);
  }
  const dues = cells.map((): (number | string)[] => []);
  const waiting = cells.map((cell, index) => ({ cell, index, readyAt: cell.readyAt }));
  for (;;) {
    waiting.sort(
      (a, b) => a.readyAt - b.readyAt || a.cell.key.localeCompare(b.cell.key) || a.index - b.index,
    );
    const entry = waiting.shift();
    if (entry === undefined) return dues;
    const { cell, index, readyAt } = entry;
    const own = dues[index] ?? [];
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

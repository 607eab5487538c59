// The second half of planning.md §4 for the cells of an occurrence: when each request goes, by the pace or all at once,
// with the second look at night, quiet hours and the deadline; and the finished cell.
import type { TimedCell } from './cell-time.js';
import { readBack } from './local-time.js';
import type { ChosenMode } from './mode.js';
import { chunkOfRun, type Pace, type PacedRuns } from './pace.js';
import type { ChunkRun, PlannedCell, SkipCode } from './planned.js';
import type { EpochMs } from './ports.js';
import { judgeWindows, type WindowRule } from './windows.js';

export interface RunFacts {
  readonly now: EpochMs;
  readonly windows: readonly WindowRule[];
  readonly pacer: Pace | undefined;
  readonly chunksOf: (cell: TimedCell) => number;
  readonly isReserved: (dueAt: EpochMs) => boolean;
}

/** The runs of every cell, by its key. */
export function runsOf(cells: readonly TimedCell[], facts: RunFacts): Map<string, PacedRuns> {
  const { now, windows, pacer, chunksOf, isReserved } = facts;
  const runs = new Map<string, PacedRuns>();
  const going: TimedCell[] = [];
  for (const cell of cells) {
    if (cell.skipped === undefined && cell.expired === undefined) going.push(cell);
    else runs.set(cell.base.key, { runs: [wholeRun(cell.dueAt, chunksOf(cell), cell.skipped)] });
  }
  if (pacer === undefined) {
    for (const cell of going) runs.set(cell.base.key, secondLook(cell, windows, chunksOf(cell)));
    return runs;
  }
  const paced = pacer.spread(
    going.map((cell) => ({
      key: cell.base.key,
      // What is late goes from now on, not all at once.
      readyAt: Math.max(cell.dueAt, now),
      chunks: chunksOf(cell),
      deadlineAt: cell.deadlineAt,
      wholeMinutes: isReserved(cell.dueAt),
      judge: (instant) => judgeWindows(instant, cell.table, windows, cell.deadlineAt),
    })),
  );
  return new Map([...runs, ...paced]);
}

/** Only jitter can have moved an unpaced cell into a window since the first look. */
function secondLook(cell: TimedCell, windows: readonly WindowRule[], chunks: number): PacedRuns {
  if (cell.jitterMs === 0) return { runs: [wholeRun(cell.dueAt, chunks)] };
  const { at, night, quiet, skipped } = judgeWindows(cell.dueAt, cell.table, windows, cell.deadlineAt);
  const late = at > cell.deadlineAt ? ('DEADLINE' as const) : undefined;
  return { runs: [wholeRun(at, chunks, skipped ?? late)], night, quiet };
}

function wholeRun(dueAt: EpochMs, count: number, skipped?: SkipCode): ChunkRun {
  return { first: 0, count, dueAt, stepMs: 0, perStep: 1, ...(skipped === undefined ? {} : { skipped }) };
}

/** The cell as it is stored and shown. Its mode and hand-off are those of its first request that leaves. */
export function plannedCell(
  cell: TimedCell,
  paced: PacedRuns | undefined,
  modeAt: (dueAt: EpochMs) => ChosenMode,
): PlannedCell {
  const runs = paced?.runs ?? [];
  const leaving = runs.filter((run) => run.skipped === undefined);
  const [firstRun] = leaving.length > 0 ? leaving : runs;
  const lastRun = leaving.at(-1) ?? firstRun;
  const dueAt = firstRun?.dueAt ?? cell.dueAt;
  const chosen = modeAt(dueAt);
  const skipped = cell.skipped ?? (leaving.length === 0 ? firstRun?.skipped : undefined);
  const { base } = cell;
  // Member by member: spreading base and the optional members here made planning twice as slow as all the rest of it.
  const planned: { -readonly [Member in keyof PlannedCell]: PlannedCell[Member] } = {
    key: base.key,
    zone: base.zone,
    zoneSource: base.zoneSource,
    segment: base.segment,
    deviceType: base.deviceType,
    country: base.country,
    target: base.target,
    askedLocal: cell.askedLocal,
    localReading: readBack(dueAt, cell.table),
    intendedAt: cell.intendedAt,
    dueAt,
    lastDueAt: lastRun === undefined ? dueAt : chunkOfRun(lastRun, lastRun.first + lastRun.count - 1),
    dst: cell.dst,
    passed: cell.passed,
    night: later(cell.night, paced?.night),
    quiet: later(cell.quiet, paced?.quiet),
    jitterMs: cell.jitterMs,
    paceMs: Math.max(0, dueAt - cell.dueAt),
    deadlineAt: cell.deadlineAt,
    mode: chosen.mode,
    rule: chosen.rule,
    handOffAt: chosen.handOffAt,
    chunks: runs.reduce((sum, run) => sum + run.count, 0),
    runs,
  };
  if (base.reason !== undefined) planned.reason = base.reason;
  if (base.recipients !== undefined) planned.recipients = base.recipients;
  if (skipped !== undefined) planned.skipped = skipped;
  if (cell.expired !== undefined) planned.expired = cell.expired;
  return planned;
}

/** The second look overrules the first only where it saw something. */
function later(first: PlannedCell['night'], second: PlannedCell['night'] | undefined): PlannedCell['night'] {
  return second === undefined || second.kind === 'outside' ? first : second;
}

/** When a chunk of a planned cell is due, and whether it is left out. */
export function dueOfChunk(cell: PlannedCell, chunk: number): { dueAt: EpochMs; skipped?: SkipCode } {
  const run = cell.runs.find(({ first, count }) => chunk >= first && chunk < first + count);
  if (run === undefined) throw new RangeError(`cell ${cell.key} has no chunk ${chunk}`);
  const skipped = cell.skipped ?? run.skipped;
  return { dueAt: chunkOfRun(run, chunk), ...(skipped === undefined ? {} : { skipped }) };
}

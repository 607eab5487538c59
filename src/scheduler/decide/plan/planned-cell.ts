// The second half of planning.md §4 for the cells of all occurrences: when each request goes, by the pace or all at once,
// with the second look at night, quiet hours and the deadline; and the finished cell.
import { readBack } from '../timing/local-time.js';
import type { ChosenMode } from '../timing/mode.js';
import { chunkOfRun, Pace, type PacedCell, type PacedRuns, type PaceOptions } from '../timing/pace.js';
import type { ChunkRun, PlannedCell, SkipCode, TimedCell } from './plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { judgeWindows, type WindowRule } from '../timing/windows.js';

export interface RunFacts {
  readonly now: EpochMs;
  readonly windows: readonly WindowRule[];
  /** Undefined: all at once. */
  readonly pace: Omit<PaceOptions, 'origin'> | undefined;
  /** It is paced from its own instant on, not by the clock's minutes. */
  readonly goesNow: boolean;
  readonly chunksOf: (cell: TimedCell) => number;
  /** Whether its requests may be reserved, by what was asked. */
  readonly wholeMinutes: (cell: TimedCell) => boolean;
}

/** The runs of every cell. A pace is one queue over all of them, of whatever occurrence. */
export function runsOf(cells: readonly TimedCell[], facts: RunFacts): Map<TimedCell, PacedRuns> {
  const { now, windows, pace, chunksOf, wholeMinutes } = facts;
  const runs = new Map<TimedCell, PacedRuns>();
  const going: TimedCell[] = [];
  for (const cell of cells) {
    if (cell.skipped === undefined && cell.expired === undefined) going.push(cell);
    else runs.set(cell, { runs: [wholeRun(cell.dueAt, chunksOf(cell), cell.skipped)] });
  }
  if (pace === undefined) {
    for (const cell of going) runs.set(cell, checkBeforeSend(cell, windows, chunksOf(cell)));
    return runs;
  }
  const ready = going.map((cell): PacedCell => ({
    key: cell.base.key,
    // What is late goes from now on, not all at once.
    readyAt: Math.max(cell.dueAt, now),
    chunks: chunksOf(cell),
    deadlineAt: cell.deadlineAt,
    wholeMinutes: wholeMinutes(cell),
    judge: (instant) => judgeWindows(instant, cell.table, windows, cell.deadlineAt),
  }));
  const origin = facts.goesNow ? (ready[0]?.readyAt ?? 0) : 0;
  const paced = new Pace({ ...pace, origin }).spread(ready);
  for (const [index, cell] of going.entries()) runs.set(cell, paced[index] ?? { runs: [] });
  return runs;
}

/** Only jitter can have moved an unpaced cell into a window since the first look. */
function checkBeforeSend(cell: TimedCell, windows: readonly WindowRule[], chunks: number): PacedRuns {
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
  { runs, night, quiet }: PacedRuns,
  modeAt: (dueAt: EpochMs) => ChosenMode,
): PlannedCell {
  const leaving = runs.filter((run) => run.skipped === undefined);
  const [firstRun] = leaving.length > 0 ? leaving : runs;
  const lastRun = leaving.at(-1) ?? firstRun;
  const dueAt = firstRun?.dueAt ?? cell.dueAt;
  const chosen = modeAt(dueAt);
  const skipped = cell.skipped ?? firstRun?.skipped;
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
    night: later(cell.night, night),
    quiet: later(cell.quiet, quiet),
    jitterMs: cell.jitterMs,
    paceMs: Math.max(0, dueAt - cell.dueAt),
    deadlineAt: cell.deadlineAt,
    mode: chosen.mode,
    rule: chosen.rule,
    handOffAt: chosen.handOffAt,
    chunks: runs.reduce((sum, run) => sum + run.count, 0),
    runs,
  };
  if (cell.dstLocal !== undefined) planned.dstLocal = cell.dstLocal;
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

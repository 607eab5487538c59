// The second half of planning.md §4, for the cells of all occurrences: decides when each request goes, by the pace or all at once;
// checks night, quiet hours and the deadline a second time; and makes the finished cell.
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { readBack } from '../timing/local-time.js';
import type { ChosenMode } from '../timing/send-mode.js';
import { chunkOfRun, Pace, type PacedCell, type PacedRuns } from '../timing/pace.js';
import { judgeWindows, windowRules, type WindowRule } from '../timing/window-rules.js';
import {
  leaves,
  type CellBase,
  type ChunkRun,
  type PlanInput,
  type PlannedCell,
  type SkipCode,
  type TimedCell,
} from './plan-types.js';

/** A standing message is fired by the push service's own schedule, so no window of ours can be kept. */
export function windowsOf({ delivery, messageType, policy }: PlanInput['campaign']): readonly WindowRule[] {
  return delivery.kind === 'schedule' ? [] : windowRules(messageType, policy);
}

/** USER ids in chunks of the project's maxTo; CHANNEL and ALL are one request (planning.md §1). */
export function chunksOf({ target, recipients = 0 }: CellBase, { project }: PlanInput): number {
  return target.type === 'USER' ? Math.ceil(recipients / project.maxTo) : 1;
}

/**
 * Whether jitter and pace move the cell by whole minutes, as reservations need. This depends on what was asked, never on the mode
 * that fits now, or the plan would change with the minute in which it is made. A cell that goes now, or is late, is not reserved.
 */
export function wholeMinutes({ campaign, project, now }: PlanInput, cell: TimedCell): boolean {
  if (campaign.policy.handoff !== 'reserve' || !project.reservations) return false;
  if (campaign.delivery.kind === 'now' || cell.passed.kind === 'sent-now' || cell.dueAt < now) return false;
  return cell.dueAt % MINUTE_MS === 0;
}

/** The runs of every cell. A pace is one queue over the cells of all occurrences. */
export function runsOf(cells: readonly TimedCell[], input: PlanInput): Map<TimedCell, PacedRuns> {
  const { campaign, now, taken } = input;
  const { delivery, policy } = campaign;
  const windows = windowsOf(campaign);
  const pace = delivery.kind === 'schedule' ? null : policy.pace;
  const runs = new Map<TimedCell, PacedRuns>();
  const leaving: TimedCell[] = [];
  for (const cell of cells) {
    const chunks = chunksOf(cell.base, input);
    const whole: ChunkRun = { ...wholeRun(cell.dueAt, chunks, cell.skipped), ...fromNow(cell, input) };
    if (!leaves(cell)) runs.set(cell, { runs: [whole] });
    else if (pace === null) runs.set(cell, checkAgain(cell, windows, whole));
    else leaving.push(cell);
  }
  if (pace === null) return runs;
  const ready = leaving.map((cell): PacedCell => ({
    key: cell.base.key,
    // Late cells are paced from now on; they do not go all at once.
    readyAt: Math.max(cell.dueAt, now),
    chunks: chunksOf(cell.base, input),
    deadlineAt: cell.deadlineAt,
    wholeMinutes: wholeMinutes(input, cell),
    fromNow: cell.dueAt < now || fromNow(cell, input).fromNow === true,
    judge: (instant) => judgeWindows(instant, cell.table, windows, cell.deadlineAt),
  }));
  // A delivery of kind `now` is paced from its own instant on, not by the clock's minutes.
  const origin = delivery.kind === 'now' ? (ready[0]?.readyAt ?? 0) : 0;
  const paced = new Pace({ ...pace, taken, origin }).spread(ready);
  for (const [index, cell] of leaving.entries()) runs.set(cell, paced[index] ?? { runs: [] });
  return runs;
}

/** Checks an unpaced cell again: since the first check, only jitter can have moved it into a window. */
function checkAgain(cell: TimedCell, windows: readonly WindowRule[], whole: ChunkRun): PacedRuns {
  if (cell.jitterMs === 0) return { runs: [whole] };
  const { at, night, quiet, skipped } = judgeWindows(cell.dueAt, cell.table, windows, cell.deadlineAt);
  const late = at > cell.deadlineAt ? 'DEADLINE' : undefined;
  const run = { ...whole, dueAt: at, skipped: skipped ?? late };
  return { runs: [at === cell.dueAt ? run : { ...run, fromNow: undefined }], night, quiet };
}

/** A cell that goes "now" is due at another instant in every planning, unless something deferred it to a fixed instant. */
function fromNow(cell: TimedCell, { campaign, now }: PlanInput): Pick<ChunkRun, 'fromNow'> {
  const { kind } = campaign.delivery;
  const goesNow = kind === 'now' || kind === 'schedule' || cell.passed.kind === 'sent-now';
  return goesNow && cell.dueAt - cell.jitterMs === now ? { fromNow: true } : {};
}

function wholeRun(dueAt: EpochMs, count: number, skipped?: SkipCode): ChunkRun {
  return { first: 0, count, dueAt, stepMs: 0, perStep: 1, skipped };
}

/** The cell as it is stored and shown. Its mode and hand-off are those of its first request that leaves. */
export function plannedCell(
  cell: TimedCell,
  { runs, night, quiet, nightRequests }: PacedRuns,
  modeAt: (dueAt: EpochMs) => ChosenMode,
): PlannedCell {
  const leaving = runs.filter((run) => run.skipped === undefined);
  const [firstRun] = leaving.length > 0 ? leaving : runs;
  const lastRun = leaving.at(-1) ?? firstRun;
  const dueAt = firstRun?.dueAt ?? cell.dueAt;
  const chosen = modeAt(dueAt);
  const { base } = cell;
  // Member by member: spreading base and the optional members made planning twice as slow as all the rest of it.
  return {
    key: base.key,
    zone: base.zone,
    zoneSource: base.zoneSource,
    segment: base.segment,
    deviceType: base.deviceType,
    country: base.country,
    reason: base.reason,
    target: base.target,
    recipients: base.recipients,
    askedLocal: cell.askedLocal,
    localReading: readBack(dueAt, cell.table),
    intendedAt: cell.intendedAt,
    dueAt,
    lastDueAt: lastRun === undefined ? dueAt : chunkOfRun(lastRun, lastRun.first + lastRun.count - 1),
    dst: cell.dst,
    dstLocal: cell.dstLocal,
    passed: cell.passed,
    night: later(cell.night, night),
    quiet: later(cell.quiet, quiet),
    jitterMs: cell.jitterMs,
    paceMs: Math.max(0, dueAt - cell.dueAt),
    nightRequests,
    deadlineAt: cell.deadlineAt,
    mode: chosen.mode,
    rule: chosen.rule,
    handOffAt: chosen.handOffAt,
    chunks: runs.reduce((sum, run) => sum + run.count, 0),
    runs,
    skipped: cell.skipped ?? firstRun?.skipped,
    expired: cell.expired,
    late: cell.late,
  };
}

/** The second check overrules the first only where it found something. */
function later(first: PlannedCell['night'], second: PlannedCell['night'] | undefined): PlannedCell['night'] {
  return second === undefined || second.kind === 'outside' ? first : second;
}

/** When a chunk of a planned cell is due, and, if it is left out, why. */
export function dueOfChunk(cell: PlannedCell, chunk: number): Pick<ChunkRun, 'dueAt' | 'skipped'> {
  const run = cell.runs.find(({ first, count }) => chunk >= first && chunk < first + count);
  if (run === undefined) throw new RangeError(`cell ${cell.key} has no chunk ${chunk}`);
  return { dueAt: chunkOfRun(run, chunk), skipped: cell.skipped ?? run.skipped };
}

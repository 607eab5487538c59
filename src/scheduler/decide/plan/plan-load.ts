// The load of a plan on the push API, minute by minute, against the project's rate (planning.md §9). For display only: the
// dispatcher keeps to the rate, whatever is planned.
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import { leaves, type MinuteLoad, type PlannedCell } from './plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

interface PlanLoad {
  readonly minutes: readonly MinuteLoad[];
  /** When the last request has left at that rate; null where there are no requests. */
  readonly drainedAt: EpochMs | null;
}

export function loadOf(cells: Iterable<PlannedCell>, ratePerSecond: number): PlanLoad {
  const requests = new Map<EpochMs, number>();
  const add = (at: EpochMs, count: number): void => {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    requests.set(minute, (requests.get(minute) ?? 0) + count);
  };
  for (const cell of cells) if (leaves(cell)) addCell(cell, add);

  const perMinute = ratePerSecond * 60;
  const minutes: MinuteLoad[] = [];
  let backlog = 0;
  let previous = -Infinity;
  for (const [minute, count] of [...requests].sort(([a], [b]) => a - b)) {
    // Minutes without requests of their own still reduce the backlog.
    backlog = Math.max(0, backlog - Math.max(0, (minute - previous) / MINUTE_MS - 1) * perMinute);
    backlog = Math.max(0, backlog + count - perMinute);
    minutes.push({ minute, requests: count, backlog });
    previous = minute;
  }
  const last = minutes.at(-1);
  if (last === undefined) return { minutes, drainedAt: null };
  const lastMinuteMs = backlog > 0 ? MINUTE_MS : (last.requests / ratePerSecond) * 1_000;
  return {
    minutes,
    drainedAt: last.minute + Math.ceil(Math.min(lastMinuteMs, MINUTE_MS) + (backlog / ratePerSecond) * 1_000),
  };
}

/** Calls `add` with every instant at which requests of the cell are handed off, and how many. */
export function addCell(cell: PlannedCell, add: (at: EpochMs, count: number) => void): void {
  for (const run of cell.runs) {
    if (run.skipped !== undefined) continue;
    // The request of a reservation leaves at its hand-off; one that is sent at due leaves at its chunk's due.
    if (cell.mode !== 'immediate' || run.stepMs === 0) {
      add(cell.mode === 'immediate' ? Math.max(run.dueAt, cell.handOffAt) : cell.handOffAt, run.count);
      continue;
    }
    for (let chunk = 0; chunk < run.count; chunk += run.perStep) {
      add(
        run.dueAt + Math.floor((chunk / run.perStep) * run.stepMs),
        Math.min(run.perStep, run.count - chunk),
      );
    }
  }
}

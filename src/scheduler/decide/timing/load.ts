// What a plan asks of the push API minute by minute, against the project's rate (planning.md §9). For showing only:
// the dispatcher keeps the rate, whatever is planned.
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import type { MinuteLoad, PlannedCell } from '../plan/plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface PlanLoad {
  readonly minutes: readonly MinuteLoad[];
  /** When the last request has left at that rate; null for none. */
  readonly drainedAt: EpochMs | null;
}

export function loadOf(cells: Iterable<PlannedCell>, ratePerSecond: number): PlanLoad {
  const requests = new Map<EpochMs, number>();
  const add = (at: EpochMs, count: number): void => {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    requests.set(minute, (requests.get(minute) ?? 0) + count);
  };
  for (const cell of cells) if (cell.skipped === undefined && cell.expired === undefined) addCell(cell, add);

  const perMinute = ratePerSecond * 60;
  const minutes: MinuteLoad[] = [];
  let backlog = 0;
  let previous = -Infinity;
  for (const [minute, count] of [...requests].sort(([a], [b]) => a - b)) {
    // Minutes without requests of their own still work off what is behind.
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

function addCell(cell: PlannedCell, add: (at: EpochMs, count: number) => void): void {
  for (const run of cell.runs) {
    if (run.skipped !== undefined) continue;
    // A reservation's request leaves at its hand-off; whatever is sent at due leaves with its own chunk.
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

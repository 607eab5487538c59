// Jitter (planning.md §4): zones that fall on the same instant are spread over a length of time, evenly and always in
// the same way, so that a re-plan finds every zone where it was.
import { MINUTE_MS } from './civil.js';
import type { TimedCell } from './cell-time.js';

/**
 * Of n zones on one instant the k-th in order of name moves by k/n of the jitter; the first stays. All cells of a zone
 * move together. A cell that would be reserved moves by whole minutes, rounded down, for reservations have no seconds.
 */
export function spreadZones(
  cells: readonly TimedCell[],
  jitterMs: number,
  isReserved: (cell: TimedCell) => boolean,
): TimedCell[] {
  if (jitterMs === 0) return [...cells];
  const zonesAt = new Map<number, Set<string>>();
  for (const { dueAt, base, skipped, expired } of cells) {
    if (skipped !== undefined || expired !== undefined) continue;
    zonesAt.set(dueAt, (zonesAt.get(dueAt) ?? new Set()).add(base.zone));
  }
  const ranks = new Map([...zonesAt].map(([dueAt, zones]) => [dueAt, [...zones].sort()]));
  return cells.map((cell) => {
    const zones = ranks.get(cell.dueAt) ?? [];
    const rank = zones.indexOf(cell.base.zone);
    if (cell.skipped !== undefined || cell.expired !== undefined || rank <= 0) return cell;
    const exact = Math.floor((jitterMs * rank) / zones.length);
    const moved = isReserved(cell) ? exact - (exact % MINUTE_MS) : exact;
    return { ...cell, dueAt: cell.dueAt + moved, jitterMs: moved };
  });
}

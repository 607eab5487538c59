// Jitter (planning.md §4): zones that share an instant are spread over a length of time. Each zone's place depends only on
// its name, so a re-plan, or a preview an hour earlier, puts every zone at the same place (docs/decisions/0010).
import { createHash } from 'node:crypto';
import type { TimedCell } from '../plan/plan-types.js';
import { MINUTE_MS } from '../../../zone-rules/civil.js';

/**
 * Moves every zone by its own fixed fraction of the jitter, and all cells of a zone together. It makes no difference which other
 * zones share the instant, or have passed. Where `wholeMinutes` says so, the move is rounded down to whole minutes, because
 * reservations have no seconds.
 */
export function spreadZones(
  cells: readonly TimedCell[],
  jitterMs: number,
  wholeMinutes: (cell: TimedCell) => boolean,
): readonly TimedCell[] {
  if (jitterMs === 0) return cells;
  const places = new Map<string, number>();
  return cells.map((cell) => {
    if (cell.skipped !== undefined || cell.expired !== undefined) return cell;
    const { zone } = cell.base;
    const place = places.get(zone) ?? placeOf(zone);
    places.set(zone, place);
    const exact = Math.floor(jitterMs * place);
    const moved = wholeMinutes(cell) ? exact - (exact % MINUTE_MS) : exact;
    return { ...cell, dueAt: cell.dueAt + moved, jitterMs: moved };
  });
}

/** The fraction of any jitter by which a zone moves: from 0 to below 1, evenly spread over zones, and always the same for a zone. */
export function placeOf(zone: string): number {
  return createHash('sha256').update(zone).digest().readUInt32BE() / 2 ** 32;
}

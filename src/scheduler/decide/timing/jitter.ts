// Jitter (planning.md §4): zones that fall on the same instant are spread over a length of time, each by its name alone,
// so that a re-plan, and a preview an hour earlier, find every zone where it was (docs/decisions/0010).
import { createHash } from 'node:crypto';
import type { TimedCell } from '../plan/plan-types.js';
import { MINUTE_MS } from '../../../zone-rules/civil.js';

/**
 * Every zone moves by its own part of the jitter, always the same, and all cells of a zone together: which zones share
 * an instant, or have passed, changes nothing for the others. Where `wholeMinutes` says so it moves by whole minutes,
 * rounded down, for reservations have no seconds.
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

/** Where a zone stands in any jitter: from 0 to below 1, as good as at random, and the same for ever. */
export function placeOf(zone: string): number {
  return createHash('sha256').update(zone).digest().readUInt32BE() / 2 ** 32;
}

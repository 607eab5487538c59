// How finely rollups are kept: with age their minutes become whole hours, then whole days (docs/decisions/0054). Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const DAY_MS = 86_400_000;

/** In the order in which a minute becomes them. */
export const COARSE_UNITS = ['hour', 'day'] as const;
export type CoarseUnit = (typeof COARSE_UNITS)[number];

/** The age from which on rows are kept by the unit. */
const AGE_MS: Readonly<Record<CoarseUnit, number>> = { hour: 90 * DAY_MS, day: 366 * DAY_MS };

/** The beginning of a day: what was due before it is kept by this unit, or is about to be. */
export function coarseBefore(unit: CoarseUnit, now: EpochMs): EpochMs {
  return Math.floor((now - AGE_MS[unit]) / DAY_MS) * DAY_MS;
}

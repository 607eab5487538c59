// At which age the minutes of rollups become whole hours, and then whole days (docs/decisions/0054). Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const DAY_MS = 86_400_000;

/** In order of age. */
export const COARSE_UNITS = ['hour', 'day'] as const;
export type CoarseUnit = (typeof COARSE_UNITS)[number];

/** Rows of this age and older are kept by the unit, milliseconds. */
const AGE_MS: Readonly<Record<CoarseUnit, number>> = { hour: 90 * DAY_MS, day: 366 * DAY_MS };

/** The beginning of a day: rows that were due before it are kept by this unit, or soon will be. */
export function coarseBefore(unit: CoarseUnit, now: EpochMs): EpochMs {
  return Math.floor((now - AGE_MS[unit]) / DAY_MS) * DAY_MS;
}

// How often and over how long a planning that fails is tried, before it is given up as PLANNING_FAILED. Pure.

export const PLANNING_FAILED = 'PLANNING_FAILED';

/** The first try included. */
export const PLANNING_TRIES = 10;
/** From the first try to the last. */
const TRIED_FOR_MS = 30 * 60_000;

/** Each wait is twice the one before; all of them together are as long as it is tried. */
export const FIRST_PLANNING_WAIT_MS = TRIED_FOR_MS / (2 ** (PLANNING_TRIES - 1) - 1);
/** Counted from 0: so often the first wait is doubled at the most. */
export const MOST_DOUBLINGS = PLANNING_TRIES - 2;

// How often, and for how long, a failing planning is tried before it is given up as PLANNING_FAILED. Pure.

export const PLANNING_FAILED = 'PLANNING_FAILED';

/** Including the first try. */
export const PLANNING_TRIES = 10;
/** From the first try to the last. */
const TRIED_FOR_MS = 30 * 60_000;

/** Each wait is twice as long as the one before; together they last TRIED_FOR_MS. */
export const FIRST_PLANNING_WAIT_MS = TRIED_FOR_MS / (2 ** (PLANNING_TRIES - 1) - 1);
/** How often the first wait is doubled at most. */
export const MOST_DOUBLINGS = PLANNING_TRIES - 2;

// How long a project is let be after a 429 (life-of-a-send.md, "What an answer means"), whoever heard it. Pure.

/** Without Retry-After. Of a quota nobody says when its window ends, so it is tried again now and then. */
const REST_MS = { throttled: 1_000, quota: 15 * 60_000 } as const;

/** Longer than any window of a rate or quota; whatever asks for more is tried again then. */
const LONGEST_REST_MS = 86_400_000;

/** Milliseconds. */
export function throttledRestMs(cause: keyof typeof REST_MS, retryAfterMs: number | undefined): number {
  return Math.min(retryAfterMs ?? REST_MS[cause], LONGEST_REST_MS);
}

/**
 * A rest is held in memory no longer, milliseconds: by then its row in the database holds it back, and an operator who
 * starts the project early is seen.
 */
export const LONGEST_HELD_MS = 5_000;

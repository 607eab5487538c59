// How long a project is let be after a 429 (life-of-a-send.md, "What an answer means"), whoever heard it. Pure.

/** Without Retry-After. Of a quota nobody says when its window ends, so it is tried again now and then. */
const REST_MS = { throttled: 1_000, quota: 15 * 60_000 } as const;

/** Milliseconds. */
export function throttledRestMs(cause: keyof typeof REST_MS, retryAfterMs: number | undefined): number {
  return retryAfterMs ?? REST_MS[cause];
}

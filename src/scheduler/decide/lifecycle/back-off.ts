// When to try again what is known not to have been sent (life-of-a-send.md, "What an answer means"). Pure: chance is a
// parameter. It never decides whether a repeat is allowed at all.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const BASE_MS = 1_000;
/** No wait of ours is longer; a Retry-After may be. */
export const LONGEST_WAIT_MS = 60_000;
/** And no Retry-After is honoured beyond this: lateness and deadlines are judged when it is tried again. */
const LONGEST_ASKED_MS = 300_000;

export interface FailedAttempt {
  /** How many attempts failed so far, this one included: 1 for the first. */
  readonly failures: number;
  readonly now: EpochMs;
  /** [0, 1): where in the upper half of the wait this one falls. */
  readonly random: number;
  /** Retry-After of the answer, milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** No automatic repeat goes beyond it (planning.md §4). */
  readonly deadlineAt: EpochMs;
}

export type NextAttempt = { readonly kind: 'at'; readonly at: EpochMs } | { readonly kind: 'deadline' };

/**
 * The wait doubles with each failure up to the cap; half of it is drawn, so a crowd that failed together does not come
 * back together. A longer Retry-After is honoured, with the drawn part on top for the same reason.
 */
export function nextAttempt(failed: FailedAttempt): NextAttempt {
  const full = Math.min(BASE_MS * 2 ** Math.min(failed.failures - 1, 30), LONGEST_WAIT_MS);
  const drawn = (full / 2) * failed.random;
  const asked = Math.min(failed.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  const at = failed.now + Math.ceil(Math.max(full / 2, asked) + drawn);
  return at > failed.deadlineAt ? { kind: 'deadline' } : { kind: 'at', at };
}

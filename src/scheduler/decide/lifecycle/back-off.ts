// When to retry a request that is known not to have been sent (hand-off.md, "What an answer means"). Pure: the random
// number is a parameter. Does not decide whether a repeat is allowed.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

const BASE_MS = 1_000;
/** Our own waits are at most this long; a Retry-After may be longer. */
export const LONGEST_WAIT_MS = 60_000;
/** A Retry-After is honoured up to this: lateness and deadlines are judged at the next attempt. */
const LONGEST_ASKED_MS = 300_000;

export interface FailedAttempt {
  /** How many attempts have failed, including this one. */
  readonly failures: number;
  readonly now: EpochMs;
  /** From 0 to below 1: the position in the upper half of the wait. */
  readonly random: number;
  /** The Retry-After of the answer, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** No automatic repeat is made after it (planning.md §4). */
  readonly deadlineAt: EpochMs;
}

type NextAttempt = { readonly kind: 'at'; readonly at: EpochMs } | { readonly kind: 'deadline' };

/**
 * The wait doubles with each failure up to the cap. Half of it is random, so that sends that failed together are not retried
 * together. A longer Retry-After is honoured, plus the random part for the same reason.
 */
export function nextAttempt(failed: FailedAttempt): NextAttempt {
  const full = Math.min(BASE_MS * 2 ** Math.min(failed.failures - 1, 30), LONGEST_WAIT_MS);
  const jitter = (full / 2) * failed.random;
  const asked = Math.min(failed.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  const at = failed.now + Math.ceil(Math.max(full / 2, asked) + jitter);
  return at > failed.deadlineAt ? { kind: 'deadline' } : { kind: 'at', at };
}

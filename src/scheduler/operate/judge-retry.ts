// Whether a send may be retried at all, by what we know of it: one judgement for a single retry and for many. Pure; what
// the push service knows is asked elsewhere.
import { isCanceled } from '../decide/campaign-lifecycle.js';
import { RETRYABLE_STATES } from '../decide/send.js';
import type { RetryCandidate } from '../store/retry.store.js';

export interface RetryRefusal {
  /** Stable. */
  readonly code: string;
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** undefined: it may. `maxRetries` is its project's. */
export function refuseRetry(found: RetryCandidate, maxRetries: number): RetryRefusal | undefined {
  if (isCanceled(found.campaignState)) {
    return { code: 'CAMPAIGN_CANCELED', text: 'its campaign is canceled' };
  }
  // Not specified (life of a send, Campaign and occurrence): a cancelled occurrence is as final as a cancelled campaign.
  if (isCanceled(found.occurrenceState)) {
    return { code: 'OCCURRENCE_CANCELED', text: 'its occurrence is canceled' };
  }
  if (!found.newest) return ALREADY_RETRIED;
  if (!(RETRYABLE_STATES as readonly string[]).includes(found.state)) {
    return {
      code: 'NOT_RETRYABLE',
      text: `it is ${found.state}; only ${RETRYABLE_STATES.join(', ')} are retried`,
      details: { state: found.state },
    };
  }
  if (found.retries >= maxRetries) {
    return {
      code: 'MAX_RETRIES',
      text: `it was retried ${found.retries} times, and its project allows ${maxRetries}`,
    };
  }
  return undefined;
}

/** Another retry took its chunk. */
export const ALREADY_RETRIED: RetryRefusal = {
  code: 'ALREADY_RETRIED',
  text: 'it was retried already; retry the newest send of its chunk',
};

/** Its result is asked for once more first: of failed and stale alone, for the others were never taken. */
export function mayHaveArrived({ state, requestId }: RetryCandidate): boolean {
  return (state === 'failed' || state === 'stale') && requestId !== null;
}

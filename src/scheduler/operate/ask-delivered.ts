// Asks the push service how many devices got a send, before anybody may send it again. Never changes anything.
import type { PushApi } from '../decide/push-api.js';
import { readResult } from '../decide/read-result.js';

export type Delivered =
  | { readonly kind: 'final'; readonly sentCount: number }
  | { readonly kind: 'pending' }
  /** It answered 429: nothing was looked up. */
  | { readonly kind: 'throttled'; readonly detail: string; readonly retryAfterMs?: number }
  | { readonly kind: 'unread'; readonly detail: string };

export type AskDelivered = (serviceId: string, requestId: string) => Promise<Delivered>;

/** A 404 counts as nobody: the push service knows of no such request. */
export function askDelivered(pushApi: PushApi): AskDelivered {
  return async (serviceId, requestId) => {
    const answer = await pushApi.result(serviceId, requestId);
    if (answer.kind === 'answered' && answer.status === 404) return { kind: 'final', sentCount: 0 };
    if (answer.kind === 'answered' && answer.status === 429) {
      const { retryAfterMs } = answer;
      return { kind: 'throttled', detail: '429', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    }
    const reading = readResult(answer);
    if (reading.kind === 'final') return { kind: 'final', sentCount: reading.sentCount ?? 0 };
    return reading.kind === 'pending' ? { kind: 'pending' } : { kind: 'unread', detail: reading.detail };
  };
}

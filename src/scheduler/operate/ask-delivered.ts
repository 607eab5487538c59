// Asks the push service how many devices got a send, before anybody may send it again. Changes nothing.
import type { PushApi } from '../push-client/push-api.js';
import { readResult } from '../push-client/answers/read-result.js';
import type { NotCalled, ProjectCalls } from '../push-client/project-calls.js';

export type Delivered =
  | { readonly kind: 'final'; readonly sentCount: number }
  | { readonly kind: 'pending' }
  | { readonly kind: 'unread'; readonly detail: string }
  /** There is no result: no turn came, or the project is blocked, perhaps by this very answer. */
  | NotCalled;

export type AskDelivered = (serviceId: string, requestId: string) => Promise<Delivered>;

/** A 404 means that nobody got it: the push service knows no such request. */
export function askDelivered(pushApi: PushApi, calls: ProjectCalls, use: 'retry' | 'retries'): AskDelivered {
  return async (serviceId, requestId) => {
    const called = await calls.call(serviceId, use, () => pushApi.result(serviceId, requestId));
    if (called.kind !== 'called') return called;
    // This answer itself blocked the project: the caller gets the block as the reason.
    const blocked = called.reading.kind === 'blocked' ? await calls.heldBack(serviceId, use) : undefined;
    if (blocked !== undefined) return blocked;
    const { answer } = called;
    if (answer.kind === 'answered' && answer.status === 404) return { kind: 'final', sentCount: 0 };
    const reading = readResult(answer);
    if (reading.kind === 'final') return { kind: 'final', sentCount: reading.sentCount ?? 0 };
    return reading.kind === 'pending' ? { kind: 'pending' } : { kind: 'unread', detail: reading.detail };
  };
}

// The Idempotency-Key of a send's request and of its repeats (docs/decisions/0092). Pure.
import { hash } from 'node:crypto';
import type { FiredSend, RevisionFacts } from '../store/send/fire.store.js';

/**
 * 32 hexadecimal digits, made from what the publisher and the plan decide, and from no id that is drawn. So a scheduler that was
 * restored from a backup makes the same key for the same request, and a gateway that remembers keys does not take it twice.
 * `retries` and `released` number the sends of the chunk: a retry, and a send that the push service gave back, are other requests.
 */
export function requestKey(
  serviceId: string,
  { campaignId, revision }: Pick<RevisionFacts, 'campaignId' | 'revision'>,
  { occurrence, cell, chunk, retries, released }: Omit<FiredSend, 'id' | 'attempt' | 'recipients' | 'target'>,
): string {
  const parts = [serviceId, campaignId, revision, occurrence, cell, chunk, retries, released ?? 0];
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}

// Extension `close-key`: says which message was taken under an Idempotency-Key, or closes the key, so that none is taken under it any
// more. Repeating it changes nothing.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { randomBits } from '../../platform/random-bits.js';
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '../../push-contract/limits.js';
import type { ClosedKey } from '../gateway/answers.js';
import { answerTime } from '../gateway/answer-times.js';
import type { Caller } from '../gateway/authenticate.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { PushError } from '../gateway/push-error.js';
import { hashOfKey, STATUS_NAMES } from './accept-message.js';
import { closeFreeKey } from './close-key.store.js';
import { findTaken, releaseDedupe } from './message.store.js';

/** A key may be freed between two statements, because its 30 days are over or its service is being removed. */
const TRIES = 3;

interface CloseContext {
  readonly sql: Sql;
  readonly clock: Clock;
}

/** Throws badRequest for a key that is too long. */
export async function closeKey(
  { sql, clock }: CloseContext,
  service: ServiceFacts,
  { accessKey }: Pick<Caller, 'accessKey'>,
  key: string,
): Promise<ClosedKey> {
  const dedupeHash = hashOfKey(service.id, key);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const now = clock.now();
    const id = v7({ msecs: now, random: randomBits() });
    const names = { id, serviceId: service.id, idempotencyKey: key, accessKey };
    const { closed, secondsKnown } = await closeFreeKey(sql, { ...names, dedupeHash, at: new Date(now) });
    const provesSeconds = Math.min(secondsKnown, IDEMPOTENCY_KEY_LIFETIME_MS / 1_000);
    const free = { key, keyStatus: 'closed', requestId: null, requestTime: null, statusName: null } as const;
    if (closed) return { ...free, provesSeconds };
    // A statement of its own: the one before does not see what was committed while it waited.
    const found = await findTaken(sql, { dedupeHash, signedHash: dedupeHash });
    const message = found?.message ?? undefined;
    if (message === undefined) continue;
    if (now - message.requestedAt.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS) {
      await releaseDedupe(sql, message.id, dedupeHash);
      continue;
    }
    if (message.kind === 'closed') return { ...free, provesSeconds };
    const { id: requestId, kind, requestedAt } = message;
    const requestTime = answerTime(requestedAt, service);
    return { key, keyStatus: 'taken', requestId, requestTime, statusName: STATUS_NAMES[kind], provesSeconds };
  }
  throw new PushError('endpointTimeout');
}

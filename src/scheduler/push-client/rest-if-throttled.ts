// What a 429 to a look or a repeat says about its whole project: looks and sends both rest, here and in every replica
// (life-of-a-send.md, "What an answer means"). Never about the send itself.
import { PUSH_ERRORS } from '../../push-contract/errors.js';
import { readGatewayError } from '../../push-contract/read-error.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import type { PushAnswer } from '../decide/push-api.js';
import { LONGEST_HELD_MS, throttledRestMs } from '../decide/throttled-rest.js';
import { slowDown } from '../store/pace.store.js';
import { restProject } from '../store/project-rest.store.js';
import type { SharedRate } from './shared-rate.js';

export function restIfThrottled(
  { sql, clock, log }: { readonly sql: Sql; readonly clock: Clock; readonly log: Log },
  rate: SharedRate,
  serviceId: string,
  answer: PushAnswer,
): void {
  if (answer.kind !== 'answered' || answer.status !== PUSH_ERRORS.throttleLimited.status) return;
  const quota = readGatewayError(answer.status, answer.body)?.name === 'quotaExceeded';
  const restMs = throttledRestMs(quota ? 'quota' : 'throttled', answer.retryAfterMs);
  // Many looks under way hear the same.
  if (!rate.rest(serviceId, Math.min(restMs, LONGEST_HELD_MS))) return;
  const code = quota ? 'QUOTA_EXCEEDED' : 'THROTTLE_LIMITED';
  log.warn({ serviceId, code, restMs }, 'calls are throttled; the project rests');
  Promise.all([
    restProject(sql, serviceId, clock.now() + restMs, code),
    quota ? undefined : slowDown(sql, serviceId),
  ]).catch((error: unknown) => {
    log.error({ err: error, serviceId, code }, 'its rest could not be written; the next answer tries again');
  });
}

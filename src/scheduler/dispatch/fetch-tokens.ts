// Tokens of the shared rate for every queue that has sends and soon none left: one statement for all of them.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { takeTokens, type TokenWish } from '../push-client/pace.store.js';
import type { ProjectQueue } from './project-queue.js';

/** Where the rate could not be read it is asked for again after this, real milliseconds. */
const AFTER_FAULT_MS = 250;

export function tokenWishes(queues: ReadonlyMap<string, ProjectQueue>, clock: Clock): TokenWish[] {
  const now = clock.now();
  const elapsed = clock.elapsed();
  return [...queues]
    .map(([serviceId, queue]) => ({ serviceId, wanted: queue.tokensWanted(now, elapsed) }))
    .filter(({ wanted }) => wanted > 0);
}

/** Never rejects. */
export async function fetchTokens(
  wishes: readonly TokenWish[],
  queues: ReadonlyMap<string, ProjectQueue>,
  { sql, clock, log }: { readonly sql: Sql; readonly clock: Clock; readonly log: Log },
): Promise<void> {
  try {
    const grants = await takeTokens(sql, wishes);
    const at = clock.elapsed();
    for (const { serviceId, granted, waitMs } of grants)
      queues.get(serviceId)?.helping.add(granted, waitMs, at);
  } catch (error) {
    const at = clock.elapsed();
    for (const { serviceId } of wishes) queues.get(serviceId)?.helping.add(0, AFTER_FAULT_MS, at);
    log.warn({ err: error }, 'the rate could not be read; sends wait for it');
  }
}

// Makes retries of sends that ended badly, of one or of a page of them: judged under the locks of their campaigns. What was
// asked for is audited by the caller, once, however many it came to. Never asks the push service.
import type { Sql } from '../../platform/database/database.js';
import { idsAt } from '../../platform/ids-at.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import {
  insertRetries,
  lockCampaignsOf,
  retryCandidates,
  type NewRetry,
  type RetryRefusal,
} from '../store/send/retry.store.js';

export interface RetryOrder {
  readonly now: EpochMs;
  readonly by: string;
  /** Asked for that of each, in order of id. */
  readonly nextDue: () => EpochMs;
}

/** In the caller's transaction. Answers the retry of each, or why it has none. */
export async function makeRetries(
  sql: Sql,
  sends: readonly string[],
  { now, by, nextDue }: RetryOrder,
): Promise<ReadonlyMap<string, NewRetry | RetryRefusal>> {
  await lockCampaignsOf(sql, sends);
  // Under the locks: a cancel may have come since anybody looked.
  const found = await retryCandidates(sql, sends);
  const nextId = idsAt(now);
  const outcomes = new Map<string, NewRetry | RetryRefusal>(sends.map((send) => [send, 'PAST_RETENTION']));
  for (const { id, refusal } of found)
    outcomes.set(id, refusal ?? { of: id, id: nextId(), dueAt: nextDue() });
  const wanted = [...outcomes.values()].filter((outcome) => typeof outcome !== 'string');
  for (const { of } of wanted) outcomes.set(of, 'ALREADY_RETRIED');
  for (const retry of await insertRetries(sql, wanted, now, by)) outcomes.set(retry.of, retry);
  return outcomes;
}

// Reads how much of their pace campaigns have used already, for planning their next occurrences.
import { sqlList } from '../../platform/database/sql-list.js';
import { UNSENT_STATES } from '../decide/lifecycle/send-state.js';
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

const NOBODY: ReadonlyMap<EpochMs, number> = new Map();

/**
 * The requests that earlier plans of paced campaigns put on each minute (planning.md §4), so that the next occurrences of a recurrence
 * keep its pace together with those. By campaign and minute, from the minute of `now` on: how many requests are due. It counts those
 * that have left, and none that planning left out. The database groups them, so that minutes bound the answer, not sends; index
 * send_cell.
 */
export async function takenMinutes(
  sql: Sql,
  campaigns: readonly string[],
  now: EpochMs,
): Promise<(campaign: string) => ReadonlyMap<EpochMs, number>> {
  if (campaigns.length === 0) return () => NOBODY;
  const rows = await sql.query<{ campaign: string; minutes: number[]; requests: number[] }>(
    `select campaign, array_agg(extract(epoch from minute)::float8 * 1000) as minutes, array_agg(requests) as requests
       from (select campaign, date_trunc('minute', due_at, 'UTC') as minute, count(*)::int as requests from send
              where campaign = any($1::uuid[]) and due_at >= date_trunc('minute', to_timestamp($2::float8 / 1000), 'UTC')
                and state not in ${sqlList(UNSENT_STATES)}
              group by 1, 2) as taken
      group by 1`,
    [campaigns, now],
  );
  const taken = new Map(
    rows.map(({ campaign, minutes, requests }) => [
      campaign,
      new Map(minutes.map((minute, index) => [minute, requests[index] ?? 0])),
    ]),
  );
  return (campaign) => taken.get(campaign) ?? NOBODY;
}

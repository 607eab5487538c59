// How campaigns and their occurrences begin to run and end, judged by their sends (life-of-a-send.md, "Campaign and
// occurrence"). Set-based over the campaigns that triggers named in campaign_touched; runs in the caller's transaction.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';

/** Not final and not uncertain: a campaign may close over uncertain sends, a standing message keeps it open. */
export const OPEN_SEND_STATES = [
  'planned',
  'claimed',
  'sending',
  'accepted',
  'reserved',
  'scheduled',
  'canceling',
  'held',
] as const;

const OPEN_OCCURRENCE = "('planned', 'running', 'canceling')";
const NOW = 'to_timestamp($2::float8 / 1000)';

/** Takes up to `limit` touches and locks the campaigns they name; those locked elsewhere are touched anew for later. */
export async function takeTouched(sql: Sql, limit: number): Promise<string[]> {
  const taken = await rowsOf<{ campaign: string }>(
    sql,
    `with taken as (
       delete from campaign_touched
        where id in (select id from campaign_touched order by id limit $1 for update skip locked)
       returning campaign)
     select distinct campaign from taken`,
    [limit],
  );
  if (taken.length === 0) return [];
  const named = taken.map((row) => row.campaign);
  const locked = await rowsOf<{ id: string }>(
    sql,
    'select id from campaign where id = any($1::uuid[]) order by id for no key update skip locked',
    [named],
  );
  const ids = locked.map((row) => row.id);
  // Waiting for a lock here could deadlock with a writer that holds one campaign and wants another of ours.
  await rowsOf(
    sql,
    `insert into campaign_touched (campaign)
     select id from campaign where id = any($1::uuid[]) and id <> all($2::uuid[])`,
    [named, ids],
  );
  return ids;
}

// What is told of campaigns waits for the commit: told now, before an occurrence that ends in this transaction.
const TELL_NOW = 'set constraints campaign_tell_move immediate';
const TELL_LATER = 'set constraints campaign_tell_move deferred';

/** planned ▶ running, of occurrences and campaigns, at the first hand-off. */
export async function beginRunning(
  sql: Sql,
  campaigns: readonly string[],
  now: EpochMs,
  by: string,
): Promise<void> {
  await rowsOf(
    sql,
    `update occurrence o set state = 'running', state_at = ${NOW}
      where o.campaign = any($1::uuid[]) and o.state = 'planned'
        and exists (select from send s where s.campaign = o.campaign and s.occurrence = o.occurrence
                     and s.handed_off_at is not null)`,
    [campaigns, now],
  );
  const began = await rowsOf(
    sql,
    `update campaign c set state = 'running', code = null, detail = null, state_at = ${NOW}, state_by = $3
      where c.id = any($1::uuid[]) and c.state = 'planned'
        and exists (select from occurrence o where o.campaign = c.id and o.state = 'running')
     returning c.id`,
    [campaigns, now, by],
  );
  if (began.length === 0) return;
  await sql.query(TELL_NOW);
  await sql.query(TELL_LATER);
}

/**
 * Ends every occurrence whose sends are all final or uncertain: canceled where that was asked, expired where something
 * expired and nothing got further, else completed. The open send is looked for from the far end of send_campaign,
 * where a large occurrence still has one while its first chunks are long done.
 */
export async function endOccurrences(sql: Sql, campaigns: readonly string[], now: EpochMs): Promise<void> {
  await rowsOf(
    sql,
    `update occurrence o set state_at = ${NOW},
       state = case when o.state = 'canceling' then 'canceled'
                    when (select bool_or(s.state = 'expired') and bool_and(s.state in ('expired', 'skipped', 'canceled'))
                            from live_send l join send s on s.id = l.send
                           where l.campaign = o.campaign and l.occurrence = o.occurrence) then 'expired'
                    else 'completed' end
      where o.campaign = any($1::uuid[]) and o.state in ${OPEN_OCCURRENCE}
        and (select s.id from send s
              where s.campaign = o.campaign and s.occurrence = o.occurrence and s.state = any($3::text[])
              order by s.cell desc, s.chunk desc limit 1) is null`,
    [campaigns, now, OPEN_SEND_STATES],
  );
}

/**
 * Ends every campaign without an open occurrence: a cancel is confirmed by this. A recurrence with occurrences still to
 * be planned (plan_at) stays open. Returns how many ended.
 */
export async function endCampaigns(
  sql: Sql,
  campaigns: readonly string[],
  now: EpochMs,
  by: string,
): Promise<number> {
  const ended = await rowsOf<{ id: string }>(
    sql,
    `update campaign c set state_at = ${NOW}, state_by = $3, plan_at = null,
       state = case when c.state = 'canceling' then 'canceled' when o.expired then 'expired' else 'completed' end,
       code = case when c.state = 'canceling' then c.code when o.expired then 'ALL_EXPIRED' end,
       detail = case when c.state = 'canceling' then c.detail end
       from (select u.id, coalesce(bool_or(o.state = 'expired') and not bool_or(o.state = 'completed'), false) as expired,
                    coalesce(bool_or(o.state in ${OPEN_OCCURRENCE}), false) as open
               from unnest($1::uuid[]) as u(id) left join occurrence o on o.campaign = u.id group by u.id) o
      where c.id = o.id and not o.open
        and (c.state = 'canceling' or (c.state in ('planned', 'running') and c.plan_at is null))
     returning c.id`,
    [campaigns, now, by],
  );
  return ended.length;
}

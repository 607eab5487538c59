// Ends sends that a pause or an awaited approval holds past their time (life-of-a-send.md, "Campaign and occurrence"): nobody could send
// them any more. Without it a campaign that nobody resumes or approves would stay open for good.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { OPEN_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import type { PlannedSoFar } from '../../decide/recurrence/occurrences.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { CHANNELS } from '../channels.js';

const EXPIRE = 'select expire_held($1, $2, $3, $4) as ended';

/**
 * A page of one occurrence: its held sends that are later than `lateness.max` of their revision allows. One with the lateness
 * `send` has no such end, and is held as long as people want. Returns how many ended. sql/scheduler/functions/expire_held.sql.
 */
export async function expireHeld(sql: Sql, now: EpochMs, most: number): Promise<number> {
  const { beyond, maxMs } = policyDefaults.lateness;
  const row = await firstRow<{ ended: number }>(sql, EXPIRE, [new Date(now), most, beyond, maxMs]);
  const ended = row?.ended ?? 0;
  if (ended > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.close, '']);
  return ended;
}

export interface HeldRecurrence extends Pick<PlannedSoFar, 'delivery' | 'dst'> {
  readonly id: string;
}

// Index campaign_to_plan: they are its last entries. By primary keys.
const HELD_RECURRENCES = `
select c.id, r.data->'delivery' as delivery, r.data->'policy'->'dst' as dst
  from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
 where c.plan_at = 'infinity' and c.id > $1
   and not exists (select from occurrence o where o.campaign = c.id and o.state in ${sqlList(OPEN_OCCURRENCE)})
 order by c.id limit $2`;

/** Recurrences that are paused or await approval and have no open occurrence, behind this id. */
export function heldRecurrences(sql: Sql, after: string, most: number): Promise<HeldRecurrence[]> {
  return sql.query(HELD_RECURRENCES, [after, most]);
}

// One that was resumed meanwhile is planned on.
const PLAN_NO_MORE = `
with ended as (update campaign set plan_at = null where id = any($1::uuid[]) and plan_at = 'infinity' returning id)
insert into campaign_touched (campaign) select id from ended`;

/** Nothing of these is to come any more: the closer ends them. */
export async function planNoMore(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql.query(PLAN_NO_MORE, [ids]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.close, '']);
}

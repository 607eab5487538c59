// Rejects a revision, or leaves one behind, and lets its campaign go on (planning.md §7). Runs in the caller's transaction, which has
// locked the campaign's row.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { AUDIENCE_FIXED, FIXED_TEXT, ZONE_RULES } from '../../decide/lifecycle/revision.js';
import { CHANNELS } from '../channels.js';
import { forgetNext } from '../send/planned-rows.store.js';

export interface RevisionReason {
  readonly pointer: string;
  readonly code: string;
  readonly text: string;
}

export const fixed = (): RevisionReason => ({ pointer: '/audience', code: AUDIENCE_FIXED, text: FIXED_TEXT });

export interface RevisionPlace {
  readonly campaign: string;
  readonly revision: number;
}

// The newest that was taken while another one took its place; planned at once. Otherwise the one in force is planned on, and one that
// awaits approval goes on to.
const GO_ON = `
update campaign c set revises = coalesce(n.revision, n.awaiting), replans = n.revision is not null, plan_tries = 0, code = null, detail = null,
       plan_at = case when n.revision is not null then $2
                      when $3::timestamptz is null then null
                      when c.paused or c.state = 'awaiting-approval' then 'infinity' else $3 end,
       rest_plan_at = case when n.revision is not null then $3 end
  from (select max(r.revision) filter (where r.state = 'planning') as revision, max(r.revision) filter (where r.state = 'awaiting-approval') as awaiting
          from campaign c left join revision r on r.campaign = c.id and r.revision > c.revision where c.id = $1) n
 where c.id = $1`;

export async function goOn(
  sql: Sql,
  campaign: string,
  now: Date,
  planAt: Date | string | null,
): Promise<void> {
  await sql.query(GO_ON, [campaign, now, planAt]);
  await sql.query('insert into campaign_touched (campaign) values ($1)', [campaign]);
  await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.plan, CHANNELS.close, '']);
}

const REJECT = "update revision set state = 'rejected', reasons = $3 where campaign = $1 and revision = $2";
export const PUBLISH = 'select write_campaign_event($1, $2, null, null, $3, $4, $5)';
const REST =
  'select rest_plan_at is not null as "plansOn", revision = $2 as "inForce" from campaign where id = $1';
const NOT_MOVED = `
update campaign set rules_moved = false, code = '${ZONE_RULES}', detail = $2 where id = $1`;

/**
 * The revision in force stays. The caller has seen to what the rejected one held. If it is the one in force itself, which other zone
 * rules were to move, its cells stay where they are, and the campaign says why.
 */
export async function rejectRevision(
  sql: Sql,
  { campaign, revision }: RevisionPlace,
  reasons: readonly RevisionReason[],
  now: EpochMs,
): Promise<void> {
  const at = new Date(now);
  await forgetNext(sql, campaign);
  const rest = await firstRow<{ plansOn: boolean; inForce: boolean }>(sql, REST, [campaign, revision]);
  const why = reasons[0]?.text ?? null;
  const planAt = rest?.plansOn === true ? at : null;
  if (rest?.inForce === true) {
    await goOn(sql, campaign, at, planAt);
    await sql.query(NOT_MOVED, [
      campaign,
      `zone rules moved it, and it stays as it was planned: ${why ?? ''}`,
    ]);
    return;
  }
  await sql.query(REJECT, [campaign, revision, JSON.stringify(reasons)]);
  await goOn(sql, campaign, at, planAt);
  await sql.query(PUBLISH, [campaign, 'campaign.revision-rejected', at, why, revision]);
}

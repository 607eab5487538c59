// Goes on with revisions that take their place, from phase to phase (planning.md §7); store/send/revise.store.ts moves the sends. Runs in
// the caller's transaction.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { CANCELABLE_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import { ZONE_RULES } from '../../decide/lifecycle/revision.js';
import type { SendGoal } from '../../decide/lifecycle/send-state.js';
import { releaseApproved } from '../approval.store.js';
import { CHANNELS } from '../channels.js';
import { reopenActs } from '../send/act.store.js';
import { forgetNext } from '../send/planned-rows.store.js';
import { REPLACES } from '../send/revise.store.js';
import { judgeTouched } from './judge-revision.store.js';
import { layOccurrences } from './mark-replanned.store.js';
import { fixed, goOn, rejectRevision } from './reject-revision.store.js';

const OVER = `
select campaign from campaign_act where mark = 'revision' and goal is not null and page_at = 'infinity' limit 1`;
const LOCK = 'select id from campaign where id = $1 for update skip locked';
const TAKE = `
select k.goal, k.late, k.asked_by as by, c.revision, c.revises from campaign_act k join campaign c on c.id = k.campaign
 where k.campaign = $1 and k.mark = 'revision' and k.page_at = 'infinity' for update of k`;
const NEXT_PHASE = `
update campaign_act set goal = $2, after_occurrence = null, after_cell = null, after_chunk = null, pass = 1, pass_waits = 0, moved = 0,
       page_at = clock_timestamp() where campaign = $1 and mark = 'revision'`;

interface Phase {
  readonly goal: SendGoal;
  readonly late: number;
  readonly by: string;
  readonly revision: number;
  readonly revises: number;
}

/**
 * Goes on with a revision whose pages are through a phase: from looking to replacing, or to its end. Locks the campaign before the act,
 * as all who change both do. False: there is none, or others have it locked. Index campaign_act_revision.
 */
export async function settleRevision(sql: Sql, now: EpochMs): Promise<boolean> {
  const over = await firstRow<{ campaign: string }>(sql, OVER, []);
  if (over === undefined) return false;
  const { campaign } = over;
  if ((await firstRow(sql, LOCK, [campaign])) === undefined) return false;
  const phase = await firstRow<Phase>(sql, TAKE, [campaign]);
  if (phase === undefined) return false;
  if (phase.goal === REPLACES) await putInForce(sql, campaign, phase, now);
  else await replaceOrRelease(sql, campaign, phase, now);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
  return true;
}

async function replaceOrRelease(sql: Sql, campaign: string, { revises }: Phase, now: EpochMs): Promise<void> {
  const { isFixed, keeps } = await judgeTouched(sql, campaign, revises);
  if (isFixed) {
    await sql.query(NEXT_PHASE, [campaign, null]);
    await rejectRevision(sql, { campaign, revision: revises }, [fixed()], now);
    return;
  }
  if (keeps.length > 0) {
    await forgetNext(sql, campaign, keeps);
    await sql.query(NOTE_KEPT, [campaign, revises, keeps]);
  }
  await layOccurrences(sql, campaign);
  await sql.query(NEXT_PHASE, [campaign, REPLACES]);
}

// The sends of these are held: the end of the act releases them.
const NOTE_KEPT = `
update revision set difference = jsonb_set(difference, '{kept}', to_jsonb($3::text[])) where campaign = $1 and revision = $2`;
const EMPTY_OCCURRENCES = `
delete from occurrence o
 where o.campaign = $1 and o.state in ${sqlList(CANCELABLE_OCCURRENCE)} and o.occurrence not like 'test-%'
   and not exists (select from cell c where c.campaign = o.campaign and c.occurrence = o.occurrence)`;
const SKIPPED = `
insert into occurrence (campaign, occurrence, revision, state, code, first_due, last_due, state_at)
select campaign, occurrence, revision, state, code, first_due, last_due, state_at from occurrence_next
 where campaign = $1 and state = 'skipped' on conflict do nothing`;
const REVISIONS = `
update revision r set state = case when r.revision < $2 then 'superseded' when $3 then 'awaiting-approval' else 'in-force' end,
       plan = case when r.revision = $2 then jsonb_set(r.plan, '{cells}', to_jsonb((
         select count(*) from cell c where c.campaign = r.campaign and c.occurrence not like 'test-%'))) else r.plan end,
       difference = case when r.revision = $2 then jsonb_set(r.difference, '{tooLate}', to_jsonb($4::int)) else r.difference end
 where r.campaign = $1 and (r.revision = $2 or r.revision = $5)`;
const IN_FORCE = `
update campaign c set revision = $2, name = r.data ->> 'name', tags = array(select jsonb_array_elements_text(r.data -> 'tags'))
  from revision r where c.id = $1 and r.campaign = c.id and r.revision = $2`;
const FORGET = "delete from campaign_act where campaign = $1 and mark = 'revision'";
const FINISHED = `
select r.next_plan_at as "nextPlanAt", r.zone_rules as "zoneRules", c.state = 'awaiting-approval' as draft, jsonb_array_length(r.difference -> 'kept') > 0 as kept,
       r.data #>> '{policy,approval}' = 'required' or exists (
         select from project p where p.service_id = c.service_id and p.approval = 'required') as asks
  from campaign c join revision r on r.campaign = c.id and r.revision = $2 where c.id = $1`;

const PUBLISH_REPLANNED = 'select write_campaign_event($1, $2, null, null, $3, $4, $5, $6)';

interface Finished {
  readonly nextPlanAt: Date | null;
  readonly draft: boolean;
  readonly kept: boolean;
  readonly asks: boolean;
  readonly zoneRules: string | null;
}

async function putInForce(
  sql: Sql,
  campaign: string,
  { revision, revises, late, by }: Phase,
  now: EpochMs,
): Promise<void> {
  const at = new Date(now);
  const facts = await firstRow<Finished>(sql, FINISHED, [campaign, revises]);
  if (facts === undefined) throw new Error('the revision is missing');
  const { nextPlanAt, draft, kept, asks, zoneRules } = facts;
  await sql.query(EMPTY_OCCURRENCES, [campaign]);
  await sql.query(SKIPPED, [campaign]);
  const moved = revises === revision;
  // Only an approval releases a draft, also where nobody asks for one any more.
  const waits = draft && (asks || moved);
  await sql.query(REVISIONS, [campaign, revises, waits, late, revision]);
  await sql.query(IN_FORCE, [campaign, revises]);
  await forgetNext(sql, campaign);
  await (kept ? sql.query(NEXT_PHASE, [campaign, null]) : sql.query(FORGET, [campaign]));
  await goOn(sql, campaign, at, nextPlanAt);
  // A pause holds the new sends as well.
  await reopenActs(sql, [campaign]);
  const why = moved ? `the cells that zone rules ${zoneRules} move` : null;
  await sql.query(PUBLISH_REPLANNED, [
    campaign,
    'campaign.replanned',
    at,
    why,
    revises,
    moved ? ZONE_RULES : null,
  ]);
  if (draft && !waits) await releaseApproved(sql, campaign, at, by);
}

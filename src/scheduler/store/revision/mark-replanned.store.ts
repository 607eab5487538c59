// What becomes of a revision that is planned (planning.md §7): it awaits approval, or it begins to take its place. Runs in the caller's
// transaction, which has locked the campaign's row.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { REVISE } from '../../decide/lifecycle/campaign-act.js';
import { CANCELABLE_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import { REVISED, ZONE_RULES } from '../../decide/lifecycle/revision.js';
import type { SendGoal } from '../../decide/lifecycle/send-state.js';
import { CHANNELS } from '../channels.js';
import { forgetNext } from '../send/planned-rows.store.js';
import { LOOKS, REPLACES, type RevisionDifference } from '../send/revise.store.js';
import { judgeTouched } from './judge-revision.store.js';
import { fixed, goOn, PUBLISH, rejectRevision, type RevisionPlace } from './reject-revision.store.js';

export interface PlannedRevision extends RevisionPlace {
  /** Without its cells. */
  readonly plan: unknown;
  readonly difference: RevisionDifference;
  /** Recurrences only: when its next occurrences are planned. */
  readonly planAt: EpochMs | null;
}

const ASKS = `
select c.state = 'awaiting-approval' as draft, exists (select from campaign_act k where k.campaign = c.id and k.mark = 'revision') as busy,
       c.revision = $2 as "inForce", r.state, r.approved_at is null and (r.data #>> '{policy,approval}' = 'required' or exists (
         select from project p where p.service_id = c.service_id and p.approval = 'required')) as asks
  from campaign c join revision r on r.campaign = c.id and r.revision = $2 where c.id = $1`;
const PLANNED = `
update revision set plan = $3, difference = $4, next_plan_at = $5, state = $6,
       zone_rules = case when $7 then (select version from zone_rules_in_force) end
 where campaign = $1 and revision = $2`;
const MOVED = 'update campaign set rules_moved = false where id = $1';
const NEXT_IS_SAME = 'select from send_next where campaign = $1 limit 1';
const AWAIT = `
update campaign set replans = false, plan_at = rest_plan_at, rest_plan_at = null, plan_tries = 0, code = null, detail = null where id = $1`;
const LATER =
  "update campaign set plan_at = $2::timestamptz + interval '1 second', plan_tries = 0 where id = $1";
const APPLY =
  'update campaign set replans = false, plan_at = null, plan_tries = 0, code = null, detail = null where id = $1';
const MARK = `
insert into campaign_act (campaign, mark, act, goal, code, asked_at, asked_by)
select $1, 'revision', '${REVISE}', $2, $5, $3, $4`;

interface Asked {
  readonly draft: boolean;
  readonly busy: boolean;
  readonly asks: boolean;
  /** It is in force already, and other zone rules move it. */
  readonly inForce: boolean;
  readonly state: string;
}

/**
 * A revision is planned, and its rows are compared (compareRevision). It awaits approval, or begins to take its place: from the commit
 * on its pages work. Where the one before it has to look first whether anything has gone, it holds what changes before it replaces it.
 */
export async function markReplanned(
  sql: Sql,
  planned: PlannedRevision,
  now: EpochMs,
): Promise<'taken' | 'later' | 'rejected'> {
  const { campaign, revision, plan, difference, planAt } = planned;
  const at = new Date(now);
  const asked = await firstRow<Asked>(sql, ASKS, [campaign, revision]);
  if (asked === undefined) throw new Error('the revision is missing');
  const { busy, asks, draft, inForce } = asked;
  if (busy) {
    // What a rejected one held is being released: it is planned again once that is done.
    await forgetNext(sql, campaign);
    await sql.query(LATER, [campaign, at]);
    return 'later';
  }
  const touched = await judgeTouched(sql, campaign, revision);
  if (touched.isFixed) {
    await rejectRevision(sql, planned, [fixed()], now);
    return 'rejected';
  }
  const next = planAt === null ? null : new Date(planAt);
  if (inForce) {
    await sql.query(MOVED, [campaign]);
    if ((await firstRow(sql, NEXT_IS_SAME, [campaign])) === undefined) {
      await forgetNext(sql, campaign);
      await goOn(sql, campaign, at, next);
      return 'taken';
    }
  }
  const awaits = asks && !draft && !inForce;
  const state = inForce ? asked.state : awaits ? 'awaiting-approval' : 'planning';
  const shown = [JSON.stringify(plan), JSON.stringify(difference)];
  await sql.query(PLANNED, [campaign, revision, ...shown, next, state, inForce]);
  if (awaits) {
    await forgetNext(sql, campaign);
    await sql.query(AWAIT, [campaign]);
    await sql.query(PUBLISH, [campaign, 'campaign.revision-awaiting-approval', at, null, revision]);
    return 'taken';
  }
  await takePlace(sql, planned, { inForce, goal: touched.hasToLook ? LOOKS : REPLACES, at });
  return 'taken';
}

async function takePlace(
  sql: Sql,
  planned: PlannedRevision,
  { inForce, goal, at }: { readonly inForce: boolean; readonly goal: SendGoal; readonly at: Date },
): Promise<void> {
  const { campaign } = planned;
  await sql.query(APPLY, [campaign]);
  const by = inForce ? 'zone-rules' : await authorOf(sql, planned);
  await sql.query(MARK, [campaign, goal, at, by, inForce ? ZONE_RULES : REVISED]);
  if (goal === REPLACES) await layOccurrences(sql, campaign);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
}

/** The source of events that are made here from patches. A publisher who takes it acts by the name of their own token as well. */
export const PATCH_SOURCE = 'carillon:patch';

const AUTHOR = `
select coalesce(case when e.source = '${PATCH_SOURCE}' then 'token:' || t.name || ' (' || t.id || ')' end, 'event:' || e.source, 'revision') as by
  from revision r left join event e on e.id = r.event left join api_token t on t.id = r.token_id
 where r.campaign = $1 and r.revision = $2`;

async function authorOf(sql: Sql, { campaign, revision }: RevisionPlace): Promise<string> {
  const row = await firstRow<{ by: string }>(sql, AUTHOR, [campaign, revision]);
  return row?.by ?? 'revision';
}

// One that is there has its last due no earlier than what of it has not been replaced.
const LAY = `
insert into occurrence as o (campaign, occurrence, revision, state, code, first_due, last_due, state_at)
select campaign, occurrence, revision, state, code, first_due, last_due, state_at from occurrence_next n
 where campaign = $1 and state <> 'skipped'
   and exists (select from send_next s where s.campaign = n.campaign and s.occurrence = n.occurrence)
on conflict on constraint occurrence_pkey do update set revision = excluded.revision,
  first_due = least(o.first_due, excluded.first_due), last_due = greatest(o.last_due, excluded.last_due)
 where o.state in ${sqlList(CANCELABLE_OCCURRENCE)}`;

export async function layOccurrences(sql: Sql, campaign: string): Promise<void> {
  await sql.query(LAY, [campaign]);
}

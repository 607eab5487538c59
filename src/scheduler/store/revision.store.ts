// A later revision of a campaign (planning.md §7): how it is taken, put into the place of the one in force, or rejected. Every function
// runs in the caller's transaction, which has locked the campaign's row; store/send/revise.store.ts moves the sends.
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { ONCE } from '../decide/recurrence/occurrences.js';
import { CANCELABLE_OCCURRENCE, PLANNABLE_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';
import { REVISE } from '../decide/lifecycle/campaign-act.js';
import {
  AUDIENCE_FIXED,
  FIXED_TEXT,
  judgeRevised,
  REVISED,
  revisionChange,
  ZONE_RULES,
} from '../decide/lifecycle/revision.js';
import type { SendGoal } from '../decide/lifecycle/send-state.js';
import { releaseApproved } from './approval.store.js';
import { closeLookups } from './audience-lookup.store.js';
import { CHANNELS } from './channels.js';
import { forgetKnown } from './listed-audience.store.js';
import { reopenActs } from './send/act.store.js';
import { forgetNext } from './send/planned-rows.store.js';
import { LOOKS, REPLACES, touchedByRevision, type RevisionDifference } from './send/revise.store.js';
import { sqlList } from '../../platform/database/sql-list.js';

export interface RevisionReason {
  readonly pointer: string;
  readonly code: string;
  readonly text: string;
}

interface RevisionPlace {
  readonly campaign: string;
  readonly revision: number;
}

/** The states of a revision that is not in force yet. */
const PENDING = "('planning', 'awaiting-approval')";
/** A revision takes its place right now. */
const IS_APPLIED =
  "exists (select from campaign_act k where k.campaign = c.id and k.mark = 'revision' and k.goal is not null)";

const NEXT_NUMBER = `
select (select max(r.revision) from revision r where r.campaign = c.id) + 1 as revision, ${IS_APPLIED} as applied,
       c.state in ${sqlList(PLANNABLE_CAMPAIGN.filter((state) => state === 'accepted' || state === 'planning'))} as unplanned
  from campaign c where c.id = $1`;
const SUPERSEDE_PENDING = `
update revision r set state = 'superseded' from campaign c
 where c.id = $1 and r.campaign = c.id and r.state in ${PENDING}
   and (r.revision > c.revision and not (${IS_APPLIED} and r.revision = c.revises) or $2)`;
// A campaign that was never planned is planned as this revision says in the first place.
const PLAN_INSTEAD = `
update campaign set revision = $2, name = $3, tags = $4, plan_at = $5, plan_tries = 0, newest_time = greatest(newest_time, $6) where id = $1`;
const PLAN_BESIDE = `
update campaign set revises = $2, rest_plan_at = case when replans then rest_plan_at else plan_at end, replans = true, plan_at = $3,
       plan_tries = 0, newest_time = greatest(newest_time, $4) where id = $1`;
const NEWEST_TIME = 'update campaign set newest_time = greatest(newest_time, $2) where id = $1';

export interface NextRevision {
  readonly campaign: string;
  readonly data: Pick<Campaign, 'name' | 'tags'>;
  readonly time: Date;
  readonly now: Date;
}

/**
 * Makes room for a campaign's next revision, whose row the caller inserts under the number that this returns. It supersedes one that is
 * not in force yet; one that is just taking its place comes first.
 */
export async function beginRevision(sql: Sql, { campaign, data, time, now }: NextRevision): Promise<number> {
  const row = await firstRow<{ revision: number; applied: boolean; unplanned: boolean }>(sql, NEXT_NUMBER, [
    campaign,
  ]);
  if (row === undefined) throw new Error('the campaign is missing');
  const { revision, applied, unplanned } = row;
  await sql.query(SUPERSEDE_PENDING, [campaign, unplanned]);
  if (applied) {
    await sql.query(NEWEST_TIME, [campaign, time]);
    return revision;
  }
  await closeLookups(sql, [campaign]);
  await forgetKnown(sql, [campaign]);
  if (unplanned) await sql.query(PLAN_INSTEAD, [campaign, revision, data.name, data.tags, now, time]);
  else await sql.query(PLAN_BESIDE, [campaign, revision, now, time]);
  return revision;
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

async function goOn(sql: Sql, campaign: string, now: Date, planAt: Date | string | null): Promise<void> {
  await sql.query(GO_ON, [campaign, now, planAt]);
  await sql.query('insert into campaign_touched (campaign) values ($1)', [campaign]);
  await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.plan, CHANNELS.close, '']);
}

const REJECT = "update revision set state = 'rejected', reasons = $3 where campaign = $1 and revision = $2";
const PUBLISH_REPLANNED = 'select write_campaign_event($1, $2, null, null, $3, $4, $5, $6)';
const PUBLISH = 'select write_campaign_event($1, $2, null, null, $3, $4, $5)';
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

export const fixed = (): RevisionReason => ({ pointer: '/audience', code: AUDIENCE_FIXED, text: FIXED_TEXT });

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

const BOTH = `
select c.revision, a.data as before, b.data as after
  from campaign c join revision a on a.campaign = c.id and a.revision = c.revision
  join revision b on b.campaign = c.id and b.revision = $2 where c.id = $1`;

/** What becomes of the occurrences that are there. */
interface JudgedRevision {
  readonly isFixed: boolean;
  readonly hasToLook: boolean;
  readonly keeps: readonly string[];
}

async function judgeTouched(sql: Sql, campaign: string, revision: number): Promise<JudgedRevision> {
  const data = await firstRow<{ before: Campaign; after: Campaign }>(sql, BOTH, [campaign, revision]);
  if (data === undefined) throw new Error('the revision is missing');
  return judgeRevision(sql, { campaign, ...data });
}

/** `beside`: as in compareRevision(). */
export async function judgeRevision(
  sql: Sql,
  of: {
    readonly campaign: string;
    readonly beside?: string;
    readonly before: Campaign;
    readonly after: Campaign;
  },
): Promise<JudgedRevision> {
  const { audience } = revisionChange(of.before, of.after);
  const judged = (await touchedByRevision(sql, of.campaign, of.beside)).map((one) => ({
    ...one,
    verdict: judgeRevised(one, { audience, recurs: one.occurrence !== ONCE }),
  }));
  return {
    isFixed: judged.some(({ verdict }) => verdict === 'fixed'),
    hasToLook: judged.some(({ occurrence, moves }) => occurrence !== ONCE || moves || audience),
    keeps: judged.flatMap(({ occurrence, verdict }) => (verdict === 'keeps' ? [occurrence] : [])),
  };
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

async function layOccurrences(sql: Sql, campaign: string): Promise<void> {
  await sql.query(LAY, [campaign]);
}

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

// Reads and writes campaigns for planning: claims, the facts of a campaign, and the outcome of its planning. Every function runs
// in the caller's transaction; claims have one of their own (claim-due.ts).
import { columnsOf, packedRows } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Campaign } from '../decide/plan/campaign.js';
import {
  FIRST_PLANNING_WAIT_MS,
  MOST_DOUBLINGS,
  PLANNING_FAILED,
} from '../decide/lifecycle/planning-tries.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { CHANNELS } from '../store/channels.js';
import { PLANNED_UNTIL } from '../store/occurrence.store.js';
import { TO_PLAN } from '../store/audience-lookup.store.js';
import { ONCE } from '../decide/recurrence/occurrences.js';
import { HAS_BEGUN } from '../store/send/revise.store.js';
import { reopenActs } from '../store/send/act.store.js';
import { sqlList } from '../../platform/database/sql-list.js';
import {
  CAMPAIGN_IN_PLANNING,
  CANCELABLE_OCCURRENCE,
  PLANNABLE_CAMPAIGN,
} from '../decide/lifecycle/campaign-state.js';

export interface ClaimedToPlan {
  readonly id: string;
  /** Including this one. */
  readonly tries: number;
  /** Null for a new campaign. */
  readonly dueAt: EpochMs | null;
}

/** Where a claim starts to read: new campaigns from the id `born` on, others due at `due` or later (-Infinity: all of them). */
export interface ClaimPlace {
  readonly born: string;
  readonly due: EpochMs;
}

export const FROM_START: ClaimPlace = { born: '00000000-0000-0000-0000-000000000000', due: -Infinity };

/** The most that is claimed: campaigns, and bytes of their stored data. One campaign is claimed whatever its size. */
export interface ClaimLimit {
  readonly campaigns: number;
  readonly bytes: number;
}

export interface Claim {
  readonly claimed: readonly ClaimedToPlan[];
  /** Found but not claimed: the id of the first new one, and the due of the first other one; undefined: none. */
  readonly left: { readonly born: string | undefined; readonly due: EpochMs | undefined };
  /** Nothing else was due after the place from which it was read. */
  readonly isAll: boolean;
}

/**
 * Claims campaigns whose planning is due: of those found, the first of every service, then the second of every service, and so on.
 * It finds new ones first, then recurrences whose next occurrences are near enough. It counts the try before the planning begins, so
 * that a campaign that kills its process waits like one that throws. A campaign with a failed try is claimed alone, so that none is
 * given up because of another one. By the index campaign_to_plan, read once for the new ones after `from` and once for the others;
 * SKIP LOCKED, so claims never wait. Call readInOrder() before it.
 */
export async function claimToPlan(
  sql: Sql,
  claim: { now: EpochMs; by: string; limit: ClaimLimit; from: ClaimPlace },
): Promise<Claim> {
  const { now, by, limit, from } = claim;
  const open = `state in ${sqlList(PLANNABLE_CAMPAIGN)}`;
  const rows = await sql.query<
    ClaimedToPlan & { left: number; leftBorn: string | null; leftDue: number | null }
  >(
    // New ones have the plan_at -infinity. It is in the order too, so that this index is used: by id alone it could be the
    // primary key.
    `with born as (
       select id, service_id, revision, plan_tries, null::timestamptz as due from campaign
        where (plan_at, id) >= ('-infinity', $4::uuid) and plan_at <= '-infinity' and ${open}
        order by plan_at, id limit $2 for no key update skip locked
     ), again as (
       select id, service_id, revision, plan_tries, plan_at as due from campaign
        where plan_at > '-infinity' and plan_at >= $5::timestamptz and plan_at <= to_timestamp($1::float8 / 1000) and ${open}
        order by plan_at, id limit $2 - (select count(*) from born) for no key update skip locked
     ), ranked as (
       select f.*, row_number() over (partition by f.service_id order by f.due nulls first, f.id) as turn
         from (select * from born union all select * from again) as f
     ), found as (
       select f.id, f.due, row_number() over so_far as place, max(f.plan_tries) over so_far as tries,
              sum(pg_column_size(r.data)) over so_far as bytes
         from ranked f
         left join revision r on r.campaign = f.id and r.revision = f.revision
       window so_far as (order by f.turn, f.due nulls first, f.id)
     ), taken as (
       select id, due from found where place = 1 or tries = 0 and bytes <= $6
     ), lacks as (
       select (array_agg(id order by id) filter (where due is null))[1] as born, min(due) as due, count(*)::int as count
         from found where id not in (select id from taken)
     )
     update campaign c set
       state = case c.state when 'accepted' then 'planning' else c.state end, plan_tries = c.plan_tries + 1,
       plan_at = to_timestamp($1::float8 / 1000)
               + interval '1 millisecond' * ${FIRST_PLANNING_WAIT_MS} * power(2, least(c.plan_tries, ${MOST_DOUBLINGS})),
       state_at = case c.state when 'accepted' then to_timestamp($1::float8 / 1000) else c.state_at end,
       state_by = case c.state when 'accepted' then $3 else c.state_by end
       from taken, lacks where c.id = taken.id
     returning c.id, c.plan_tries as tries, (extract(epoch from taken.due) * 1000)::float8 as "dueAt",
               lacks.born as "leftBorn", (extract(epoch from lacks.due) * 1000)::float8 as "leftDue", lacks.count as left`,
    [
      now,
      limit.campaigns,
      by,
      from.born,
      Number.isFinite(from.due) ? new Date(from.due) : '-infinity',
      limit.bytes,
    ],
  );
  const { left = 0, leftBorn, leftDue } = rows[0] ?? {};
  return {
    claimed: rows,
    left: { born: leftBorn ?? undefined, due: leftDue ?? undefined },
    isAll: rows.length < limit.campaigns && left === 0,
  };
}

/**
 * Makes PostgreSQL read by an index that has the order asked for, until the transaction ends. Its statistics are older than a burst
 * of events: by them it would read and sort everything that waits at each claim, which takes longer the larger the backlog is.
 */
export async function readInOrder(sql: Sql): Promise<void> {
  await sql.query(
    `select set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true)`,
  );
}

/** Takes back tries that do not count, such as those that failed because the database was unavailable: they are made again at once. */
export async function uncountTries(sql: Sql, ids: readonly string[], now: EpochMs): Promise<void> {
  await sql.query(
    `update campaign set plan_tries = plan_tries - 1, plan_at = to_timestamp($2::float8 / 1000)
      where id = any($1::uuid[]) and state in ${sqlList(CAMPAIGN_IN_PLANNING)} and plan_at < 'infinity' and plan_tries > 0`,
    [ids, now],
  );
}

/** Whether the campaign `c` waits for planning. */
const IS_TO_PLAN = `c.state in ${sqlList(CAMPAIGN_IN_PLANNING)} and c.plan_at is not null`;

/**
 * Locks the claimed campaigns that still wait for planning (one may have been cancelled). Waits for a campaign that is
 * locked elsewhere. Locks in order of id, like every statement that waits for several campaigns. `leastTries`: only campaigns with at
 * least so many tries. A try that comes to an end sets the number back to 0.
 */
export async function lockToPlan(sql: Sql, ids: readonly string[], leastTries = 0): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from campaign c where id = any($1::uuid[]) and ${IS_TO_PLAN} and plan_tries >= $2
      order by id for no key update`,
    [ids, leastTries],
  );
  return rows.map((row) => row.id);
}

/** Postpones the next claim of a campaign whose planning takes long: nobody else needs to begin with it meanwhile. */
export async function holdToPlan(sql: Sql, id: string, until: EpochMs): Promise<void> {
  await sql.query(
    `update campaign c set plan_at = greatest(plan_at, to_timestamp($2::float8 / 1000)) where id = $1 and ${IS_TO_PLAN}`,
    [id, until],
  );
}

export interface CampaignToPlan {
  readonly id: string;
  readonly serviceId: string;
  readonly revision: number;
  /** The revision in force, planned again because other zone rules move it. */
  readonly moved: boolean;
  /** The data of the revision in force, in whose place this one is planned; null: it is the one in force, or the first. */
  readonly before: Campaign | null;
  /** Other than `planning`: a recurrence that goes on, or a later revision. */
  readonly state: 'planning' | 'awaiting-approval' | 'planned' | 'running';
  /** The event's data as it was accepted; null where the revision's row is gone. */
  readonly data: Campaign | null;
  /** The trace of the event that asked for it. */
  readonly trace: TraceContext | null;
  /** The plan as the revision shows it; null where it has none. */
  readonly plan: Readonly<Record<string, unknown>> | null;
  /** The last occurrence that was planned; null where none was. */
  readonly after: string | null;
  /** Occurrences that planning leaves out: cancelled ones that are not planned yet. */
  readonly canceled: readonly string[];
  /** When its newest pause ended; null: it was never paused. */
  readonly resumedAt: EpochMs | null;
}

// A later revision leaves out what has ended, what is being cancelled, and of a recurrence what has begun.
export const leftOut = (isLater: string): string => `array(
  select o.occurrence from occurrence o
   where o.campaign = c.id and o.occurrence not like 'test-%'
     and case when ${isLater} then o.state not in ${sqlList(CANCELABLE_OCCURRENCE)} or o.occurrence <> '${ONCE}' and ${HAS_BEGUN}
              else o.state = 'canceled' end
   order by 1)`;
const LEFT_OUT = leftOut('c.replans');
// A later revision is planned from the beginning.
const AFTER = `case when not c.replans then ${PLANNED_UNTIL} end`;

const MOVED = '(c.replans and c.revises = c.revision)';
// What was previewed does not bind a plan that other zone rules move.
const planned = (revision: string): string =>
  `case when ${MOVED} then ${revision}.data - 'planHash' else ${revision}.data end`;

/**
 * The campaigns that wait for planning, with their data and how far they have been planned, in order of id. Locks nothing: a cancel
 * never waits for a planning. A caller that writes the plan must call isAsRead() first. By primary keys.
 */
export async function readToPlan(sql: Sql, ids: readonly string[]): Promise<CampaignToPlan[]> {
  if (ids.length === 0) return [];
  return sql.query<CampaignToPlan>(
    `select c.id, c.service_id as "serviceId", ${TO_PLAN} as revision, ${MOVED} as moved, c.state, ${planned('r')} as data, r.data->'trace' as trace, r.plan,
            ${AFTER} as after, ${LEFT_OUT} as canceled, ${planned('b')} as before,
            (extract(epoch from c.resumed_at) * 1000)::float8 as "resumedAt"
       from campaign c left join revision r on r.campaign = c.id and r.revision = ${TO_PLAN}
       left join revision b on c.replans and b.campaign = c.id and b.revision = c.revision
      where c.id = any($1::uuid[]) and ${IS_TO_PLAN} order by c.id`,
    [ids],
  );
}

/** The facts that a plan was made from, beside its campaign's data. */
export type ReadSoFar = Pick<CampaignToPlan, 'id' | 'revision' | 'after' | 'canceled'>;

/**
 * Whether nothing has changed since these were read: no cancel, no other planner. Locks the campaigns until the caller's
 * transaction ends, so call it just before the writes that it guards; rows of cells and sends may be written before. By primary keys.
 */
export async function isAsRead(sql: Sql, read: readonly ReadSoFar[]): Promise<boolean> {
  const ids = await lockToPlan(
    sql,
    read.map(({ id }) => id),
  );
  if (ids.length < read.length) return false;
  // A separate statement: only a snapshot taken after the locks sees what was committed before them.
  const now = await sql.query<ReadSoFar>(
    `select c.id, ${TO_PLAN} as revision, ${AFTER} as after, ${LEFT_OUT} as canceled
       from campaign c where c.id = any($1::uuid[])`,
    [ids],
  );
  const asRead = new Map(read.map((one) => [one.id, progressOf(one)]));
  return now.every((one) => asRead.get(one.id) === progressOf(one));
}

function progressOf({ revision, after, canceled }: ReadSoFar): string {
  return JSON.stringify([revision, after, canceled]);
}

/**
 * Stores why planning failed, to be shown; the claim has set the next try. Skips a campaign whose planning was committed after all,
 * though the answer to the commit was lost: it has no tries any more.
 */
export async function notePlanningFault(
  sql: Sql,
  fault: { campaign: string; detail: string },
): Promise<void> {
  await sql.query(
    `update campaign set code = '${PLANNING_FAILED}', detail = $2
      where id = $1 and state in ${sqlList(CAMPAIGN_IN_PLANNING)} and plan_tries > 0`,
    [fault.campaign, fault.detail],
  );
}

interface SkippedOccurrence {
  readonly campaign: string;
  /** Undefined where its rule has no more occurrences, or cannot be read. */
  readonly occurrence: string | undefined;
  readonly revision: number;
  readonly detail: string;
}

/**
 * Lets a recurrence go on without an occurrence that could not be planned, and publishes that. Without an occurrence to name,
 * nothing more is planned, and the campaign ends with what it has.
 */
export async function markSkipped(sql: Sql, skipped: SkippedOccurrence, now: EpochMs): Promise<void> {
  const { campaign, occurrence, revision, detail } = skipped;
  const at = new Date(now);
  await sql.query(
    `update campaign set code = '${PLANNING_FAILED}', detail = $2, plan_tries = 0,
            plan_at = case when plan_at = 'infinity' and $3::timestamptz is not null then plan_at else $3 end where id = $1`,
    [campaign, detail, occurrence === undefined ? null : at],
  );
  await sql.query('insert into campaign_touched (campaign) values ($1)', [campaign]);
  if (occurrence === undefined) return;
  await sql.query(
    `insert into occurrence (campaign, occurrence, revision, state, code, state_at)
     values ($1, $2, $3, 'skipped', '${PLANNING_FAILED}', $4)`,
    [campaign, occurrence, revision, at],
  );
  await sql.query("select write_campaign_event($1, 'occurrence.skipped', 'skipped', $2, $3)", [
    campaign,
    occurrence,
    at,
  ]);
}

export interface PlannedCampaign {
  readonly id: string;
  readonly revision: number;
  /** The plan without its cells, for display. */
  readonly plan: unknown;
  /** Recurrences only: when to plan its next occurrences. */
  readonly planAt: EpochMs | null;
  /** A recurrence that was planned before. */
  readonly goesOn: boolean;
}

// Policy or project ask for approval. The project is read here, and not in planning, whose copy of it may be older.
const ASKS_APPROVAL = `(r.data #>> '{policy,approval}' = 'required'
  or exists (select from project p where p.service_id = c.service_id and p.approval = 'required'))`;
const MARK_APPROVAL = `
insert into campaign_act (campaign, mark, act, goal, code, asked_at, asked_by)
select id, 'approval', 'approve', 'held', 'AWAITING_APPROVAL', $2, $3 from campaign
 where id = any($1::uuid[]) and state = 'awaiting-approval' on conflict do nothing`;

/**
 * Moves planning ▶ planned and puts the revision in force, or planning ▶ awaiting-approval, with the mark that holds all of it back.
 * A recurrence that goes on keeps its state.
 */
export async function markPlanned(
  sql: Sql,
  campaigns: readonly PlannedCampaign[],
  at: EpochMs,
  by: string,
): Promise<void> {
  if (campaigns.length === 0) return;
  const { from, parameters } = packedRows(
    'id uuid, revision int, plan jsonb, plan_at timestamptz, goes_on boolean',
    campaigns,
  );
  const [now, who] = [`$${parameters.length + 1}::float8`, `$${parameters.length + 2}`];
  // campaign_touched, because the last occurrences may have ended before anybody knew that they were the last. The move to
  // planned touches by itself (sql/scheduler/functions/campaign_write_history.sql).
  await sql.query(
    `with done as (
       select u.*, c.state = 'awaiting-approval' or c.state = 'planning' and ${ASKS_APPROVAL} as awaits
         from ${from} as u join campaign c on c.id = u.id join revision r on r.campaign = u.id and r.revision = u.revision
     ), in_force as (
       update revision r set state = case when u.awaits then 'awaiting-approval' else 'in-force' end, plan = u.plan from done u
        where r.campaign = u.id and r.revision = u.revision
     ), touched as (
       insert into campaign_touched (campaign) select id from done where goes_on
     )
     update campaign c set
       state = case when c.state <> 'planning' then c.state when u.awaits then 'awaiting-approval' else 'planned' end,
       code = null, detail = null, plan_at = case when (c.paused or u.awaits) and u.plan_at is not null then 'infinity' else u.plan_at end, plan_tries = 0,
       state_at = case c.state when 'planning' then to_timestamp(${now} / 1000) else c.state_at end,
       state_by = case c.state when 'planning' then ${who} else c.state_by end
       from done u where c.id = u.id`,
    [...parameters, at, by],
  );
  const ids = campaigns.map(({ id }) => id);
  const marked = await sql.query(`${MARK_APPROVAL} returning 1 as marked`, [ids, new Date(at), by]);
  if (marked.length > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
  await reopenActs(sql, ids);
}

interface RefusedCampaign {
  readonly id: string;
  readonly revision: number;
  readonly reasons: readonly { readonly pointer: string; readonly code: string; readonly text: string }[];
}

const REFUSED = columnsOf<RefusedCampaign>('id uuid, revision int, reasons jsonb');

/** Moves planning ▶ rejected with the first reason; the revision has every reason. */
export async function markRefused(
  sql: Sql,
  refused: readonly RefusedCampaign[],
  at: EpochMs,
  by: string,
): Promise<void> {
  if (refused.length === 0) return;
  await sql.query(
    `with refused as (
       select * from ${REFUSED.from} as u
     ), rejected as (
       update revision r set state = 'rejected', reasons = u.reasons from refused u
        where r.campaign = u.id and r.revision = u.revision
     )
     update campaign c set state = 'rejected', code = u.reasons #>> '{0,code}', detail = u.reasons #>> '{0,text}',
            plan_at = null, plan_tries = 0, state_at = to_timestamp($4::float8 / 1000), state_by = $5
       from refused u where c.id = u.id`,
    [...REFUSED.parametersOf(refused), at, by],
  );
}

// Finds the campaigns whose planned cells other zone rules move, and has them planned again in their own place, beside the plan in force
// as a revision is (docs/decisions/0096). Every function runs in the caller's transaction.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CANCELABLE_OCCURRENCE, FINISHABLE_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import type { PlannedTime } from '../../decide/timing/moved-times.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { CHANNELS } from '../../store/channels.js';

/** Campaigns with plans that may still change. */
const OPEN = sqlList(FINISHABLE_CAMPAIGN);

export interface ComparedSoFar {
  /** The last campaign that was compared; null: none was. */
  readonly after: string | null;
}

const TURN = `
select after_campaign as after from zone_rules_in_force
 where version = $1 and compared_at is null for no key update skip locked`;

/** Undefined: all are compared, or another process compares. Locks the row in force until the commit. */
export function turnToCompare(sql: Sql, version: string): Promise<ComparedSoFar | undefined> {
  return firstRow(sql, TURN, [version]);
}

// Primary key; closed campaigns in between are passed once for each release of the rules.
const PAGE = `select id from campaign where ($1::uuid is null or id > $1) and state in ${OPEN} order by id limit $2`;

export async function campaignsAfter(sql: Sql, after: string | null, most: number): Promise<string[]> {
  return (await sql.query<{ id: string }>(PAGE, [after, most])).map(({ id }) => id);
}

export interface PlannedTimeOf extends PlannedTime {
  readonly campaign: string;
}

// Primary keys. The policy of each campaign once, because data may be a megabyte.
const TIMES = `
with policy as materialized (
  select c.id, jsonb_build_object('gap', coalesce(r.data #>> '{policy,dst,gap}', '${policyDefaults.dst.gap}'),
                                  'overlap', coalesce(r.data #>> '{policy,dst,overlap}', '${policyDefaults.dst.overlap}')) as dst
    from campaign c join revision r on r.campaign = c.id and r.revision = c.revision where c.id = any($1))
select distinct p.id as campaign, k.zone, p.dst,
       case when coalesce(k.verdicts -> 'passedZone' ->> 'kind', '') <> 'next-day' then k.local_reading ->> 'asked' end as local,
       (extract(epoch from k.intended_at) * 1000)::float8 as "intendedAt", (extract(epoch from k.due_at) * 1000)::float8 as "dueAt",
       k.local_reading #>> '{reading,offset}' as offset
  from policy p
  join occurrence o on o.campaign = p.id and o.state in ${sqlList(CANCELABLE_OCCURRENCE)}
  join cell k on k.campaign = o.campaign and k.occurrence = o.occurrence
 where k.due_at >= $2 and k.skipped_code is null and k.local_reading ->> 'asked' is not null and k.zone not like 'UTC%:%'`;

/** The wall times of cells that are still to come; those on a fixed offset are left out. */
export function plannedTimes(sql: Sql, campaigns: readonly string[], now: Date): Promise<PlannedTimeOf[]> {
  return sql.query(TIMES, [campaigns, now]);
}

// Of one that is being revised the rules by which its new plan was made are not known: it is compared once that is done.
const NOTE = `
update campaign c set rules_moved = true
 where c.id = any($1) and (c.id = any($2) or c.replans or exists (
   select from campaign_act k where k.campaign = c.id and k.mark = 'revision'))`;
const COMPARED = `
update zone_rules_in_force set after_campaign = $2, compared_at = case when $3 then $4::timestamptz end where version = $1`;

export interface ComparedPage {
  readonly version: string;
  readonly page: readonly string[];
  readonly moved: readonly string[];
  readonly isLast: boolean;
  readonly now: Date;
}

export async function noteCompared(
  sql: Sql,
  { version, page, moved, isLast, now }: ComparedPage,
): Promise<void> {
  await sql.query(NOTE, [page, moved]);
  await sql.query(COMPARED, [version, page.at(-1) ?? null, isLast, now]);
}

// Index campaign_rules_moved. One that is being revised waits: a commit that ends its planning also marks it, so that it is either
// replans or has the mark in every snapshot. SKIP LOCKED: replicas take different ones, and the planner's locks are short.
const BEGIN = `
with moved as materialized (
  select c.id, c.state in ${OPEN} as open from campaign c
   where c.rules_moved and not c.replans
     and not exists (select from campaign_act k where k.campaign = c.id and k.mark = 'revision')
   order by c.id limit $2 for no key update skip locked)
update campaign c set
  rules_moved = m.open, revises = case when m.open then c.revision else c.revises end, replans = m.open,
  rest_plan_at = case when m.open then c.plan_at else c.rest_plan_at end,
  plan_at = case when m.open then $1 else c.plan_at end, plan_tries = case when m.open then 0 else c.plan_tries end
  from moved m where c.id = m.id
returning c.id`;

/** Has so many of them planned again in their own place. Returns how many it began with. */
export async function planMovedAgain(sql: Sql, now: Date, most: number): Promise<number> {
  const begun = await sql.query(BEGIN, [now, most]);
  if (begun.length > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.plan, '']);
  return begun.length;
}

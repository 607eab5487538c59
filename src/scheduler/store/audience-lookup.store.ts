// Look-ups for which campaigns wait. Planning opens and closes them in its own transaction; audience/ works on them under a lease. A
// campaign never waits longer than until give_up_at, which is its plan_at while it waits.
import { columnsOf } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { CHANNELS } from './channels.js';
import { sqlList } from '../../platform/database/sql-list.js';
import { CAMPAIGN_IN_PLANNING } from '../decide/lifecycle/campaign-state.js';

/** Longer than the work between two renewals: a call ends after PUSH_TIMEOUT_MS, at most 120 s. */
const LEASE = `clock_timestamp() + interval '180 seconds'`;
/** A campaign `c` that still waits to be planned. */
const WAITS = `c.state in ${sqlList(CAMPAIGN_IN_PLANNING)} and c.plan_at is not null`;

/** A look-up and how far it has come. */
export interface Lookup {
  readonly campaign: string;
  readonly serviceId: string;
  readonly openedAt: EpochMs;
  readonly giveUpAt: EpochMs;
  readonly asked: number;
  readonly failures: number;
  /** It is finished, and the campaign is about to be planned. */
  readonly done: boolean;
}
/** `lease`: the name of the lease. There is one at a time; after it was taken over or given back, the name is another. */
export interface LeasedLookup extends Lookup {
  readonly lease: string;
}
export type OpenLookup = Pick<Lookup, 'campaign' | 'serviceId' | 'giveUpAt'>;

const OPENED = columnsOf<OpenLookup>('campaign uuid, service_id text, give_up_at timestamptz');

/** Makes the campaigns wait, in the caller's transaction. A try of planning that ends so does not count as failed. */
export async function openLookups(sql: Sql, opened: readonly OpenLookup[], now: EpochMs): Promise<void> {
  if (opened.length === 0) return;
  await sql.query(
    `with wait as (
       select * from ${OPENED.from} as w
     ), born as (
       insert into audience_lookup (campaign, service_id, opened_at, give_up_at, next_at)
       select campaign, service_id, to_timestamp($4::float8 / 1000), give_up_at,
              to_timestamp($4::float8 / 1000) from wait
       on conflict (campaign) do nothing
     ), waiting as (
       update campaign c set plan_at = w.give_up_at, plan_tries = 0
         from wait w where c.id = w.campaign
     )
     select pg_notify('${CHANNELS.lookup}', '')`,
    [...OPENED.parametersOf(opened), now],
  );
}

const COLUMNS = `l.campaign, l.service_id as "serviceId", l.asked, l.failures, l.done_at is not null as done,
  extract(epoch from l.opened_at)::float8 * 1000 as "openedAt", extract(epoch from l.give_up_at)::float8 * 1000 as "giveUpAt"`;

/** Call it while the campaigns are locked for planning. */
export async function lookupsOf(sql: Sql, campaigns: readonly string[]): Promise<Map<string, Lookup>> {
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<Lookup>(
    `select ${COLUMNS} from audience_lookup l where campaign = any($1::uuid[])`,
    [campaigns],
  );
  return new Map(rows.map((row) => [row.campaign, row]));
}

/** Closes the look-ups of campaigns that were planned or refused. */
export async function closeLookups(sql: Sql, campaigns: readonly string[]): Promise<void> {
  if (campaigns.length === 0) return;
  await sql.query('delete from audience_lookup where campaign = any($1::uuid[])', [campaigns]);
}

// Reads one row by index audience_lookup_open; SKIP LOCKED. The name of a lease is its end, to the microsecond.
const CLAIM = prepared(`
  update audience_lookup l set lease_until = ${LEASE}
   where campaign = (
     select campaign from audience_lookup
      where done_at is null and next_at <= to_timestamp($1::float8 / 1000)
        and (lease_until is null or lease_until < clock_timestamp())
      order by next_at, campaign limit 1 for update skip locked)
  returning ${COLUMNS}, l.lease_until::text as lease`);

/** Takes a lease on the look-up that has waited longest. */
export function claimLookup(sql: Sql, now: EpochMs): Promise<LeasedLookup | undefined> {
  return firstRow(sql, CLAIM, [now]);
}

/** The revision of the campaign `c` that is to be planned. */
export const TO_PLAN = 'case when c.replans then c.revises else c.revision end';

/** The data of the campaign's revision, while it still waits to be planned. */
export async function campaignLookedUpFor(sql: Sql, campaign: string): Promise<Campaign | undefined> {
  const row = await firstRow<{ data: Campaign }>(
    sql,
    `select r.data from campaign c join revision r on r.campaign = c.id and r.revision = ${TO_PLAN}
      where c.id = $1 and ${WAITS}`,
    [campaign],
  );
  return row?.data;
}

export interface WaitingLookup extends Lookup {
  readonly data: Campaign;
  readonly extensions: readonly string[];
  readonly lookupMax: number;
}

/** The look-up for which a campaign waits, with the campaign's data; undefined: it does not wait. By primary keys. */
export function waitingLookup(sql: Sql, campaign: string): Promise<WaitingLookup | undefined> {
  return firstRow(
    sql,
    `select r.data, p.extensions, p.lookup_max as "lookupMax", ${COLUMNS}
       from audience_lookup l
       join campaign c on c.id = l.campaign
       join revision r on r.campaign = c.id and r.revision = ${TO_PLAN}
       join project p on p.service_id = l.service_id
      where l.campaign = $1 and ${WAITS}`,
    [campaign],
  );
}

type Leased = Pick<LeasedLookup, 'campaign' | 'lease'>;

/**
 * Adds the calls that were made since the last note, and renews the lease. Returns its new name; undefined: another process has it, or
 * no campaign waits any more. Locks the row first, because its value before the update shows whose lease it is.
 */
export async function noteAsked(
  sql: Sql,
  { campaign, lease }: Leased,
  calls: number,
): Promise<string | undefined> {
  const row = await firstRow<{ lease: string | null }>(
    sql,
    `with held as (
       select campaign, lease_until is not distinct from $3::timestamptz as ours from audience_lookup
        where campaign = $1 for no key update
     )
     update audience_lookup l set asked = l.asked + $2, lease_until = case when h.ours then ${LEASE} else l.lease_until end
       from held h where l.campaign = h.campaign
     returning case when h.ours then l.lease_until::text end as lease`,
    [campaign, calls, lease],
  );
  return row?.lease ?? undefined;
}

/** Gives the lease back: the next claim, from `nextAt` on, continues the look-up. Does nothing if another process has the lease. */
export async function putBackLookup(
  sql: Sql,
  { campaign, lease, nextAt, failures }: Leased & { nextAt: EpochMs; failures: number },
): Promise<void> {
  await sql.query(
    `update audience_lookup set next_at = to_timestamp($2::float8 / 1000), failures = $3, lease_until = null
      where campaign = $1 and lease_until = $4::timestamptz`,
    [campaign, nextAt, failures, lease],
  );
}

/**
 * Finishes a look-up, so that the campaign is planned at once. Locks the campaign before the look-up, in the same order as planning,
 * which closes look-ups while it holds their campaigns' locks: in the other order the two could deadlock. `lease`: only if this is
 * still the lease.
 */
export async function finishLookup(
  sql: Sql,
  campaign: string,
  now: EpochMs,
  lease: string | null = null,
): Promise<void> {
  await sql.query(
    `with held as (
       select id from campaign where id = $1 for no key update
     ), ended as (
       update audience_lookup l set done_at = to_timestamp($2::float8 / 1000), lease_until = null from held
        where l.campaign = held.id and l.done_at is null and ($3::timestamptz is null or l.lease_until = $3)
       returning l.campaign
     ), due as (
       update campaign c set plan_at = least(c.plan_at, to_timestamp($2::float8 / 1000)) from ended
        where c.id = ended.campaign and c.plan_at is not null
     )
     select pg_notify('${CHANNELS.plan}', '')`,
    [campaign, now, lease],
  );
}

/** How many look-ups are open, at most 10 000; the table has only those. No locks. */
export async function countLookups(sql: Sql): Promise<number> {
  const row = await firstRow<{ waiting: number }>(
    sql,
    'select count(*)::int as waiting from (select from audience_lookup where done_at is null limit 10000) l',
    [],
  );
  return row?.waiting ?? 0;
}

// Campaigns that wait for look-ups: opened and closed by planning in its own transaction, worked on by audience/ under a
// lease. A campaign never waits beyond give_up_at: its plan_at stands there meanwhile.
import { columnsOf } from '../../platform/database/columns.js';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { CHANNELS } from './channels.js';
import { sqlList } from '../../platform/database/sql-list.js';
import { CAMPAIGN_IN_PLANNING } from '../decide/lifecycle/campaign-state.js';

/** Longer than a piece of work between two notes of progress: calls end after PUSH_TIMEOUT_MS, 120 s at most. */
const LEASE_SECONDS = 180;

export interface OpenLookup {
  readonly campaign: string;
  readonly serviceId: string;
  readonly giveUpAt: EpochMs;
}

const OPENED = columnsOf<OpenLookup>('campaign uuid, service_id text, give_up_at timestamptz');

/** The campaigns wait, in the caller's transaction; a try that only waits is no failed one. */
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

/** A look-up and how far it is. */
export interface Lookup {
  readonly campaign: string;
  readonly serviceId: string;
  readonly openedAt: EpochMs;
  readonly giveUpAt: EpochMs;
  readonly asked: number;
  readonly failures: number;
  /** Nothing more is asked: the campaign is about to be planned. */
  readonly done: boolean;
}

const COLUMNS = `l.campaign, l.service_id as "serviceId", l.asked, l.failures, l.done_at is not null as done,
  extract(epoch from l.opened_at)::float8 * 1000 as "openedAt", extract(epoch from l.give_up_at)::float8 * 1000 as "giveUpAt"`;

/** Ask while the campaigns are locked for planning. */
export async function lookupsOf(sql: Sql, campaigns: readonly string[]): Promise<Map<string, Lookup>> {
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<Lookup>(
    `select ${COLUMNS} from audience_lookup l where campaign = any($1::uuid[])`,
    [campaigns],
  );
  return new Map(rows.map((row) => [row.campaign, row]));
}

/** Planned or refused: nobody waits any more. */
export async function closeLookups(sql: Sql, campaigns: readonly string[]): Promise<void> {
  if (campaigns.length === 0) return;
  await sql.query('delete from audience_lookup where campaign = any($1::uuid[])', [campaigns]);
}

// Of one row by an index, whatever its parameters are.
const CLAIM = prepared(`
  update audience_lookup l set lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
   where campaign = (
     select campaign from audience_lookup
      where done_at is null and next_at <= to_timestamp($1::float8 / 1000)
        and (lease_until is null or lease_until < clock_timestamp())
      order by next_at, campaign limit 1 for update skip locked)
  returning ${COLUMNS}`);

/** The look-up that has waited longest, under a lease. Index audience_lookup_open; SKIP LOCKED. */
export async function claimLookup(sql: Sql, now: EpochMs): Promise<Lookup | undefined> {
  const [row] = await sql.query<Lookup>(CLAIM, [now]);
  return row;
}

/** What the campaign says, while it still waits to be planned. */
export async function campaignLookedUpFor(sql: Sql, campaign: string): Promise<Campaign | undefined> {
  const [row] = await sql.query<{ data: Campaign }>(
    `select r.data from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
      where c.id = $1 and c.state in ${sqlList(CAMPAIGN_IN_PLANNING)} and c.plan_at is not null`,
    [campaign],
  );
  return row?.data;
}

export interface WaitingLookup extends Lookup {
  readonly data: Campaign;
  readonly extensions: readonly string[];
  readonly lookupMax: number;
}

/** The look-up a campaign waits for, with what it is made from; undefined where it does not wait. By primary keys. */
export async function waitingLookup(sql: Sql, campaign: string): Promise<WaitingLookup | undefined> {
  const [row] = await sql.query<WaitingLookup>(
    `select r.data, p.extensions, p.lookup_max as "lookupMax", ${COLUMNS}
       from audience_lookup l
       join campaign c on c.id = l.campaign
       join revision r on r.campaign = c.id and r.revision = c.revision
       join project p on p.service_id = l.service_id
      where l.campaign = $1 and c.state in ${sqlList(CAMPAIGN_IN_PLANNING)} and c.plan_at is not null`,
    [campaign],
  );
  return row;
}

/** Calls made since the last note; the lease is renewed. False where nobody waits any more. */
export async function noteAsked(sql: Sql, campaign: string, calls: number): Promise<boolean> {
  const rows = await sql.query(
    `update audience_lookup
        set asked = asked + $2, lease_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
      where campaign = $1 returning campaign`,
    [campaign, calls],
  );
  return rows.length > 0;
}

/** To be gone on with at `nextAt`, by whoever claims it. */
export async function putBackLookup(
  sql: Sql,
  { campaign, nextAt, failures }: { campaign: string; nextAt: EpochMs; failures: number },
): Promise<void> {
  await sql.query(
    `update audience_lookup set next_at = to_timestamp($2::float8 / 1000), failures = $3, lease_until = null
      where campaign = $1`,
    [campaign, nextAt, failures],
  );
}

/**
 * Whatever is known now is all that will be: the campaign is planned at once. Locks the campaign before the look-up, as
 * planning does, which closes look-ups under its campaigns' locks: the other way round each waits for the other.
 */
export async function finishLookup(sql: Sql, campaign: string, now: EpochMs): Promise<void> {
  await sql.query(
    `with held as (
       select id from campaign where id = $1 for no key update
     ), ended as (
       update audience_lookup l set done_at = to_timestamp($2::float8 / 1000), lease_until = null from held
        where l.campaign = held.id and l.done_at is null returning l.campaign
     ), due as (
       update campaign c set plan_at = least(c.plan_at, to_timestamp($2::float8 / 1000)) from ended
        where c.id = ended.campaign and c.plan_at is not null
     )
     select pg_notify('${CHANNELS.plan}', '')`,
    [campaign, now],
  );
}

// Commands that arrived before their campaign: they wait an hour for it (campaign-events.md, "Order of acts"). The intake writes
// and applies them in its transactions; end-parked.ts ends those whose campaign never came.
import { hash } from 'node:crypto';
import type { Sql } from '../../platform/database/database.js';
import { columnsOf } from '../../platform/database/row-arrays.js';
import { byText } from '../../platform/compare-texts.js';
import { insertInto } from './event-write.store.js';
import { MOST_PARKED, nameOf, type ParkedCommand } from './judge-batch.js';
import type { Reason } from './parse/reason.js';

const PARKED_MS = 3_600_000;

/** Until when a command that arrives now waits. */
export function parkedUntil(now: Date): Date {
  return new Date(now.getTime() + PARKED_MS);
}

export interface CampaignName {
  readonly serviceId: string;
  readonly campaignId: string;
}
const NAMES = columnsOf<CampaignName>('service_id text, campaign_id text');

/** The first of a lock's two numbers, as in store/hold-shards.ts. */
const LOCK_CLASS = 0x63_61_72_73;
/** Few, because each lock of a batch takes a place in the server's lock table. A service is always in the same bucket. */
const BUCKETS = 64;
const bucketOf = (serviceId: string): number => hash('md5', serviceId, 'buffer').readUInt8() % BUCKETS;

const LOCK = `
select case when w.alone then pg_advisory_xact_lock(${LOCK_CLASS}, w.bucket) else pg_advisory_xact_lock_shared(${LOCK_CLASS}, w.bucket) end
  from unnest($1::int[], $2::boolean[]) as w (bucket, alone)`;

/**
 * Keeps a campaign and its early command from missing one another in two transactions that do not see each other. A transaction
 * that makes campaigns takes the shared lock of their services; one that parks a command of a service takes the exclusive lock.
 * Both hold it until they end. The locks are taken in order, so that two batches cannot deadlock.
 */
export async function lockServices(
  sql: Sql,
  { made, unknown }: { readonly made: readonly CampaignName[]; readonly unknown: readonly CampaignName[] },
): Promise<void> {
  const alone = new Map<number, boolean>();
  for (const { serviceId } of made) alone.set(bucketOf(serviceId), false);
  for (const { serviceId } of unknown) alone.set(bucketOf(serviceId), true);
  if (alone.size === 0) return;
  const sorted = [...alone].toSorted(([a], [b]) => a - b);
  await sql.query(LOCK, [sorted.map(([bucket]) => bucket), sorted.map(([, isAlone]) => isAlone)]);
}

// Index parked_command_campaign: the first commands of each name are read by it.
const OF_CAMPAIGNS = `
select p.event, p.service_id as "serviceId", p.campaign_id as "campaignId", p.source, p.event_id as id,
       (extract(epoch from p.event_time) * 1000)::float8 as time, p.act, p.occurrence, p.reason
  from ${NAMES.from} as n cross join lateral (
    select * from parked_command c where c.service_id = n.service_id and c.campaign_id = n.campaign_id
     order by c.event limit ${MOST_PARKED} for update) p
 order by p.event`;

/** The commands that wait for each of these campaigns, by nameOf(serviceId, campaignId), in the order of arrival. Locks the rows. */
export async function parkedFor(
  sql: Sql,
  names: readonly CampaignName[],
): Promise<Map<string, ParkedCommand[]>> {
  if (names.length === 0) return new Map();
  const sorted = [...names].toSorted(
    (a, b) => byText(a.serviceId, b.serviceId) || byText(a.campaignId, b.campaignId),
  );
  const rows = await sql.query<ParkedCommand>(OF_CAMPAIGNS, NAMES.parametersOf(sorted));
  const parked = new Map<string, ParkedCommand[]>();
  for (const row of rows) {
    const name = nameOf(row.serviceId, row.campaignId);
    parked.set(name, [...(parked.get(name) ?? []), row]);
  }
  return parked;
}

export async function parkCommands(sql: Sql, commands: readonly ParkedCommand[], now: Date): Promise<void> {
  const rows = commands.map(({ serviceId, campaignId, id, time, ...command }) => ({
    ...command,
    service_id: serviceId,
    campaign_id: campaignId,
    event_id: id,
    event_time: new Date(time),
    ends_at: parkedUntil(now),
    reasons: null,
  }));
  await insertInto(sql, 'parked_command', rows);
}

/** Their commands are written; they wait no more. */
export async function releaseParked(sql: Sql, events: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  await sql.query('delete from parked_command where event = any($1::uuid[])', [events]);
  await sql.query(`update event set verdict = 'command' where id = any($1::uuid[])`, [events]);
}

const REFUSED = columnsOf<{ readonly event: string; readonly reasons: readonly Reason[] }>(
  'event uuid, reasons jsonb',
);

/** Their campaign came and did not take them: end-parked.ts makes rejections of them. */
export async function refuseParked(
  sql: Sql,
  refused: readonly { readonly event: string; readonly reasons: readonly Reason[] }[],
  now: Date,
): Promise<void> {
  if (refused.length === 0) return;
  await sql.query(
    `update parked_command p set ends_at = $3, reasons = r.reasons from ${REFUSED.from} as r where p.event = r.event`,
    [...REFUSED.parametersOf(refused), now],
  );
}

/** A parked command that has waited long enough, as its row and its event's row have it. */
export interface EndedCommand {
  readonly event: string;
  /** Null: its campaign never came. */
  readonly reasons: readonly Reason[] | null;
  readonly campaignId: string;
  readonly receivedAt: Date;
  readonly via: 'kafka' | 'http';
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

// Index parked_command_end. SKIP LOCKED: two processes share the work, and a campaign that comes just now has its commands. The
// bytes are counted before any is read. Parameters: now, rows, bytes.
const END = `
with due as materialized (
  select event, ends_at from parked_command where ends_at <= $1 order by ends_at, event limit $2 for update skip locked),
sized as (
  select d.event, coalesce(sum(octet_length(e.body)) over (order by d.ends_at, d.event) - octet_length(e.body), 0) as before
    from due d left join event e on e.id = d.event),
gone as (
  delete from parked_command p using sized s where p.event = s.event and s.before < $3
  returning p.event, p.reasons, p.campaign_id, p.source, p.event_id, p.service_id),
freed as (
  -- A rejected event holds no key: the same event may come again.
  delete from inbox_key k using gone g
   where k.source = g.source and k.event_id = g.event_id and k.service_id = g.service_id and k.event = g.event),
filed as (
  update event e set verdict = 'rejected' from gone g where e.id = g.event
  returning e.id, e.received_at, e.via, e.topic, e.partition, e."offset", e.headers, e.body)
select g.event, g.reasons, g.campaign_id as "campaignId", t.received_at as "receivedAt", t.via, t.topic, t.partition,
       t."offset"::text as "offset", t.headers, t.body
  from gone g join filed t on t.id = g.event order by g.event`;

/**
 * Deletes commands that waited long enough, and returns them: at most `rows`, and at most `bytes` of their events, but at least one.
 */
export function endParked(sql: Sql, now: Date, rows: number, bytes: number): Promise<EndedCommand[]> {
  return sql.query(END, [now, rows, bytes]);
}

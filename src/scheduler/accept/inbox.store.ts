// What taking a batch of events looks up and locks, one statement for each whatever the size of the batch. All of it
// runs in the caller's one transaction; nothing here judges an event.
import { columnsOf } from '../../platform/database/columns.js';
import type { Sql } from '../../platform/database/database.js';
import { byText } from '../../platform/by-text.js';
import { insertInto, type RowOf } from './event-write.store.js';
import {
  campaignName,
  keyName,
  type KnownCampaign,
  type KnownKey,
  type KnownProject,
} from './judge-batch.js';

/** Taken before anything else: a second process that still believes to own the partition waits here, then sees our rows. */
export async function lockPartition(sql: Sql, topic: string, partition: number): Promise<void> {
  await sql.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`kafka ${topic}/${partition}`]);
}

export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** SHA-256 of the bytes: a topic made anew counts its offsets from 0 again. */
  readonly bodyHash: Buffer;
}

const NEAR = `from event e where e.topic = $1 and e.partition = $2 and e."offset" between $3::bigint and $4::bigint`;

/** Records of one partition in their order, at least one: what `NEAR` asks for. */
function stretchOf(places: readonly Omit<RecordPlace, 'bodyHash'>[]): unknown[] {
  const [first] = places;
  return [first?.topic, first?.partition, first?.offset, places.at(-1)?.offset];
}

/** The offsets from the first of these records to the last of which an event is here. Index event_record, as recordsTaken. */
export async function offsetsTaken(
  sql: Sql,
  places: readonly Omit<RecordPlace, 'bodyHash'>[],
): Promise<Set<string>> {
  if (places.length === 0) return new Set();
  const rows = await sql.query<{ offset: string }>(`select e."offset" ${NEAR}`, stretchOf(places));
  return new Set(rows.map(({ offset }) => offset));
}

/**
 * The offsets of those records, of one partition in their order, whose event is here already. Index event_record, a range of it in each day,
 * for nobody knows how long ago one was taken that is read again.
 */
export async function recordsTaken(sql: Sql, places: readonly RecordPlace[]): Promise<Set<string>> {
  if (places.length === 0) return new Set();
  const rows = await sql.query<{ offset: string }>(
    `with near as materialized (select e."offset", e.body ${NEAR})
     select r."offset" from unnest($5::bigint[], $6::bytea[]) as r ("offset", hash)
       join near on near."offset" = r."offset" and sha256(near.body) = r.hash`,
    [...stretchOf(places), places.map(({ offset }) => offset), places.map(({ bodyHash }) => bodyHash)],
  );
  return new Set(rows.map(({ offset }) => offset));
}

/** By serviceId. */
export async function intakeProjects(
  sql: Sql,
  serviceIds: readonly string[],
): Promise<Map<string, KnownProject>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await sql.query<KnownProject & { id: string }>(
    `select service_id as id, sources, policy_defaults as "policyDefaults", rejections_topic as "rejectionsTopic"
       from project where service_id = any($1)`,
    [[...new Set(serviceIds)]],
  );
  return new Map(rows.map(({ id, ...project }) => [id, project]));
}

/** Whether an event of this source and id was taken within the last 30 days. Primary key. */
export async function keyIsTaken(sql: Sql, source: string, eventId: string): Promise<boolean> {
  const rows = await sql.query('select from inbox_key where source = $1 and event_id = $2', [
    source,
    eventId,
  ]);
  return rows.length > 0;
}

type InboxRow = RowOf<'inbox_key'>;
export type InboxKey = { readonly [Column in keyof InboxRow]: NonNullable<InboxRow[Column]> };

/**
 * Holds the keys until the transaction ends: a free one is written, one that another transaction is writing is waited
 * for. Returns every key that was there before, ours not among them, by its name (keyName). Sorted, so that two batches cannot deadlock.
 */
export async function holdKeys(sql: Sql, keys: readonly InboxKey[]): Promise<Map<string, KnownKey>> {
  const sorted = [...keys].sort((a, b) => byText(a.source, b.source) || byText(a.event_id, b.event_id));
  const written = await insertInto(sql, 'inbox_key', sorted, 'on conflict do nothing returning 1');
  // Mostly all are free.
  if (written.length === sorted.length) return new Map();
  // A statement of its own: it must see what the other transaction has committed meanwhile.
  const before = await sql.query<KnownKey & { source: string; id: string }>(
    `select k.source, k.event_id as id, k.content_hash as "contentHash", k.event
       from unnest($1::text[], $2::text[], $3::uuid[]) as r (source, event_id, event)
       join inbox_key k on k.source = r.source and k.event_id = r.event_id and k.event <> r.event`,
    [
      sorted.map(({ source }) => source),
      sorted.map(({ event_id }) => event_id),
      sorted.map(({ event }) => event),
    ],
  );
  return new Map(before.map(({ source, id, ...key }) => [keyName(source, id), key]));
}

/** Puts the keys right after judging: those held for an event that was rejected go, those of events taken stay. */
export async function settleKeys(
  sql: Sql,
  held: readonly InboxKey[],
  taken: readonly InboxKey[],
): Promise<void> {
  const stays = new Set(taken.map(({ event }) => event));
  const goes = held.filter(({ event }) => !stays.has(event));
  if (goes.length > 0) {
    await sql.query(
      `delete from inbox_key k using unnest($1::text[], $2::text[], $3::uuid[]) as r (source, event_id, event)
        where k.source = r.source and k.event_id = r.event_id and k.event = r.event`,
      [
        goes.map(({ source }) => source),
        goes.map(({ event_id }) => event_id),
        goes.map(({ event }) => event),
      ],
    );
  }
  const here = new Set(held.map(({ event }) => event));
  const rows = taken.filter(({ event }) => !here.has(event));
  await insertInto(sql, 'inbox_key', rows);
}

const NAMES = columnsOf<{ readonly serviceId: string; readonly campaignId: string }>(
  'service_id text, campaign_id text',
);

/** The campaigns by the publishers' ids, locked until the transaction ends, in order of id; by campaignName. */
export async function lockCampaigns(
  sql: Sql,
  names: readonly { serviceId: string; campaignId: string }[],
): Promise<Map<string, KnownCampaign>> {
  if (names.length === 0) return new Map();
  const rows = await sql.query<KnownCampaign & { serviceId: string; campaignId: string }>(
    `select c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.state,
            (extract(epoch from c.newest_time) * 1000)::float8 as "newestTime" from campaign c
      where (c.service_id, c.campaign_id) in (select * from ${NAMES.from} as names)
      order by c.id for no key update of c`,
    NAMES.parametersOf(names),
  );
  return new Map(
    rows.map(({ serviceId, campaignId, ...campaign }) => [campaignName(serviceId, campaignId), campaign]),
  );
}

/** Campaigns that took a further event: what is older than this from now on is SUPERSEDED. */
export async function moveNewestTimes(
  sql: Sql,
  moves: readonly { readonly campaign: string; readonly time: Date }[],
): Promise<void> {
  if (moves.length === 0) return;
  await sql.query(
    `update campaign c set newest_time = greatest(c.newest_time, r.time)
       from (select campaign, max(time) as time from unnest($1::uuid[], $2::timestamptz[]) as m (campaign, time)
              group by campaign) r
      where c.id = r.campaign`,
    [moves.map(({ campaign }) => campaign), moves.map(({ time }) => time)],
  );
}

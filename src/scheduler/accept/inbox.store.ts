// Looks up and locks what a batch of events needs: one statement for each table, whatever the size of the batch. All of it runs
// in the caller's one transaction. Judges no event.
import { hash } from 'node:crypto';
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import { byText } from '../../platform/compare-texts.js';
import { insertInto, type RowOf } from './event-write.store.js';
import { nameOf, type KnownCampaign, type KnownKey, type KnownProject } from './judge-batch.js';
import type { CampaignName } from './parked-command.store.js';
import { lockPartition } from './partition-place.store.js';
import type { RawEvent } from './parse/raw-event.js';

/** The events of a range of records of one partition. Index event_record. */
const NEAR = `from event e where e.topic = $1 and e.partition = $2 and e."offset" between $3::bigint and $4::bigint`;

/** The parameters of NEAR: the range from the first to the last of these records. */
function rangeOf(raws: readonly RawEvent[]): unknown[] {
  const record = raws[0]?.record;
  return [record?.topic, record?.partition, record?.offset, raws.at(-1)?.record?.offset];
}

/**
 * Those of `raws` whose event the database has already. `raws` are Kafka records of one partition in their order, or events over
 * HTTP, which are always new. Locks the partition first: a second process that still believes it owns it waits here, then sees
 * our rows.
 */
export async function findReadBefore(sql: Sql, raws: readonly RawEvent[]): Promise<Set<RawEvent>> {
  const record = raws[0]?.record;
  if (record === undefined) return new Set();
  await lockPartition(sql, record);
  // Usually the database has none of them, and then no bytes are hashed.
  const here = await sql.query<{ offset: string }>(`select e."offset" ${NEAR}`, rangeOf(raws));
  const offsets = new Set(here.map(({ offset }) => offset));
  const suspects = raws.filter((raw) => raw.record !== undefined && offsets.has(raw.record.offset));
  if (suspects.length === 0) return new Set();
  // By their bytes as well: a topic that was deleted and created again counts its offsets from 0. This reads a range of the index
  // in each day, because nobody knows how long ago a record that is read again was taken.
  const same = await sql.query<{ offset: string }>(
    `with near as materialized (select e."offset", e.body ${NEAR})
     select r."offset" from unnest($5::bigint[], $6::bytea[]) as r ("offset", hash)
       join near on near."offset" = r."offset" and sha256(near.body) = r.hash`,
    [
      ...rangeOf(suspects),
      suspects.map((raw) => raw.record?.offset),
      suspects.map(({ body }) => hash('sha256', body, 'buffer')),
    ],
  );
  const taken = new Set(same.map(({ offset }) => offset));
  return new Set(suspects.filter((raw) => raw.record !== undefined && taken.has(raw.record.offset)));
}

/** Projects by serviceId. Primary key. */
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

/** The key of an event: unique for 30 days. */
interface KeyName {
  readonly source: string;
  readonly id: string;
  readonly serviceId: string;
}

/** Whether an event of this key was taken within the last 30 days. Primary key. */
export async function keyIsTaken(sql: Sql, { source, id, serviceId }: KeyName): Promise<boolean> {
  const text = 'select from inbox_key where source = $1 and event_id = $2 and service_id = $3';
  return (await sql.query(text, [source, id, serviceId])).length > 0;
}

type InboxRow = RowOf<'inbox_key'>;
export type InboxKey = { readonly [Column in keyof InboxRow]: NonNullable<InboxRow[Column]> };
const KEYS = columnsOf<Omit<InboxKey, 'content_hash' | 'taken_at'>>(
  'source text, event_id text, service_id text, event uuid',
);

/**
 * Holds the keys until the transaction ends. It writes a free key, and waits for a key that another transaction is writing.
 * Returns the keys that were there before, by nameOf(source, id, serviceId). Sorted, so that two batches cannot deadlock.
 */
export async function holdKeys(sql: Sql, keys: readonly InboxKey[]): Promise<Map<string, KnownKey>> {
  const sorted = [...keys].sort(
    (a, b) =>
      byText(a.source, b.source) || byText(a.event_id, b.event_id) || byText(a.service_id, b.service_id),
  );
  const written = await insertInto(sql, 'inbox_key', sorted, 'on conflict do nothing returning 1');
  // Usually all are free.
  if (written.length === sorted.length) return new Map();
  // A statement of its own: it must see what the other transaction has committed meanwhile.
  const before = await sql.query<KnownKey & KeyName>(
    `select k.source, k.event_id as id, k.service_id as "serviceId", k.content_hash as "contentHash", k.event
       from ${KEYS.from} as r
       join inbox_key k using (source, event_id, service_id) where k.event <> r.event`,
    KEYS.parametersOf(sorted),
  );
  return new Map(before.map(({ source, id, serviceId, ...key }) => [nameOf(source, id, serviceId), key]));
}

/** Called after judging: deletes the keys held for rejected events, and writes missing keys of events that were taken. */
export async function keepTakenKeys(
  sql: Sql,
  held: readonly InboxKey[],
  taken: readonly InboxKey[],
): Promise<void> {
  const stays = new Set(taken.map(({ event }) => event));
  const goes = held.filter(({ event }) => !stays.has(event));
  if (goes.length > 0) {
    await sql.query(
      `delete from inbox_key k using ${KEYS.from} as r
        where k.source = r.source and k.event_id = r.event_id and k.service_id = r.service_id and k.event = r.event`,
      KEYS.parametersOf(goes),
    );
  }
  const here = new Set(held.map(({ event }) => event));
  const missing = taken.filter(({ event }) => !here.has(event));
  await insertInto(sql, 'inbox_key', missing);
}

const NAMES = columnsOf<CampaignName>('service_id text, campaign_id text');

/** Those of the campaigns that do not exist, as far as one can see without a lock. Index campaign_campaign_id. */
export async function unknownCampaigns(sql: Sql, names: readonly CampaignName[]): Promise<CampaignName[]> {
  if (names.length === 0) return [];
  return sql.query<CampaignName>(
    `select n.service_id as "serviceId", n.campaign_id as "campaignId" from ${NAMES.from} as n
      where not exists (select from campaign c where c.service_id = n.service_id and c.campaign_id = n.campaign_id)`,
    NAMES.parametersOf(names),
  );
}

/** The campaigns by nameOf(serviceId, campaignId), locked in order of our id until the transaction ends. */
export async function lockCampaigns(
  sql: Sql,
  names: readonly CampaignName[],
): Promise<Map<string, KnownCampaign>> {
  if (names.length === 0) return new Map();
  const rows = await sql.query<KnownCampaign & CampaignName>(
    `select c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.state, c.paused,
            (extract(epoch from c.newest_time) * 1000)::float8 as "newestTime" from campaign c
      where (c.service_id, c.campaign_id) in (select * from ${NAMES.from} as names)
      order by c.id for no key update of c`,
    NAMES.parametersOf(names),
  );
  return new Map(
    rows.map(({ serviceId, campaignId, ...campaign }) => [nameOf(serviceId, campaignId), campaign]),
  );
}

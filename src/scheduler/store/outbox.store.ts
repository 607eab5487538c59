// The outbox: what must reach Kafka, written in the transaction that it tells of, published afterwards by
// publish/publish-outbox.ts. Delivered at least once; in order within a shard.
import { rowsOf, type Sql } from '../../platform/database.js';
import { insertRows } from '../../platform/insert-rows.js';
import { prepared } from '../../platform/pooled-database.js';
import { CHANNELS } from './channels.js';

/** One publisher per shard at a time; a key always falls into the same one. */
export const OUTBOX_SHARDS = 16;

/** The shard of a row by its key, as SQL over the columns of `r`: for writers with a statement of their own. */
export const SHARD_OF_KEY = `(hashtext(coalesce(r.key, '')) & ${OUTBOX_SHARDS - 1})`;

/** Two numbers: the class keeps our advisory locks apart from those of others. */
const LOCK_CLASS = 0x63_61_72_6f;

export interface NewOutboxRow {
  readonly id: string;
  readonly topic: string;
  /** The Kafka key: rows of one key keep their order. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
  readonly created_at: Date;
}

/** In the caller's transaction, which also wakes the publisher when it commits. */
export async function addToOutbox(sql: Sql, rows: readonly NewOutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await insertRows(sql, {
    table: 'outbox',
    columns: {
      id: 'uuid',
      topic: 'text',
      key: 'text',
      headers: 'jsonb',
      value: 'bytea',
      created_at: 'timestamptz',
    },
    computed: { shard: SHARD_OF_KEY },
    rows,
  });
  await rowsOf(sql, `select pg_notify('${CHANNELS.publish}', '')`);
}

/** Those of the shards that no other publisher holds, ours until the transaction ends. */
export async function holdFreeShards(sql: Sql): Promise<number[]> {
  const rows = await rowsOf<{ shard: number }>(
    sql,
    `select shard from generate_series(0, ${OUTBOX_SHARDS - 1}) as shard
      where pg_try_advisory_xact_lock(${LOCK_CLASS}, shard)`,
  );
  return rows.map(({ shard }) => shard);
}

/** A message as its writer made it. */
export interface MessageRow {
  readonly id: string;
  readonly kind: 'message';
  readonly topic: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** What became of a send, an occurrence or a campaign; what is not meant of it is null. */
export interface OutcomeRow {
  readonly id: string;
  /** The event's type between `carillon.outcome.` and its version. */
  readonly kind: string;
  readonly serviceId: string;
  readonly campaignId: string;
  readonly campaign: string;
  /** Per send; per campaign for its own and its occurrences'. */
  readonly sequence: number;
  readonly revision: number;
  readonly occurrence: string | null;
  readonly state: string;
  readonly code: string | null;
  readonly detail: string | null;
  readonly at: Date;
  /** Every problem found, of a rejected campaign. */
  readonly problems: readonly unknown[] | null;
  /** As text: a campaign's are sums. */
  readonly targetCount: string | null;
  readonly sentCount: string | null;
  /** Of a send alone. */
  readonly send: string | null;
  readonly zone: string | null;
  readonly cell: string | null;
  readonly chunk: number | null;
  readonly retryOf: string | null;
  readonly from: string | null;
  readonly dueAt: Date | null;
  readonly requestId: string | null;
}

export type OutboxRow = MessageRow | OutcomeRow;

export interface OutboxPage {
  readonly rows: number;
  /** Values of all rows together, but at least one row. */
  readonly bytes: number;
}

/** About what the event of an outcome comes to, but for its detail and problems. */
const OUTCOME_BYTES = 1_000;

// Index outbox_unpublished, (shard, position): one scan of it a shard, merged as they are read, so that a page reads a
// page however much lies in each shard. As a lateral join over the shards it read a page of each. A shard that another
// holds is null. Planned once a connection: the planning of sixteen scans cost more than reading an empty outbox.
const AHEAD = Array.from(
  { length: OUTBOX_SHARDS },
  (_, shard) =>
    `(select id, position, coalesce(octet_length(value), ${OUTCOME_BYTES} + coalesce(octet_length(detail), 0)
              + coalesce(octet_length(problems::text), 0)) as length
        from outbox where shard = $${shard + 3}::smallint and published_at is null order by position limit $1)`,
).join(' union all ');

/** $1 rows, $2 bytes, then the shards. */
export const UNPUBLISHED = prepared(`
with ahead as (select * from (${AHEAD}) o order by position limit $1),
counted as (select id, position, sum(length) over (order by position) - length as before from ahead)
select o.id, case when o.value is not null then 'message' else coalesce(o.kind, 'send.' || o.to_state) end as kind,
       o.topic, o.key, o.headers, o.value,
       c.service_id as "serviceId", c.campaign_id as "campaignId", o.campaign, o.sequence, o.revision, o.occurrence,
       o.to_state as state, o.code, o.detail, o.created_at as at, o.problems, o.target_count as "targetCount",
       o.sent_count as "sentCount", o.send, l.zone, o.cell, o.chunk, o.retry_of as "retryOf", o.from_state as "from",
       o.due_at as "dueAt", o.request_id as "requestId"
  from counted n join outbox o on o.id = n.id
  left join campaign c on c.id = o.campaign
  left join cell l on l.campaign = o.campaign and l.occurrence = o.occurrence and l.cell = o.cell
 where n.before < $2 order by n.position`);

/**
 * The next unpublished rows of these shards in their order, never by "id greater than the last": a transaction that
 * began earlier may commit later. Lengths are judged before any value is read. The event of an outcome is made by
 * publish/outcome-event.ts.
 */
export async function nextUnpublished(
  sql: Sql,
  shards: readonly number[],
  page: OutboxPage,
): Promise<OutboxRow[]> {
  const held = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => (shards.includes(shard) ? shard : null));
  return rowsOf<OutboxRow>(sql, UNPUBLISHED, [page.rows, page.bytes, ...held]);
}

export async function markPublished(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
  await rowsOf(sql, 'update outbox set published_at = $2 where id = any($1::uuid[])', [ids, now]);
}

/** Deletes at most `limit` rows that were published before `before`; returns how many. Index outbox_published. */
export async function deletePublished(sql: Sql, before: Date, limit: number): Promise<number> {
  const rows = await rowsOf(
    sql,
    `delete from outbox where id in (
       select id from outbox where published_at < $1 order by published_at limit $2 for update skip locked)
     returning id`,
    [before, limit],
  );
  return rows.length;
}

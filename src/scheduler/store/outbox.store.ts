// The outbox: dead letters and rejections, written in the transaction that they tell of and published afterwards by
// publish/publish-outbox.ts, at least once and in order within a shard. Outcomes take another way: outcome.store.ts.
import type { Sql } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/row-arrays.js';
import { prepared } from '../../platform/database/pooled-database.js';
import { CHANNELS } from './channels.js';
import { SHARDS } from './hold-shards.js';

/** A message as its writer made it. */
export interface OutboxRow {
  readonly id: string;
  readonly topic: string;
  /** The Kafka key: rows of one key keep their order. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}
export type NewOutboxRow = OutboxRow & { readonly created_at: Date };

/** In the caller's transaction, which also wakes the publisher when it commits. */
export async function addToOutbox(sql: Sql, rows: readonly NewOutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await insertRows(sql, {
    table: 'outbox',
    columns: 'id uuid, topic text, key text, headers jsonb, value bytea, created_at timestamptz',
    computed: { shard: `(hashtext(coalesce(r.key, '')) & ${SHARDS - 1})` },
    rows,
  });
  await sql.query(`select pg_notify('${CHANNELS.outbox}', '')`);
}

export interface OutboxPage {
  readonly rows: number;
  /** At most this many bytes of values together, but at least one row. */
  readonly bytes: number;
}

// Index outbox_unpublished, (shard, position): one scan of it for each shard, merged while they are read, so that a page costs a
// page however much lies in each shard. A lateral join over the shards read a page of each. A shard that another process holds
// is null. Planned once for each connection: planning sixteen scans cost more than reading an empty outbox.
const AHEAD = Array.from(
  { length: SHARDS },
  (_, shard) =>
    `(select id, position, octet_length(value) as length
        from outbox where shard = $${shard + 3}::smallint and published_at is null order by position limit $1)`,
).join(' union all ');

/** Parameters: $1 rows, $2 bytes, then the shards. */
export const UNPUBLISHED = prepared(`
with ahead as (select * from (${AHEAD}) o order by position limit $1),
counted as (select id, position, sum(length) over (order by position) - length as before from ahead)
select o.id, o.topic, o.key, o.headers, o.value
  from counted n join outbox o on o.id = n.id
 where n.before < $2 order by n.position`);

/**
 * The next unpublished rows of these shards, in order. Never read by "id greater than the last", because a transaction that
 * began earlier may commit later. Lengths are summed before any value is read.
 */
export function nextUnpublished(sql: Sql, shards: readonly number[], page: OutboxPage): Promise<OutboxRow[]> {
  const held = Array.from({ length: SHARDS }, (_, shard) => (shards.includes(shard) ? shard : null));
  return sql.query(UNPUBLISHED, [page.rows, page.bytes, ...held]);
}

export async function markPublished(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
  await sql.query('update outbox set published_at = $2 where id = any($1::uuid[])', [ids, now]);
}

/** Deletes at most `limit` rows that were published before `before`, and returns how many. Index outbox_published. */
export async function deletePublished(sql: Sql, before: Date, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from outbox where id in (
       select id from outbox where published_at < $1 order by published_at limit $2 for update skip locked)
     returning id`,
    [before, limit],
  );
  return rows.length;
}

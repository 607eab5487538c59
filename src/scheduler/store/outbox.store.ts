// The outbox: dead letters, copies of them, and outcomes of commands. They are written in the transaction of what they report, and
// publish/publish-outbox.ts publishes them afterwards, at least once and in order within a topic. Other outcomes are not in it: see
// outcome.store.ts.
import type { Sql } from '../../platform/database/database.js';
import { columnsOf, insertRows } from '../../platform/database/row-arrays.js';
import { CHANNELS } from './channels.js';

/** A message as its writer made it. */
export interface OutboxRow {
  readonly id: string;
  readonly topic: string;
  /** The Kafka key, never null: a compacted topic takes no message without one. */
  readonly key: string;
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
    rows,
  });
  await sql.query(`select pg_notify('${CHANNELS.outbox}', '')`);
}

export interface OutboxPage {
  readonly rows: number;
  /** At most this many bytes of values together, but at least one row. */
  readonly bytes: number;
}

/** The topics with unpublished rows: one step in index outbox_unpublished for each topic, however many rows wait. */
export async function unpublishedTopics(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ topic: string }>(
    `with recursive waiting as (
       (select topic from outbox where published_at is null and refused_at is null order by topic limit 1)
       union all
       select (select o.topic from outbox o
                where o.published_at is null and o.refused_at is null and o.topic > l.topic order by o.topic limit 1)
         from waiting l where l.topic is not null)
     select topic from waiting where topic is not null`,
  );
  return rows.map(({ topic }) => topic);
}

/** The first of a lock's two numbers, as in hold-shards.ts. */
const LOCK_CLASS = 0x63_61_72_6f;

/** Locks the topic until the transaction ends, so that no other process publishes to it; false: another does. */
export async function holdTopic(sql: Sql, topic: string): Promise<boolean> {
  const [row] = await sql.query<{ held: boolean }>(
    `select pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext($1)) as held`,
    [topic],
  );
  return row?.held === true;
}

/**
 * The next unpublished rows of a topic, in order; index outbox_unpublished. Never read by "id greater than the last", because a
 * transaction that began earlier may commit later. Lengths are summed before any value is read. Parameters: topic, rows, bytes.
 */
export const UNPUBLISHED = `
with ahead as (
  select id, position, octet_length(value) as length from outbox
   where topic = $1 and published_at is null and refused_at is null order by position limit $2),
counted as (select id, position, sum(length) over (order by position) - length as before from ahead)
select o.id, o.topic, o.key, o.headers, o.value
  from counted n join outbox o on o.id = n.id
 where n.before < $3 order by n.position`;

export function nextUnpublished(sql: Sql, topic: string, page: OutboxPage): Promise<OutboxRow[]> {
  return sql.query(UNPUBLISHED, [topic, page.rows, page.bytes]);
}

export async function markPublished(sql: Sql, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql.query('update outbox set published_at = $2 where id = any($1::uuid[])', [ids, now]);
}

interface Refused {
  readonly id: string;
  /** Kafka's code. */
  readonly fault: string;
}
const REFUSED = columnsOf<Refused>('id uuid, fault text');

/** Marks rows that Kafka refuses: they are not published, and kept as long as others. */
export async function putAside(sql: Sql, refused: readonly Refused[], now: Date): Promise<void> {
  if (refused.length === 0) return;
  await sql.query(
    `update outbox o set refused_at = $3, fault = r.fault from ${REFUSED.from} as r where o.id = r.id`,
    [...REFUSED.parametersOf(refused), now],
  );
}

/** Deletes at most `limit` rows that were published or put aside before `before`, and returns how many. Index outbox_done. */
export async function deleteDone(sql: Sql, before: Date, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from outbox where id in (
       select id from outbox where coalesce(published_at, refused_at) < $1
        order by coalesce(published_at, refused_at) limit $2 for update skip locked)
     returning id`,
    [before, limit],
  );
  return rows.length;
}

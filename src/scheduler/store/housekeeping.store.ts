// Partitions ahead, and batched deletes of plain tables that are kept for a time only.
import { rowsOf, type Sql } from '../../platform/database.js';

/** Partitions of this month and the next ones. Under an advisory lock inside the function; nothing to do is cheap. */
export async function ensurePartitions(sql: Sql, now: Date, monthsAhead: number): Promise<void> {
  await sql.query(
    `select ensure_month_partitions(date_trunc('month', $1::timestamptz, 'UTC') + make_interval(months => n))
       from generate_series(0, $2::integer) n`,
    [now, monthsAhead],
  );
}

/**
 * Deletes at most `batch` rows of each table older than `before`; returns how many went. SKIP LOCKED lets two processes
 * share the work. inbox_key by its index on taken_at; idempotent_answer, a small table, by a scan.
 */
export async function deleteOldKeys(sql: Sql, before: Date, batch: number): Promise<number> {
  const [gone] = await rowsOf<{ count: number }>(
    sql,
    `with old_inbox as (
       delete from inbox_key where ctid = any (array(
         select ctid from inbox_key where taken_at < $1 order by taken_at limit $2 for update skip locked)) returning 1
     ), old_answer as (
       delete from idempotent_answer where ctid = any (array(
         select ctid from idempotent_answer where created_at < $1 limit $2 for update skip locked)) returning 1
     )
     select ((select count(*) from old_inbox) + (select count(*) from old_answer))::integer as count`,
    [before, batch],
  );
  return gone?.count ?? 0;
}

// Partitions ahead, and batched deletes of plain tables that are kept for a time only.
import { scheduler } from 'node:timers/promises';
import { isDatabaseAway, passesByItself } from '../../platform/database-away.js';
import { rowsOf, type Sql } from '../../platform/database.js';

const MISSING_PARTITIONS = `
select c.relname as parent, m.low as month
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select date_trunc('month', $1::timestamptz, 'UTC') + make_interval(months => n) as low
               from generate_series(0, $2::integer) n) m
 where c.relnamespace = current_schema()::regnamespace
   and to_regclass(format('%I', c.relname || to_char(m.low at time zone 'UTC', '_YYYY_MM'))) is null
 order by 2, 1`;

/** Times that a table may be busy for the half second that its new partition waits for it. */
const BUSY_TIMES = 20;
/** Who waits behind the one who waits for the table gets on meanwhile; real milliseconds. */
const LET_OTHERS_MS = 500;

/**
 * Partitions of this month and the next ones; where none is missing, one look at the catalogue. Each in a transaction of
 * its own: whoever waits for one table's lock holds no other's. Rejects where a table stays busy.
 */
export async function ensurePartitions(sql: Sql, now: Date, monthsAhead: number): Promise<void> {
  const missing = await rowsOf<{ parent: string; month: Date }>(sql, MISSING_PARTITIONS, [now, monthsAhead]);
  for (const { parent, month } of missing) {
    for (let busy = 0, made = false; !made; busy += 1) {
      try {
        await sql.query('select add_month_partition($1, $2)', [parent, month]);
        made = true;
      } catch (error) {
        if (busy >= BUSY_TIMES || !passesByItself(error) || isDatabaseAway(error)) throw error;
        await scheduler.wait(LET_OTHERS_MS);
      }
    }
  }
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

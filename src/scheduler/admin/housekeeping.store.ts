// Partitions ahead, days of events dropped, and batched deletes of plain tables that are kept for a time only.
import { scheduler } from 'node:timers/promises';
import { isDatabaseAway, passesByItself } from '../../platform/database/database-away.js';
import type { Sql } from '../../platform/database/database.js';

/** Yesterday's for whose clock is a little behind; those ahead outlast housekeeping that fails for a weekend. */
const [DAYS_BACK, DAYS_AHEAD] = [1, 3];

const MISSING = `
select c.relname as parent, d.low as day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select date_trunc('day', $1::timestamptz, 'UTC') + n * interval '24 hours' as low
               from generate_series(-${DAYS_BACK}, ${DAYS_AHEAD}) n) d
 where c.relnamespace = current_schema()::regnamespace
   and to_regclass(format('%I', c.relname || to_char(d.low at time zone 'UTC', '_YYYY_MM_DD'))) is null
 order by 2, 1`;

/** Times that a table may be busy for the half second that its new partition waits for it. */
const BUSY_TIMES = 20;
/** Who waits behind the one who waits for the table gets on meanwhile; real milliseconds. */
const LET_OTHERS_MS = 500;

/**
 * Partitions of yesterday, of today and of the next days, of every table that has any; where none is missing, a look at
 * the catalogue. Each in a transaction of its own: whoever waits for one table's lock holds no other's. Rejects where a
 * table stays busy.
 */
export async function ensurePartitions(sql: Sql, now: Date): Promise<void> {
  for (const { parent, day } of await sql.query<{ parent: string; day: Date }>(MISSING, [now]))
    await patiently(() => sql.query('select add_day_partition($1, $2)', [parent, day]));
}

async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let busy = 0; ; busy += 1) {
    try {
      return await work();
    } catch (error) {
      if (busy >= BUSY_TIMES || !passesByItself(error) || isDatabaseAway(error)) throw error;
      await scheduler.wait(LET_OTHERS_MS);
    }
  }
}

const OLD_DAYS = `
select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
 where i.inhparent = to_regclass('send_event')
   and c.relname <= 'send_event' || to_char(date_trunc('day', $1::timestamptz, 'UTC') - interval '1 day', '_YYYY_MM_DD')
   and c.relname ~ '_\\d{4}_\\d\\d_\\d\\d$'
 order by 1`;

/** Drops the days of events that lie wholly before `before`, those of which all is published. Returns how many went. */
export async function dropEventDays(sql: Sql, before: Date): Promise<number> {
  let dropped = 0;
  for (const { name } of await sql.query<{ name: string }>(OLD_DAYS, [before])) {
    const [day] = await patiently(() =>
      sql.query<{ gone: boolean }>('select drop_event_day($1) as gone', [name]),
    );
    if (day?.gone === true) dropped += 1;
  }
  return dropped;
}

/**
 * Of events that came to no day's partition, at most `batch` that are published and from before `before`. A scan: there are
 * none but those of a moment that no partition was made for.
 */
export async function deleteOldEvents(sql: Sql, before: Date, batch: number): Promise<number> {
  const rows = await sql.query(
    `delete from send_event_default where ctid = any (array(
       select e.ctid from send_event_default e join publish_cursor c on c.shard = e.shard
        where e.at < $1 and e.position <@ c.published limit $2))
     returning 1`,
    [before, batch],
  );
  return rows.length;
}

/**
 * Deletes at most `batch` rows of each table older than `before`; returns how many went. SKIP LOCKED lets two processes
 * share the work. inbox_key by its index on taken_at; the others, small tables, by a scan. An unwritten answer is kept for as
 * long as its send waits for it, or for somebody to judge it.
 */
export async function deleteOldKeys(sql: Sql, before: Date, batch: number): Promise<number> {
  const [gone] = await sql.query<{ count: number }>(
    `with old_inbox as (
       delete from inbox_key where ctid = any (array(
         select ctid from inbox_key where taken_at < $1 order by taken_at limit $2 for update skip locked)) returning 1
     ), old_answer as (
       delete from idempotent_answer where ctid = any (array(
         select ctid from idempotent_answer where created_at < $1 limit $2 for update skip locked)) returning 1
     ), old_unwritten as (
       delete from unwritten_answer where ctid = any (array(
         select u.ctid from unwritten_answer u
          where u.at < $1 and not exists (select from send s where s.id = u.send and s.state in ('sending', 'uncertain'))
          limit $2 for update skip locked)) returning 1
     )
     select ((select count(*) from old_inbox) + (select count(*) from old_answer)
             + (select count(*) from old_unwritten))::integer as count`,
    [before, batch],
  );
  return gone?.count ?? 0;
}

// Deletes old rows, in batches, from tables that are not partitioned by day.
import { sqlList } from '../../../platform/database/sql-list.js';
import { AWAITED_STATES } from '../../decide/lifecycle/send-state.js';
import type { Sql } from '../../../platform/database/database.js';

/**
 * Deletes at most `batch` rows of each table older than `before`; returns how many. SKIP LOCKED lets two processes share the work.
 * inbox_key by its index on taken_at; the others are small and scanned; a send by its primary key. An unwritten answer is kept while
 * its send waits for it, or for an operator to resolve it.
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
          where u.at < $1 and not exists (select from send_open s where s.id = u.send and s.state in ${sqlList(AWAITED_STATES)})
          limit $2 for update skip locked)) returning 1
     )
     select ((select count(*) from old_inbox) + (select count(*) from old_answer)
             + (select count(*) from old_unwritten))::integer as count`,
    [before, batch],
  );
  return gone?.count ?? 0;
}

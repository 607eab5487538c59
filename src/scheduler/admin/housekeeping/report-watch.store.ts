// What PostgreSQL lets the role carillon_report change for itself, its time-outs above all, is held to here: whoever works too long as
// that role is cut off. The role itself is made by deploy/sql/report-role.sql, where there is one.
import { firstRow, type Sql } from '../../../platform/database/database.js';

/** Real milliseconds: longer than the time-outs of the role itself, which end a statement with words. */
export const LONGEST_REPORT_MS = 90_000;

/**
 * Ends the connections of the role that have a transaction open for longer, whether a statement or nothing runs in it, or that hold
 * an advisory lock. Returns how many. Does nothing without the role, and where ours may not do so: see isUnwatched().
 */
export async function endLongReports(sql: Sql, longestMs = LONGEST_REPORT_MS): Promise<number> {
  const rows = await sql.query(
    `select pg_terminate_backend(a.pid) from pg_stat_activity a
      where a.usename = 'carillon_report' and a.datname = current_database()
        and pg_has_role(a.usesysid, 'usage')
        and (a.xact_start < clock_timestamp() - make_interval(secs => $1)
             or exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory'))`,
    [longestMs / 1_000],
  );
  return rows.length;
}

/** Whether there is such a role over which ours has no power. */
export async function isUnwatched(sql: Sql): Promise<boolean> {
  const row = await firstRow<{ unwatched: boolean }>(
    sql,
    `select coalesce(not pg_has_role(to_regrole('carillon_report'), 'usage'), false) as unwatched`,
    [],
  );
  return row?.unwatched ?? false;
}

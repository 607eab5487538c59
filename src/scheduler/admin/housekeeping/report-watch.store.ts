// Ends connections of the role carillon_report that work too long: PostgreSQL lets the role change its own time-outs.
// deploy/sql/report-role.sql makes the role; an installation may have none.
import { firstRow, type Sql } from '../../../platform/database/database.js';

/** Real milliseconds: longer than the role's own time-outs, which end a statement with an error that says why. */
const LONGEST_REPORT_MS = 90_000;

/**
 * Ends the role's connections that have a transaction open for longer, busy or idle, or that hold an advisory lock. Returns how many.
 * Does nothing if there is no such role, or if our role may not end its connections: see isUnwatched().
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

/** Whether the role exists and our role may not end its connections. */
export async function isUnwatched(sql: Sql): Promise<boolean> {
  const row = await firstRow<{ unwatched: boolean }>(
    sql,
    `select coalesce(not pg_has_role(to_regrole('carillon_report'), 'usage'), false) as unwatched`,
    [],
  );
  return row?.unwatched ?? false;
}

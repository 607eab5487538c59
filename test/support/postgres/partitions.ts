// The partitions that specs' clocks need, and none where they are about making them.
import type { Sql } from '../../../src/platform/database/database.js';
import { CUT_TABLES } from '../../../tools/past-days.js';

/**
 * One partition of each table for all instants that specs step their clocks to: in the template, so that a spec that is
 * about something else need not make days as the scheduler does. It begins behind the days of the machine's own clock.
 */
export async function addSpecYears(sql: Sql): Promise<void> {
  await sql.query(
    `select attach_days(c.relname, c.relname || '_specs',
                        greatest('2027-01-01T00:00:00Z', (select max(high) from day_partition d where d.parent = c.relname and isfinite(d.low))),
                        '2037-01-01T00:00:00Z') ${CUT_TABLES}`,
  );
}

/** None at all, or none of one table, for specs that are about days: those of their clock are made as in a fresh database. */
export async function dropDays(sql: Sql, parent: string | null = null): Promise<void> {
  const days = await sql.query<{ name: string }>(
    "select name from day_partition where low < 'infinity' and parent = coalesce($1, parent)",
    [parent],
  );
  for (const { name } of days) await sql.query(`drop table ${name}`);
}

// The partitions that specs' clocks need: the only place of theirs that knows how the schema cuts its tables.
import type { Sql } from '../../src/platform/database/database.js';

const TABLES = `from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
  where c.relnamespace = current_schema()::regnamespace`;

/**
 * One partition of each table for all instants that specs step their clocks to: in the template, so that a spec that is
 * about something else need not make days as the scheduler does. It begins behind the days of the machine's own clock.
 */
export async function addSpecYears(sql: Sql): Promise<void> {
  await sql.query(
    `select attach_days(c.relname, c.relname || '_specs',
                        greatest('2027-01-01T00:00:00Z', (select max(high) from day_partition d where d.parent = c.relname)),
                        '2037-01-01T00:00:00Z') ${TABLES}`,
  );
}

/** None at all, or none of one table, for specs that are about days: those of their clock are made as in a fresh database. */
export async function dropDays(sql: Sql, parent: string | null = null): Promise<void> {
  const days = await sql.query<{ name: string }>(
    'select name from day_partition where parent = coalesce($1, parent)',
    [parent],
  );
  for (const { name } of days) await sql.query(`drop table ${name}`);
}

/**
 * Of ids made from `from` on, for so many days and the last of them: days gone by, for specs whose sends were planned long
 * ago. What is from before the oldest day ends where they begin; there is none yet.
 */
export async function partitionsOf(sql: Sql, from: number, days: number): Promise<void> {
  const tables = await sql.query<{ name: string }>(`select c.relname as name ${TABLES}`);
  for (const { name } of tables) {
    await sql.query(
      `do $$ declare oldest timestamptz := to_timestamp(${Math.floor(from / 86_400_000)} * 86400);
       begin
         if (select high > oldest from day_partition where name = '${name}_old') then
           alter table ${name} detach partition ${name}_old;
           perform attach_days('${name}', '${name}_old', '-infinity', oldest);
         end if;
       end $$`,
    );
    await sql.query(
      'select add_day_partition($1, $2) where not exists (select from day_partition where parent = $1)',
      [name, new Date(from)],
    );
    // Days before the oldest are made by nobody else.
    await sql.query(
      `select attach_days($1, $1 || to_char(d.low at time zone 'UTC', '_YYYY_MM_DD'), d.low, d.low + interval '24 hours')
         from (select date_trunc('day', $2::timestamptz, 'UTC') + n * interval '24 hours' as low from generate_series(0, $3::int) n) d
        where not exists (select from day_partition p where p.parent = $1 and p.low > '-infinity' and p.low <= d.low and d.low < p.high)`,
      [name, new Date(from), days],
    );
  }
}

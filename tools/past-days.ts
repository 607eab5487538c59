// Makes partitions of past days, which the services never make: for specs and benches whose sends were planned long ago. It is a
// tool, because it knows how the schema partitions its tables.
import type { Sql } from '../src/platform/database/database.js';

/** Every table with partitions by day. */
export const CUT_TABLES = `from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
  where c.relnamespace = current_schema()::regnamespace`;

/** So many, of ids made from `from` on. What is from before ends where they begin; there is none yet. */
export async function addPastDays(sql: Sql, from: number, days: number): Promise<void> {
  const tables = await sql.query<{ name: string }>(`select c.relname as name ${CUT_TABLES}`);
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
      // Open sends have a partition of their own, which is no day.
      'select add_day_partition($1, $2) where not exists (select from day_partition where parent = $1 and isfinite(high))',
      [name, new Date(from)],
    );
    // Days before the oldest are made by nobody else.
    await sql.query(
      `select attach_days($1, $1 || to_char(d.low at time zone 'UTC', '_YYYY_MM_DD'), d.low, d.low + interval '24 hours')
         from (select date_trunc('day', $2::timestamptz, 'UTC') + n * interval '24 hours' as low from generate_series(0, $3::int - 1) n) d
        where not exists (select from day_partition p where p.parent = $1 and p.low > '-infinity' and p.low <= d.low and d.low < p.high)`,
      [name, new Date(from), days],
    );
  }
}

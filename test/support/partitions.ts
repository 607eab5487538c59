// The partitions of days gone by, for specs whose sends were planned long ago: the only place of theirs that knows how
// the schema cuts its tables.
import type { Sql } from '../../src/platform/database/database.js';

/** Of ids made from `from` on, for so many days and the last of them. */
export async function partitionsOf(sql: Sql, from: number, days: number): Promise<void> {
  await sql.query(
    `select add_day_partition(c.relname, $1::timestamptz + n * interval '24 hours')
       from pg_partitioned_table p join pg_class c on c.oid = p.partrelid cross join generate_series(0, $2::int) n
      where c.relnamespace = current_schema()::regnamespace and c.relname <> 'send_event'`,
    [new Date(from), days],
  );
}

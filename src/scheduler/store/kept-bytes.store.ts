// Reads from the catalogue how many bytes are kept, since when, and how fast they grow, for doctor, metrics and carillon retention.
import { firstRow, type Sql } from '../../platform/database/database.js';

export interface Kept {
  /** A partitioned table, or '' for all other tables of the schema together. */
  readonly kind: string;
  /** The oldest day that is kept whole, YYYY-MM-DD; null: it has no days. */
  readonly oldestDay: string | null;
  readonly days: number;
  /** Indexes included. */
  readonly bytes: number;
  /** The average of the last days that are over, at most seven. */
  readonly bytesADay: number;
}

const KEPT = `
with sized as (
  select p.parent, p.low, p.high, pg_total_relation_size(to_regclass(format('%I', p.name))) as bytes from day_partition p),
over as (
  select parent, bytes, row_number() over (partition by parent order by low desc) as place
    from sized where low > '-infinity' and high <= $1)
select parent as kind, to_char(min(low) filter (where low > '-infinity'), 'YYYY-MM-DD') as "oldestDay",
       (count(*) filter (where low > '-infinity' and low <= $1))::int as days, sum(bytes)::float8 as bytes,
       coalesce((select avg(o.bytes) from over o where o.parent = sized.parent and o.place <= 7), 0)::float8 as "bytesADay"
  from sized group by parent
union all
select '', null, 0, coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8, 0
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
 order by 1`;

export function keptBytes(sql: Sql, now: Date): Promise<Kept[]> {
  return sql.query(KEPT, [now]);
}

/** Bytes a day, of all tables together. */
export function growthOf(kept: readonly Kept[]): number {
  return kept.reduce((sum, { bytesADay }) => sum + bytesADay, 0);
}

/** If it grows as in the last days; undefined: the growth or the disk's size is unknown. Retention may free space before. */
export async function daysUntilFull(
  sql: Sql,
  kept: readonly Kept[],
  diskBytes: number | undefined,
): Promise<number | undefined> {
  const aDay = growthOf(kept);
  if (diskBytes === undefined || aDay === 0) return undefined;
  const row = await firstRow<{ taken: number }>(
    sql,
    'select pg_database_size(current_database())::float8 as taken',
  );
  return Math.max(0, Math.floor((diskBytes - (row?.taken ?? 0)) / aDay));
}

/** A day that retention will remove next. */
export interface DueDay {
  readonly day: string;
  /** As the last ANALYZE estimated; null: there was none. */
  readonly sends: number | null;
  readonly bytes: number;
}

const DUE = `
select to_char(p.low, 'YYYY-MM-DD') as day, sum(pg_total_relation_size(c.oid))::float8 as bytes,
       nullif(max(c.reltuples) filter (where p.parent = 'send'), -1)::float8 as sends
  from day_partition p join pg_class c on c.oid = to_regclass(format('%I', p.name))
 where p.parent <> 'send_event' and p.low > '-infinity' and p.high <= $1 group by p.low order by p.low`;

/** The days that ended by `cutoff`, oldest first. */
export function dueDays(sql: Sql, cutoff: Date): Promise<DueDay[]> {
  return sql.query(DUE, [cutoff]);
}

// Whether the server's lock table has room for statements over all the days that are kept: each of them locks every partition
// of its tables and every index of these, and with a table that is full, statements of anybody fail (53200).
import type { Sql } from './database.js';

/** Reports, lists, ledgers and dumps that go over all days at the same time, of all processes. */
const SIDE_BY_SIDE = 8;
/** Of a table with room for so many times what is in use. */
const STEP = 64;

export interface LockTable {
  /** Locks that it has room for: perTransaction × connections. */
  readonly room: number;
  readonly needed: number;
  readonly perTransaction: number;
  /** What max_locks_per_transaction should be at least. */
  readonly wanted: number;
}

/** `relations`: of one day, partitions and their indexes; `connections`: those that may be, prepared transactions with them. */
export function lockTable(
  days: number,
  relations: number,
  perTransaction: number,
  connections: number,
): LockTable {
  const needed = days * relations * SIDE_BY_SIDE;
  const wanted = Math.max(STEP, Math.ceil(needed / connections / STEP) * STEP);
  return { room: perTransaction * connections, needed, perTransaction, wanted };
}

const SERVER = `
select current_setting('max_locks_per_transaction')::int as "perTransaction",
       current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int as connections,
       (select (count(distinct p.partrelid) + count(i.indexrelid))::int
          from pg_partitioned_table p join pg_class c on c.oid = p.partrelid left join pg_index i on i.indrelid = p.partrelid
         where c.relnamespace = current_schema()::regnamespace) as relations`;

/** Of this schema's tables, where so many days of each are kept. */
export async function readLockTable(sql: Sql, days: number): Promise<LockTable> {
  const [row] = await sql.query<{ perTransaction: number; connections: number; relations: number }>(SERVER);
  const { perTransaction = 0, connections = 1, relations = 0 } = row ?? {};
  return lockTable(days, relations, perTransaction, connections);
}

/** What to do; undefined where there is room. */
export function lockFinding({ room, needed, perTransaction, wanted }: LockTable): string | undefined {
  if (room >= needed) return undefined;
  return `max_locks_per_transaction is ${perTransaction}, room for ${room} locks, where the days that are kept take ${needed}: set it to ${wanted} and start PostgreSQL anew`;
}

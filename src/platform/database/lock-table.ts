// Checks whether the server's lock table has room for statements over all days that are kept. Such a statement locks every
// partition of its tables, and all their indexes. Once the lock table is full, any statement may fail (53200).
import type { Sql } from './database.js';

/** How many reports, lists, ledgers and dumps of all processes read all days at the same time. */
const SIDE_BY_SIDE = 8;
/** The suggested max_locks_per_transaction is a multiple of this. */
const STEP = 64;

export interface LockTable {
  /** How many locks the table has room for: perTransaction × connections. */
  readonly room: number;
  readonly needed: number;
  readonly perTransaction: number;
  /** The smallest max_locks_per_transaction that is enough. */
  readonly wanted: number;
}

/** What the server says about itself and about the schema's tables. */
interface LockFacts {
  readonly perTransaction: number;
  /** The most connections, plus prepared transactions. */
  readonly connections: number;
  /** How many partitions and indexes one day has. */
  readonly relations: number;
}

export function lockTable(days: number, { perTransaction, connections, relations }: LockFacts): LockTable {
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

/** The lock table, for the tables of this schema with `days` days. */
export async function readLockTable(sql: Sql, days: number): Promise<LockTable> {
  const [facts] = await sql.query<LockFacts>(SERVER);
  return lockTable(days, facts ?? { perTransaction: 0, connections: 1, relations: 0 });
}

/** What to do; undefined where there is room. */
export function lockFinding({ room, needed, perTransaction, wanted }: LockTable): string | undefined {
  if (room >= needed) return undefined;
  return `max_locks_per_transaction is ${perTransaction}, room for ${room} locks, and the days that are kept take ${needed}: set it to ${wanted} and restart PostgreSQL`;
}

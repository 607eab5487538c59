// Locks shards for work that only one process at a time may do for a shard: publishing, rolling up, closing. The advisory lock lasts
// until the transaction ends. Only later statements see what the process that held the lock before has written.
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';

/** A campaign always belongs to the same shard. */
export const SHARDS = 16;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The first of a lock's two numbers: so our advisory locks differ from those of other programs. */
const LOCK_CLASS = {
  publish: 0x63_61_72_70,
  close: 0x63_61_72_71,
  rollup: 0x63_61_72_72,
  stream: 0x63_61_72_73,
} as const;

const HOLD = prepared(
  'select shard from unnest($2::int[]) as shard where pg_try_advisory_xact_lock($1, shard)',
);

/** Takes those of the shards that no other process holds for this work, and keeps them until the transaction ends. */
export async function holdShards(
  sql: Sql,
  work: keyof typeof LOCK_CLASS,
  shards: readonly number[] = ALL,
): Promise<number[]> {
  const rows = await sql.query<{ shard: number }>(HOLD, [LOCK_CLASS[work], shards]);
  return rows.map(({ shard }) => shard);
}

// What one process at a time does: the shards of what is published or rolled up, and closing. Held by an advisory lock that ends with its
// transaction. What the holder before did is seen only by the statement after this one.
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';

/** A campaign, and a key of the outbox, always falls into the same one. */
export const SHARDS = 16;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The first of two numbers: it keeps our advisory locks apart from those of others. */
const LOCK_CLASS = {
  outbox: 0x63_61_72_6f,
  outcomes: 0x63_61_72_70,
  close: 0x63_61_72_71,
  rollup: 0x63_61_72_72,
} as const;

const HOLD = prepared(
  'select shard from unnest($2::int[]) as shard where pg_try_advisory_xact_lock($1, shard)',
);

/** Those that nobody else holds for the same, ours until the transaction ends. */
export async function holdShards(
  sql: Sql,
  of: keyof typeof LOCK_CLASS,
  shards: readonly number[] = ALL,
): Promise<number[]> {
  const rows = await sql.query<{ shard: number }>(HOLD, [LOCK_CLASS[of], shards]);
  return rows.map(({ shard }) => shard);
}

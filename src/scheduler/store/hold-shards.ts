// The shards of what is published: one publisher has each of them at a time, by an advisory lock that ends with its
// transaction. Read with a statement of its own: what the one before published is seen only by the next.
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';

/** A campaign, and a key of the outbox, always falls into the same one. */
export const SHARDS = 16;

/** The first of two numbers: it keeps our advisory locks apart from those of others. */
const LOCK_CLASS = { outbox: 0x63_61_72_6f, outcomes: 0x63_61_72_70 } as const;

const HOLD = prepared(
  `select shard from generate_series(0, ${SHARDS - 1}) as shard where pg_try_advisory_xact_lock($1, shard)`,
);

/** Those that no other publisher of the same holds, ours until the transaction ends. */
export async function holdShards(sql: Sql, of: keyof typeof LOCK_CLASS): Promise<number[]> {
  const rows = await sql.query<{ shard: number }>(HOLD, [LOCK_CLASS[of]]);
  return rows.map(({ shard }) => shard);
}

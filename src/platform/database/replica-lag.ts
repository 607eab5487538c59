// How far a server lies behind the one that is written to, for figures that are read from a copy.
import type { Sql } from './database.js';

/**
 * Where everything received is replayed and more would come, nothing is missing, however long ago the last commit was; else
 * it stands as of the last commit replayed. A server that is no copy is behind by nothing.
 */
const BEHIND = `
select case when not pg_is_in_recovery() then 0
            when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
            else greatest(0, 1000 * extract(epoch from clock_timestamp() - coalesce(
                   pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint()))))
       end::float8 as ms`;

/** Milliseconds; inside a snapshot, of what it sees. */
export async function replicaLag(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ ms: number }>(BEHIND);
  return row?.ms ?? 0;
}

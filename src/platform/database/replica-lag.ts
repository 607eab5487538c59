// How far a server lags behind the primary, for figures that are read from a replica.
import type { Sql } from './database.js';

/**
 * Where everything received is replayed and the receiver runs, nothing is missing, however long ago the last commit was;
 * otherwise the lag counts from the last commit that was replayed. A primary has no lag.
 */
const BEHIND = `
select case when not pg_is_in_recovery() then 0
            when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
            else greatest(0, 1000 * extract(epoch from clock_timestamp() - coalesce(
                   pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint()))))
       end::float8 as ms`;

/** Milliseconds; within a snapshot, as the snapshot sees it. */
export async function replicaLag(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ ms: number }>(BEHIND);
  return row?.ms ?? 0;
}

// How far a server lags behind the primary. For figures that are read from a replica.
import type { Sql } from './database.js';

/**
 * If the receiver runs and everything that it received is replayed, nothing is missing, however old the last commit is. Otherwise
 * the lag counts from the last commit that was replayed. A primary has no lag.
 */
const BEHIND = `
select case when not pg_is_in_recovery() then 0
            when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
            else greatest(0, 1000 * extract(epoch from clock_timestamp() - coalesce(
                   pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint()))))
       end::float8 as ms`;

/** The lag, milliseconds. Within a snapshot, it is the lag of the snapshot. */
export async function replicaLag(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ ms: number }>(BEHIND);
  return row?.ms ?? 0;
}

// Reads from the heartbeats how far the clocks of machines that dispatch are ahead of the database's.
import type { OtherClock } from '../../platform/database/compare-clocks.js';
import type { Sql } from '../../platform/database/database.js';

/** Heartbeats older than this say nothing about the present, real seconds: a heartbeat is written at least every 12 s. */
const BEAT_WITHIN_SECONDS = 60;

/** Reads the whole table, which has one row for each process; locks nothing. */
export function replicaClocks(sql: Sql): Promise<OtherClock[]> {
  return sql.query<OtherClock>(
    `select machine, clock_ahead_ms as "aheadMs" from replica
      where machine is not null and clock_ahead_ms is not null
        and beat_at > clock_timestamp() - $1 * interval '1 second'`,
    [BEAT_WITHIN_SECONDS],
  );
}

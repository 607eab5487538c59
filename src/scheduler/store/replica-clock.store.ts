// How far the clocks of the machines that dispatch are from the database's, by their heartbeats.
import type { OtherClock } from '../../platform/database/compare-clocks.js';
import type { Sql } from '../../platform/database/database.js';

/** Older heartbeats say nothing of now, real seconds: a heartbeat is written at least every twelve. */
const HEARD_WITHIN_SECONDS = 60;

/** Reads the whole table, a row for each process; locks nothing. */
export function replicaClocks(sql: Sql): Promise<OtherClock[]> {
  return sql.query<OtherClock>(
    `select machine, clock_ahead_ms as "aheadMs" from replica
      where machine is not null and clock_ahead_ms is not null
        and beat_at > clock_timestamp() - $1 * interval '1 second'`,
    [HEARD_WITHIN_SECONDS],
  );
}

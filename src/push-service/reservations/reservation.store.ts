// Named SQL of reservations (push-interface.md §2.7, §3). Each statement is one step of the state machine, guarded by the state it
// leaves, so that of a cancellation and a firing at once exactly one wins.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { MessageState } from '../messages/message.store.js';

export interface ReservationRow {
  readonly id: string;
  readonly reserveTime: string;
  readonly reserveTimeZone: string;
  readonly state: MessageState;
}

const FIND_RESERVATION = prepared(`
  SELECT id, reserve_time AS "reserveTime", reserve_time_zone AS "reserveTimeZone", state
  FROM message WHERE id = $1 AND service_id = $2 AND kind = 'reserved'`);

export async function findReservation(
  sql: Sql,
  serviceId: string,
  id: string,
): Promise<ReservationRow | undefined> {
  const [row] = await rowsOf<ReservationRow>(sql, FIND_RESERVATION, [id, serviceId]);
  return row;
}

/** READY → CANCELED. Returns whether this call did it; waits for a firing that holds the row. */
export async function cancelReady(sql: Sql, serviceId: string, id: string, now: Date): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    `UPDATE message SET state = 'CANCELED', complete_at = $3
     WHERE id = $1 AND service_id = $2 AND kind = 'reserved' AND state = 'READY' RETURNING id`,
    [id, serviceId, now],
  );
  return rows.length > 0;
}

/**
 * Due messages, oldest first (index message_due): READY → PROCESSING with a firing of their own, or → STALE for a
 * reservation whose time-out is over. Rows that another replica holds are passed over. Returns how many moved. All are
 * reservations, but for immediate messages that a process of the version before took.
 */
export async function fireDue(sql: Sql, now: Date, staleBefore: Date, limit: number): Promise<number> {
  const [row] = await rowsOf<{ moved: number }>(
    sql,
    `WITH due AS (
       SELECT id FROM message WHERE state = 'READY' AND fire_at <= $1
       ORDER BY fire_at LIMIT $3 FOR UPDATE SKIP LOCKED
     ), moved AS (
       UPDATE message m SET
         state = CASE WHEN m.kind = 'reserved' AND m.fire_at <= $2 THEN 'STALE' ELSE 'PROCESSING' END,
         complete_at = CASE WHEN m.kind = 'reserved' AND m.fire_at <= $2 THEN $1 END
       FROM due WHERE m.id = due.id
       RETURNING m.id, m.service_id, m.fire_at, m.state, m.small
     ), made AS (
       INSERT INTO firing (message_id, service_id, occurrence, due_at, small)
       SELECT id, service_id, 'once', fire_at, small FROM moved WHERE state = 'PROCESSING' ORDER BY fire_at
     )
     SELECT count(*)::int AS moved FROM moved`,
    [now, staleBefore, limit],
  );
  return row?.moved ?? 0;
}

/** The next instant at which a message or a schedule is due, or undefined. */
export async function nextDue(sql: Sql): Promise<Date | undefined> {
  const [row] = await rowsOf<{ at: Date | null }>(
    sql,
    `SELECT least((SELECT min(fire_at) FROM message WHERE state = 'READY'), (SELECT min(look_at) FROM schedule)) AS at`,
  );
  return row?.at ?? undefined;
}

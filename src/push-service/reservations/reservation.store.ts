// Named SQL of reservations (push-interface.md §2.7, §3). Each statement is one step of the state machine and requires the state
// that it leaves. So if a cancellation and a firing come at the same time, exactly one wins.
import { anyRow, firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { ReservationStatus } from '../gateway/answers.js';
import type { MessageState } from '../messages/message.store.js';

export interface ReservationRow extends Omit<ReservationStatus, 'reserveStatus'> {
  readonly state: Exclude<MessageState, 'ATTACHED'>;
}

const FIND_RESERVATION = prepared(`
  select id as "reserveId", reserve_time_zone as "reserveTimeZone", reserve_time as "reserveTime", state
  from message where id = $1 and service_id = $2 and kind = 'reserved'`);

export function findReservation(
  sql: Sql,
  serviceId: string,
  id: string,
): Promise<ReservationRow | undefined> {
  return firstRow<ReservationRow>(sql, FIND_RESERVATION, [id, serviceId]);
}

/** READY → CANCELED. Returns whether this call did it; waits for a firing that has the row locked. */
export function cancelReady(sql: Sql, serviceId: string, id: string, now: Date): Promise<boolean> {
  return anyRow(
    sql,
    `update message set state = 'CANCELED', complete_at = $3
     where id = $1 and service_id = $2 and kind = 'reserved' and state = 'READY' returning id`,
    [id, serviceId, now],
  );
}

/**
 * Moves due messages, oldest first: READY → PROCESSING with a firing, or → STALE for a reservation whose time-out is over.
 * Returns how many moved. All are reservations, except immediate messages that a process of an earlier version took.
 */
export async function fireDue(sql: Sql, now: Date, staleBefore: Date, limit: number): Promise<number> {
  const [row] = await sql.query<{ moved: number }>(
    // Index message_due. Passes over rows that another replica has locked.
    `with due as (
       select id from message where state = 'READY' and fire_at <= $1
       order by fire_at limit $3 for update skip locked
     ), moved as (
       update message m set
         state = case when m.kind = 'reserved' and m.fire_at <= $2 then 'STALE' else 'PROCESSING' end,
         complete_at = case when m.kind = 'reserved' and m.fire_at <= $2 then $1 end
       from due where m.id = due.id
       returning m.id, m.service_id, m.fire_at, m.state, m.small
     ), made as (
       insert into firing (id, message_id, service_id, occurrence, due_at, small)
       select next_firing($1), id, service_id, 'once', fire_at, small from moved where state = 'PROCESSING' order by fire_at
     )
     select count(*)::int as moved from moved`,
    [now, staleBefore, limit],
  );
  return row?.moved ?? 0;
}

/** The next instant at which a message or a schedule is due, or undefined. */
export async function nextDue(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    `select least((select min(fire_at) from message where state = 'READY'), (select min(next_fire_at) from schedule)) as at`,
  );
  return row?.at ?? undefined;
}

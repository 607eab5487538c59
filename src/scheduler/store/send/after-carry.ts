// Reading sends by a stable function while a day is carried (sql/scheduler/functions/carry_day.sql). Such a function reads in the
// snapshot of the statement that calls it, but locks its tables only once it runs: where it waits for the carrying, the day is off
// the table by then, and what was carried is newer than the snapshot. So it would find the send in neither.

/**
 * True. A condition of the calling statement, which with it locks the table itself: a statement takes its snapshot after its locks.
 * ONLY: no day is opened or locked for it, and nothing is read.
 */
export const AFTER_CARRY = 'not exists (select from only send)';

// The end of a schedule: its messages are taken off it, in one transaction with its row. What is on its way already
// ends on its own.
import type { Database } from '../../platform/database/database.js';
import { retryingDeadlocks } from '../gateway/retry-deadlocks.js';

const ATTACHED = `schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED'`;

/**
 * Nothing of its messages goes out any more. Each step is a statement of its own, since a statement that waited for a
 * lock does not see what was committed meanwhile: the schedule's row waits for messages that are being taken under it
 * (INSERT_SCHEDULED), and only then are they looked for. Returns whether there was one.
 */
export async function deleteSchedule(
  database: Database,
  serviceId: string,
  scheduleCode: string,
  now: Date,
): Promise<boolean> {
  // Outcomes are recorded in an order of their own: one of two that meet in two messages may be ended as a deadlock.
  return retryingDeadlocks(() =>
    database.transaction(async (sql) => {
      const [schedule] = await sql.query<{ id: string }>(
        'select id from schedule where service_id = $1 and schedule_code = $2 for update',
        [serviceId, scheduleCode],
      );
      if (schedule === undefined) return false;
      await sql.query(
        `select count(*) from (select from message where ${ATTACHED} order by id for no key update) held`,
        [schedule.id],
      );
      await sql.query(`update message set state = 'CANCELED', complete_at = $2 where ${ATTACHED}`, [
        schedule.id,
        now,
      ]);
      await sql.query('delete from schedule where id = $1', [schedule.id]);
      return true;
    }),
  );
}

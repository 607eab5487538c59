// PUT of a schedule: new times from now on. What its old times made due goes out, also at the very minute of the change
// and when the loop that fires has not come to it yet.
import type { ServiceFacts } from '../gateway/access.store.js';
import { fireUntil, type ScheduleParts } from './fire-schedules.js';
import type { NewSchedule } from './schedule-bodies.js';
import { findSchedule, updateSchedule, type ScheduleRow } from './schedule.store.js';
import { keepSchedule } from './schedule-views.js';

/** Every firing is made; the one that is too late to go out ends STALE when it is expanded. */
const NOT_STALE_YET = new Date(0);

/** Undefined when there is no such schedule. */
export async function changeSchedule(
  { database, clock, rules }: ScheduleParts,
  service: Pick<ServiceFacts, 'id' | 'offsets'>,
  given: NewSchedule,
): Promise<ScheduleRow | undefined> {
  return database.transaction(async (sql) => {
    const schedule = await findSchedule(sql, service.id, given.scheduleCode, true);
    if (schedule === undefined) return undefined;
    // Read under the lock: whoever held it may have fired until later.
    const now = clock.now();
    await fireUntil(sql, rules, schedule, { now, staleBefore: NOT_STALE_YET });
    return updateSchedule(sql, keepSchedule(service, given, now, rules));
  });
}

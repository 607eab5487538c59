// The firing of schedules: what is due since the last look becomes one firing for each attached message. Never sends,
// and never fires an occurrence twice: its name is unique for the message.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { LOCALTIME } from '../../push-contract/schedules.js';
import { nextFiring, occurrencesIn, type Occurrence } from './occurrences.js';
import {
  lockDueSchedule,
  makeFirings,
  moveOn,
  registeredOffsets,
  type ScheduleRow,
} from './schedule.store.js';

/**
 * What was due longer ago is not made up for, not even as STALE: a clock set ahead by centuries, or a service that
 * stood for years, would else lay down an occurrence a day.
 */
const LOOK_BACK_MS = 31 * 86_400_000;

/** One due schedule, in one transaction with the time it was looked at. Returns false when none is due. */
export async function fireDueSchedule(database: Database, clock: Clock, timeoutMs: number): Promise<boolean> {
  return database.transaction(async (sql) => {
    const now = clock.now();
    const schedule = await lockDueSchedule(sql, new Date(now));
    if (schedule === undefined) return false;
    await fireUntil(sql, schedule, now, new Date(now - timeoutMs));
    const nextFireAt = nextFiring(schedule, now);
    await moveOn(sql, schedule.id, new Date(now), nextFireAt === null ? null : new Date(nextFireAt));
    return true;
  });
}

/** What is due by now and not yet fired, of a schedule that is locked. */
export async function fireUntil(
  sql: Sql,
  schedule: ScheduleRow,
  now: EpochMs,
  staleBefore: Date,
): Promise<void> {
  const offsets = schedule.timeZone === LOCALTIME ? await registeredOffsets(sql, schedule.serviceId) : [];
  const after = Math.max(schedule.firedUntil.getTime(), now - LOOK_BACK_MS);
  const due = occurrencesIn(schedule, after, now, offsets);
  if (due.length > 0) await makeFirings(sql, schedule.id, due, staleBefore);
}

/** A firing out of turn, for all its users at once. Returns how many messages go out. */
export async function fireNow(database: Database, clock: Clock, scheduleId: string): Promise<number> {
  const at = clock.now();
  const extra: Occurrence = { name: `extra-${new Date(at).toISOString()}`, at, timezone: null };
  return makeFirings(database, scheduleId, [extra], new Date(0));
}

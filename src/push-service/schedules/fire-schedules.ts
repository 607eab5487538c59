// The firing of schedules: each occurrence since the last round becomes one firing of each attached message. Never sends, and
// never fires an occurrence twice: its name is unique for the message.
import { LOCALTIME } from '../../push-contract/limits.js';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { nextFiring, occurrencesIn, type Occurrence } from './occurrences.js';
import {
  lockDueSchedule,
  makeFirings,
  moveOn,
  registeredOffsets,
  type ScheduleRow,
} from './schedule.store.js';

/**
 * What was due longer ago is not made up for, not even as STALE: otherwise a clock set ahead by centuries, or a service that
 * was down for years, would make an occurrence for each day.
 */
const LOOK_BACK_MS = 31 * 86_400_000;

/** A schedule whose zone is not in this process's zone rules is due again after this; what was missed is made up for then. */
const UNKNOWN_ZONE_REST_MS = 600_000;

interface FiringParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
}

/** Fires one due schedule and moves it on, in one transaction. Returns false when none is due. */
export async function fireDueSchedule(
  { database, clock, rules, log }: FiringParts,
  timeoutMs: number,
): Promise<boolean> {
  return database.transaction(async (sql) => {
    const now = clock.now();
    const schedule = await lockDueSchedule(sql, new Date(now));
    if (schedule === undefined) return false;
    if (!(await fireUntil(sql, rules, schedule, { now, staleBefore: new Date(now - timeoutMs) }))) {
      const { id, timeZone, firedUntil } = schedule;
      log.error({ scheduleId: id, timeZone, rules: rules.source }, 'a schedule waits: its zone is not known');
      await moveOn(sql, id, firedUntil, new Date(now + UNKNOWN_ZONE_REST_MS));
      return true;
    }
    const nextFireAt = nextFiring(schedule, now, rules);
    await moveOn(sql, schedule.id, new Date(now), nextFireAt === null ? null : new Date(nextFireAt));
    return true;
  });
}

/** Fires what is due of a locked schedule and not fired yet. Returns false where its zone is not known. */
export async function fireUntil(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: { readonly now: EpochMs; readonly staleBefore: Date },
): Promise<boolean> {
  const { timeZone, serviceId } = schedule;
  const firingClock =
    timeZone === LOCALTIME ? await registeredOffsets(sql, serviceId) : rules.table(timeZone);
  if (firingClock === undefined) return false;
  const after = Math.max(schedule.firedUntil.getTime(), at.now - LOOK_BACK_MS);
  const due = occurrencesIn(schedule, after, at.now, firingClock);
  if (due.length > 0) await makeFirings(sql, schedule.id, due, at);
  return true;
}

/** An extra firing, for all users at once. Returns how many messages go out. */
export async function fireNow(database: Database, clock: Clock, scheduleId: string): Promise<number> {
  const at = clock.now();
  const extra: Occurrence = { name: `extra-${new Date(at).toISOString()}`, at, timezone: null };
  return makeFirings(database, scheduleId, [extra], { now: at, staleBefore: new Date(0) });
}

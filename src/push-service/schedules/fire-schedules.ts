// The firing of schedules: each occurrence since the last round becomes one firing of each attached message. Never sends, and
// never fires an occurrence twice: its name is unique for the message.
import { LOCALTIME } from '../../push-contract/limits.js';
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { databaseFault, isDeadlock } from '../gateway/database-fault.js';
import { nextFiring, occurrencesIn, type Occurrence } from './occurrences.js';
import {
  countAttached,
  lockDueSchedule,
  makeFirings,
  moveOn,
  putOff,
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

/** The same for one that could not be fired; shorter than the time-out, after which its firing would be STALE. */
const BROKEN_REST_MS = 30_000;

/** Firings that one statement makes, unless one instant of a schedule makes more: some 10 µs each. */
const FIRINGS = 20_000;

export interface FiringParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
}

/**
 * Fires one due schedule and moves it on, in one transaction; one that has much to make up for, a part at a time. Returns false
 * when none is due. What breaks in a schedule puts that one off: otherwise it would be the next for ever, and none behind it
 * would be fired.
 */
export async function fireDueSchedule(parts: FiringParts, timeoutMs: number): Promise<boolean> {
  const { database, clock, log } = parts;
  let schedule: ScheduleRow | undefined;
  try {
    return await database.transaction(async (sql) => {
      const now = clock.now();
      schedule = await lockDueSchedule(sql, new Date(now));
      if (schedule === undefined) return false;
      await fireLocked(sql, parts, schedule, { now, staleBefore: new Date(now - timeoutMs) });
      return true;
    });
  } catch (error) {
    if (schedule === undefined || databaseFault(error) !== undefined || isDeadlock(error)) throw error;
    log.error({ scheduleId: schedule.id, err: error }, 'a schedule waits: it could not be fired');
    const now = clock.now();
    await putOff(database, schedule.id, new Date(now), new Date(now + BROKEN_REST_MS));
    return true;
  }
}

interface FiringTimes {
  readonly now: EpochMs;
  readonly staleBefore: Date;
}

async function fireLocked(
  sql: Sql,
  { rules, log }: FiringParts,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<void> {
  const { id, timeZone, firedUntil } = schedule;
  const until = await firePart(sql, rules, schedule, at);
  if (until === undefined) {
    log.error({ scheduleId: id, timeZone, rules: rules.source }, 'a schedule waits: its zone is not known');
    return moveOn(sql, id, firedUntil, new Date(at.now + UNKNOWN_ZONE_REST_MS));
  }
  // Still due, if there is more.
  const nextFireAt = until < at.now ? until : nextFiring(schedule, at.now, rules);
  return moveOn(sql, id, new Date(until), nextFireAt === null ? null : new Date(nextFireAt));
}

/** Fires all that is due of a locked schedule and not fired yet. Nothing where its zone is not known. */
export async function fireUntil(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<void> {
  let { firedUntil } = schedule;
  for (;;) {
    const until = await firePart(sql, rules, { ...schedule, firedUntil }, at);
    if (until === undefined || until >= at.now) return;
    firedUntil = new Date(until);
  }
}

/**
 * Fires the oldest of it, some FIRINGS. Returns the instant up to which all that was due is fired; undefined where the zone is not
 * known.
 */
async function firePart(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<EpochMs | undefined> {
  const { id, timeZone, serviceId } = schedule;
  const firingClock =
    timeZone === LOCALTIME ? await registeredOffsets(sql, serviceId) : rules.table(timeZone);
  if (firingClock === undefined) return undefined;
  const after = Math.max(schedule.firedUntil.getTime(), at.now - LOOK_BACK_MS);
  const due = occurrencesIn(schedule, after, at.now, firingClock);
  if (due.length === 0) return at.now;
  const attached = due.length === 1 ? 1 : await countAttached(sql, id, FIRINGS);
  const most = Math.max(1, Math.floor(FIRINGS / Math.max(1, attached)));
  // An instant is fired as a whole: LOCALTIME may have two occurrences at one.
  const last = due[most - 1]?.at ?? at.now;
  const part = due.filter((one) => one.at <= last);
  await makeFirings(sql, id, part, at);
  return part.length === due.length ? at.now : last;
}

/** An extra firing, for all users at once. Returns how many messages go out. */
export async function fireNow(database: Database, clock: Clock, scheduleId: string): Promise<number> {
  const at = clock.now();
  const extra: Occurrence = { name: `extra-${new Date(at).toISOString()}`, at, timezone: null };
  return makeFirings(database, scheduleId, [extra], { now: at, staleBefore: new Date(0) });
}

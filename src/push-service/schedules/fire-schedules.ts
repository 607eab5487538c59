// Fires schedules: for each occurrence since the last round, each attached message gets one firing. Never sends. Never fires an
// occurrence twice: its name is unique for the message.
import { LOCALTIME } from '../../push-contract/limits.js';
import type { Clock, EpochMs } from '../../platform/clock.js';
import { isStatementEnded } from '../../platform/database/database-away.js';
import type { Database, Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/logging/log.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { databaseFault } from '../gateway/database-fault.js';
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
 * Occurrences that were due longer ago are not made up for, not even as STALE. Otherwise a clock that is set ahead by centuries,
 * or a service that was down for years, would make an occurrence for each day. Milliseconds.
 */
const LOOK_BACK_MS = 31 * 86_400_000;

/**
 * A schedule that could not be fired, or whose zone this process does not know, is due again after this time, milliseconds. Then
 * it makes up for what it missed. Another replica may know the zone. It is shorter than the time-out, after which its firing
 * would be STALE.
 */
const REST_MS = 30_000;

/** How many firings one statement makes, unless one instant of a schedule makes more. Each takes some 10 µs. */
export const FIRINGS = 20_000;

export interface FiringDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
}

/** How many firings were made for a schedule that was due. */
interface Fired {
  readonly firings: number;
}

/**
 * Fires one due schedule and moves it on, in one transaction. A schedule that has much to make up for is fired in batches.
 * Undefined when none is due. A schedule that breaks is put off: otherwise it would always be the next, and no schedule behind it
 * would fire.
 */
export async function fireDueSchedule(deps: FiringDeps, timeoutMs: number): Promise<Fired | undefined> {
  const { database, clock, log } = deps;
  let schedule: ScheduleRow | undefined;
  try {
    return await database.transaction(async (sql) => {
      const now = clock.now();
      schedule = await lockDueSchedule(sql, new Date(now));
      if (schedule === undefined) return undefined;
      return fireLocked(sql, deps, schedule, { now, staleBefore: new Date(now - timeoutMs) });
    });
  } catch (error) {
    if (schedule === undefined || isPassing(error)) throw error;
    log.error({ scheduleId: schedule.id, err: error }, 'a schedule waits: it could not be fired');
    const now = clock.now();
    await putOff(database, schedule.id, new Date(now), new Date(now + REST_MS));
    return { firings: 0 };
  }
}

/** A statement that took too long does not count: it would take too long the next time too, because of the schedule. */
function isPassing(error: unknown): boolean {
  return !isStatementEnded(error) && databaseFault(error) !== undefined;
}

interface FiringTimes {
  readonly now: EpochMs;
  readonly staleBefore: Date;
}

async function fireLocked(
  sql: Sql,
  { rules, log }: FiringDeps,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<Fired> {
  const { id, timeZone, firedUntil } = schedule;
  const batch = await fireBatch(sql, rules, schedule, at);
  if (batch === undefined) {
    log.error({ scheduleId: id, timeZone, rules: rules.source }, 'a schedule waits: its zone is not known');
    await moveOn(sql, id, firedUntil, new Date(at.now + REST_MS));
    return { firings: 0 };
  }
  // If there is more to fire, the schedule is due again at once, behind all that were due before: they do not wait for its
  // batches.
  const nextFireAt = batch.until < at.now ? at.now : nextFiring(schedule, at.now, rules);
  await moveOn(sql, id, new Date(batch.until), nextFireAt === null ? null : new Date(nextFireAt));
  return batch;
}

/** Fires every due occurrence of a locked schedule that is not fired yet. Fires nothing where the zone is not known. */
export async function fireUntil(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<void> {
  let { firedUntil } = schedule;
  for (;;) {
    const batch = await fireBatch(sql, rules, { ...schedule, firedUntil }, at);
    if (batch === undefined || batch.until >= at.now) return;
    firedUntil = new Date(batch.until);
  }
}

interface FiredBatch extends Fired {
  /** Everything that was due up to this instant is fired. */
  readonly until: EpochMs;
}

/** Fires the oldest due occurrences, about FIRINGS firings. Undefined where the zone is not known. */
async function fireBatch(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<FiredBatch | undefined> {
  const { id, timeZone, serviceId } = schedule;
  const firingClock =
    timeZone === LOCALTIME ? await registeredOffsets(sql, serviceId) : rules.table(timeZone);
  if (firingClock === undefined) return undefined;
  const after = Math.max(schedule.firedUntil.getTime(), at.now - LOOK_BACK_MS);
  const due = occurrencesIn(schedule, after, at.now, firingClock);
  if (due.length === 0) return { until: at.now, firings: 0 };
  const attached = due.length === 1 ? 1 : await countAttached(sql, id, FIRINGS);
  const most = Math.max(1, Math.floor(FIRINGS / Math.max(1, attached)));
  // An instant is fired as a whole, because LOCALTIME may have two occurrences at one instant.
  const last = due[most - 1]?.at ?? at.now;
  const batch = due.filter((one) => one.at <= last);
  const firings = await makeFirings(sql, id, batch, at);
  return { until: batch.length === due.length ? at.now : last, firings };
}

/** An extra firing, for all users at once. Returns how many messages go out. */
export async function fireNow(database: Database, clock: Clock, scheduleId: string): Promise<number> {
  const at = clock.now();
  const extra: Occurrence = { name: `extra-${new Date(at).toISOString()}`, at, timezone: null };
  return makeFirings(database, scheduleId, [extra], { now: at, staleBefore: new Date(0) });
}

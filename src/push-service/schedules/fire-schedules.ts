// The firing of schedules: each occurrence since the last round becomes one firing of each attached message. Never sends, and
// never fires an occurrence twice: its name is unique for the message.
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
 * What was due longer ago is not made up for, not even as STALE: otherwise a clock set ahead by centuries, or a service that
 * was down for years, would make an occurrence for each day.
 */
const LOOK_BACK_MS = 31 * 86_400_000;

/**
 * A schedule that could not be fired, or whose zone is not in this process's zone rules, is due again after this, and what was
 * missed is made up for then. Shorter than the time-out, after which its firing would be STALE: another replica may know the zone.
 */
const REST_MS = 30_000;

/** Firings that one statement makes, unless one instant of a schedule makes more: some 10 µs each. */
export const FIRINGS = 20_000;

export interface FiringDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
}

/** What was done of a schedule that was due. */
interface Fired {
  readonly firings: number;
}

/**
 * Fires one due schedule and moves it on, in one transaction; one that has much to make up for, a part at a time. Undefined when
 * none is due. What breaks in a schedule puts that one off: otherwise it would be the next for ever, and none behind it would be
 * fired.
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

/** A statement that took too long would do so the next time too: that lies in the schedule. */
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
  const part = await firePart(sql, rules, schedule, at);
  if (part === undefined) {
    log.error({ scheduleId: id, timeZone, rules: rules.source }, 'a schedule waits: its zone is not known');
    await moveOn(sql, id, firedUntil, new Date(at.now + REST_MS));
    return { firings: 0 };
  }
  // If there is more, it is due again at once, behind all that were due before: they do not wait for what it missed.
  const nextFireAt = part.until < at.now ? at.now : nextFiring(schedule, at.now, rules);
  await moveOn(sql, id, new Date(part.until), nextFireAt === null ? null : new Date(nextFireAt));
  return part;
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
    const part = await firePart(sql, rules, { ...schedule, firedUntil }, at);
    if (part === undefined || part.until >= at.now) return;
    firedUntil = new Date(part.until);
  }
}

interface FiredPart extends Fired {
  /** The instant up to which all that was due is fired. */
  readonly until: EpochMs;
}

/** Fires the oldest of it, some FIRINGS. Undefined where the zone is not known. */
async function firePart(
  sql: Sql,
  rules: ZoneRules,
  schedule: ScheduleRow,
  at: FiringTimes,
): Promise<FiredPart | undefined> {
  const { id, timeZone, serviceId } = schedule;
  const firingClock =
    timeZone === LOCALTIME ? await registeredOffsets(sql, serviceId) : rules.table(timeZone);
  if (firingClock === undefined) return undefined;
  const after = Math.max(schedule.firedUntil.getTime(), at.now - LOOK_BACK_MS);
  const due = occurrencesIn(schedule, after, at.now, firingClock);
  if (due.length === 0) return { until: at.now, firings: 0 };
  const attached = due.length === 1 ? 1 : await countAttached(sql, id, FIRINGS);
  const most = Math.max(1, Math.floor(FIRINGS / Math.max(1, attached)));
  // An instant is fired as a whole: LOCALTIME may have two occurrences at one.
  const last = due[most - 1]?.at ?? at.now;
  const part = due.filter((one) => one.at <= last);
  const firings = await makeFirings(sql, id, part, at);
  return { until: part.length === due.length ? at.now : last, firings };
}

/** An extra firing, for all users at once. Returns how many messages go out. */
export async function fireNow(database: Database, clock: Clock, scheduleId: string): Promise<number> {
  const at = clock.now();
  const extra: Occurrence = { name: `extra-${new Date(at).toISOString()}`, at, timezone: null };
  return makeFirings(database, scheduleId, [extra], { now: at, staleBefore: new Date(0) });
}

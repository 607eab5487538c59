// Reads and fires uncertain sends whose request may be repeated without sending twice (hand-off.md, "Uncertain"). They stay uncertain
// during the repeat: only an answer moves them. Nobody claims one: the replica that fires it first repeats it.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { endAttempts } from './answer.store.js';
import { findFired, type FiredSend } from './fire.store.js';
import type { PlannedSend } from './read-work.store.js';
import { moveSends } from './move.store.js';

/** A send whose request may be repeated now. */
export type DueRepeat = Pick<PlannedSend, 'id' | 'serviceId' | 'campaign' | 'revision' | 'attempts'>;

/** A fired repeat: the caller that gets it makes the request. */
export type FiredRepeat = Omit<FiredSend, 'id'> & Pick<PlannedSend, 'mode' | 'scheduleCode' | 'dueAt'>;

// sql/scheduler/functions/due_repeats.sql: index send_work, a few sends of each project, so that no project waits for another. Locks
// nothing.
const DUE = prepared(`
select id, service_id as "serviceId", campaign, revision, attempts from due_repeats($1, $2, $3)`);

export interface RepeatAsk {
  readonly now: EpochMs;
  /** The most sends of each project. */
  readonly limit: number;
  /** Projects that are left out. */
  readonly without: readonly string[];
}

/** Only of projects whose gateway answers a repeated request with the first answer (`idempotency-key`). */
export function dueRepeats(sql: Sql, { now, limit, without }: RepeatAsk): Promise<DueRepeat[]> {
  return sql.query(DUE, [new Date(now), limit, without]);
}

/** Takes next_at from sends that are too late to be repeated: sql/scheduler/functions/rest_repeats.sql. Returns how many it found. */
export async function restRepeats(sql: Sql, { now, limit }: Omit<RepeatAsk, 'without'>): Promise<number> {
  const rested = await firstRow<{ count: number }>(sql, 'select rest_repeats($1, $2) as count', [
    new Date(now),
    limit,
  ]);
  return rested?.count ?? 0;
}

export interface RepeatFire {
  readonly now: EpochMs;
  /** The replica that repeats it. */
  readonly replica: string;
  /** When it is repeated again if this answer is lost too: later than any answer can come. */
  readonly againAt: EpochMs;
}

/**
 * Fires a repeat if the send is uncertain, has this number of attempts and is still wanted, and its project is not blocked. undefined:
 * that does not hold, or another replica was first. Only the replica that fired it may make the request.
 */
export function fireRepeat(
  sql: Sql,
  { id, attempts }: Pick<DueRepeat, 'id' | 'attempts'>,
  { now, replica, againAt }: RepeatFire,
): Promise<FiredRepeat | undefined> {
  // sql/scheduler/functions/fire_repeat.sql. The attempt is committed before the repeat leaves.
  return firstRow(
    sql,
    `select attempt, released, occurrence, cell, chunk, retries, mode, schedule_code as "scheduleCode", due_ms as "dueAt", recipients, target
       from fire_repeat($1, $2, $3, $4, $5)`,
    [id, attempts, new Date(now), replica, new Date(againAt)],
  );
}

/**
 * For fires that the database may not have confirmed and that no call followed: ends the attempts that were made after all. Returns the
 * sends for which that is settled. The other fires may still take effect, until another process makes that attempt.
 */
export async function endUncalled(
  sql: Sql,
  uncalled: readonly Pick<FiredSend, 'id' | 'attempt'>[],
  { now, replica }: Pick<RepeatFire, 'now' | 'replica'>,
): Promise<string[]> {
  const found = await findFired(
    sql,
    uncalled.map(({ id }) => id),
    replica,
  );
  const made = uncalled.filter(
    ({ id, attempt }) => found.get(id)?.isOurs === true && found.get(id)?.attempt === attempt,
  );
  await endAttempts(
    sql,
    made.map((one) => ({
      ...one,
      endedAt: now,
      requestSent: false,
      httpStatus: null,
      errorCode: 'REQUEST_NOT_MADE',
      answer: null,
      outcome: 'not-sent',
      nextAt: null,
    })),
  );
  const known = uncalled.filter(({ id, attempt }) => {
    const row = found.get(id);
    return row !== undefined && (row.attempt >= attempt || row.state !== 'uncertain');
  });
  return known.map(({ id }) => id);
}

// Like DUE; may_repeat.sql decides which may be repeated.
const RESEND = prepared(`
select s.id, s.attempts from project p join send_repeat s on s.service_id = p.service_id
 where s.work = 'r' and s.next_at <= $1 and may_repeat(s.wanted, s.repeat_until, s.mode, s.due_at, $1)
   and (p.blocked_until is null or p.blocked_until <= $1)
   and s.wanted and p.on_uncertain = 'resend' and not 'idempotency-key' = any(p.extensions) limit $2`);

/** Moves sends back to planned, in projects that would rather send twice than not at all (`onUncertain: resend`). */
export async function resendUncertain(sql: Sql, now: EpochMs, limit: number, by: string): Promise<number> {
  const sends = await sql.query<{ id: string; attempts: number }>(RESEND, [new Date(now), limit]);
  const how = {
    fromState: 'uncertain',
    toState: 'planned',
    code: 'RESENT',
    detail: 'it may reach somebody twice',
    requestId: null,
    nextAt: now,
  } as const;
  return moveSends(
    sql,
    sends.map((send) => ({ ...send, ...how })),
    { at: now, by },
  );
}

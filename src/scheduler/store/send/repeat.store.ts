// Uncertain sends whose request may be repeated without sending twice (life-of-a-send.md, "Uncertain"). They stay
// uncertain while it runs: only an answer moves them. Nobody holds one: whoever fires it first repeats it.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { endAttempts } from './answer.store.js';
import { findFired, type FiredSend } from './fire.store.js';
import type { PlannedSend } from './look-ahead.store.js';
import { moveSends } from './move.store.js';
import { EVERY_DAY, type Days } from './work-days.store.js';

/** One whose request may be repeated now. */
export type DueRepeat = Pick<PlannedSend, 'id' | 'serviceId' | 'campaign' | 'revision' | 'attempts'>;

/** One whose request is to be repeated by whoever has this. */
export type FiredRepeat = Omit<FiredSend, 'id'> & Pick<PlannedSend, 'mode' | 'scheduleCode' | 'dueAt'>;

// Of send_repeat; may_repeat.sql says who may.
const DUE_NOW = `
 s.work = 'r' and s.next_at <= $1 and may_repeat(s.wanted, s.repeat_until, s.mode, s.due_at, $1)
   and (p.blocked_until is null or p.blocked_until <= $1)`;

// sql/scheduler/functions/due_repeats.sql: index send_work, a few of each project, so none waits behind another's. No locks:
// a read.
const DUE = prepared(`
select id, service_id as "serviceId", campaign, revision, attempts from due_repeats($1, $2, $3, $4, $5, $6)`);

export interface RepeatAsk {
  readonly now: EpochMs;
  /** Of each project. */
  readonly limit: number;
  /** Projects of which none is wanted now. */
  readonly without: readonly string[];
  /** Those that may hold work; left out, all. */
  readonly days?: Days;
}

/** Only of projects whose gateway returns the first answer to a request that comes again (`idempotency-key`). */
export async function dueRepeats(sql: Sql, ask: RepeatAsk): Promise<DueRepeat[]> {
  const { now, limit, without, days = EVERY_DAY } = ask;
  const parameters = [new Date(now), limit, without, days.lows, days.highs, days.few];
  return sql.query<DueRepeat>(DUE, parameters);
}

/** sql/scheduler/functions/rest_repeats.sql. Returns how many were found; `limit`: of each project. */
export async function restRepeats(
  sql: Sql,
  { now, limit, days = EVERY_DAY }: Omit<RepeatAsk, 'without'>,
): Promise<number> {
  const parameters = [new Date(now), limit, days.lows, days.highs];
  const [rested] = await sql.query<{ count: number }>(
    'select rest_repeats($1, $2, $3, $4) as count',
    parameters,
  );
  return rested?.count ?? 0;
}

export interface RepeatFire {
  readonly now: EpochMs;
  /** Who repeats it. */
  readonly replica: string;
  /** When it is repeated again, should nobody hear of it: later than its answer. */
  readonly againAt: EpochMs;
}

/**
 * Won by the number of attempts, while it is uncertain and still wanted, and its project not stopped: undefined where it
 * is not, or another was first. Only who won may write the request.
 */
export async function fireRepeat(
  sql: Sql,
  { id, attempts }: Pick<DueRepeat, 'id' | 'attempts'>,
  { now, replica, againAt }: RepeatFire,
): Promise<FiredRepeat | undefined> {
  // sql/scheduler/functions/fire_repeat.sql. The attempt is committed before the repeat leaves.
  const [fired] = await sql.query<FiredRepeat>(
    `select attempt, mode, schedule_code as "scheduleCode", due_ms as "dueAt", recipients, target
       from fire_repeat($1, $2, $3, $4, $5)`,
    [id, attempts, new Date(now), replica, new Date(againAt)],
  );
  return fired;
}

/** A fire after which nothing was called: the database may not have said whether it was made. */
export type UncalledRepeat = Pick<FiredSend, 'id' | 'attempt'>;

/**
 * Ends the attempts of those that were made after all. Returns the sends of which nothing more can come: the others may
 * still be made, until somebody else makes that attempt.
 */
export async function endUncalled(
  sql: Sql,
  uncalled: readonly UncalledRepeat[],
  { now, replica }: Pick<RepeatFire, 'now' | 'replica'>,
): Promise<string[]> {
  const ids = uncalled.map(({ id }) => id);
  const found = await findFired(sql, ids, replica);
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
  return uncalled.flatMap(({ id, attempt }) => {
    const row = found.get(id);
    return row !== undefined && (row.attempt >= attempt || row.state !== 'uncertain') ? [id] : [];
  });
}

// As DUE, over all days: they are rare.
const RESEND = prepared(`
select s.id, s.attempts from project p join send_repeat s on s.service_id = p.service_id
 where ${DUE_NOW} and s.wanted and p.on_uncertain = 'resend' and not 'idempotency-key' = any(p.extensions) limit $2`);

/** Of projects that would rather send twice than not at all (`onUncertain: resend`): back to planned. */
export async function resendUncertain(sql: Sql, now: EpochMs, limit: number, by: string): Promise<number> {
  const sends = await sql.query<{ id: string; attempts: number }>(RESEND, [new Date(now), limit]);
  return moveSends(sql, {
    sends,
    from: 'uncertain',
    to: 'planned',
    code: 'RESENT',
    detail: 'it may reach somebody twice',
    nextAt: now,
    at: now,
    by,
  });
}

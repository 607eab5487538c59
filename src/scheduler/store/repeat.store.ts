// Uncertain sends whose request may be repeated without sending twice (life-of-a-send.md, "Uncertain"). They stay
// uncertain while it runs: only an answer moves them. Nobody holds one: whoever fires it first repeats it.
import type { MessageTarget } from '../../push-contract/messages.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import { EVERY_DAY, type Days } from './work-days.store.js';

/** One whose request may be repeated now. */
export interface DueRepeat {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  /** Attempts so far. */
  readonly attempts: number;
}

/** One whose request is to be repeated by whoever has this. */
export interface FiredRepeat {
  readonly attempt: number;
  readonly mode: Mode;
  readonly scheduleCode: string | null;
  readonly dueAt: EpochMs | null;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

const MAY_GO = "repeat_wish(s, c, r, $1) = 'go'";
const TO_TAKE_BACK = "repeat_wish(s, c, r, $1) = 'take-back'";

const OF_SEND = `
  join campaign c on c.id = s.campaign
  join revision r on r.campaign = s.campaign and r.revision = s.revision
 where s.work = 'r'
   and s.next_at <= $1`;
const CALLED = '(p.resting_until is null or p.resting_until <= $1)';

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
  return rowsOf<DueRepeat>(sql, DUE, parameters);
}

// By the primary key; locks that one row first, for what it tells of the attempt before is kept. The attempt is committed
// before the repeat leaves.
const FIRE = prepared(`
with mine as materialized (
  select s from send s where s.id = $2 and s.state || '' = 'uncertain' and s.request_id is null and s.attempts = $3 for no key update),
fired as (
  update send s set attempts = s.attempts + 1, fired_by = $4, next_at = $5, attempt_started_at = $1, attempt_ended_at = null,
         request_sent = null, http_status = null, error_code = null, answer = null, outcome = null
    from mine, campaign c, revision r, project p
   where s.id = $2
     and c.id = s.campaign and r.campaign = s.campaign and r.revision = s.revision and p.service_id = s.service_id
     and ${CALLED} and (${MAY_GO} or ${TO_TAKE_BACK})
  returning s.*, mine.s as before),
kept as materialized (select keep_attempts(array_agg(before)) from fired)
select f.attempts as attempt, f.mode, f.schedule_code as "scheduleCode",
       (extract(epoch from f.due_at) * 1000)::float8 as "dueAt", t.recipients, l.target
  from fired f cross join kept join cell l on l.campaign = f.campaign and l.occurrence = f.occurrence and l.cell = f.cell
  left join send_recipients t on t.send = f.id`);

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
  const [fired] = await rowsOf<FiredRepeat>(sql, FIRE, [
    new Date(now),
    id,
    attempts,
    replica,
    new Date(againAt),
  ]);
  return fired;
}

/** A fire after which nothing was called: the database may not have said whether it was made. */
export interface UncalledRepeat {
  readonly id: string;
  readonly attempt: number;
}

// By the primary key. Whoever made the newest attempt stands in the send.
const UNCALLED = `
with given as materialized (select * from unnest($1::uuid[], $2::int[]) as g(id, attempt)),
ended as (
  update send s set attempt_ended_at = $3, request_sent = false, error_code = 'REQUEST_NOT_MADE', outcome = 'not-sent'
    from given g
   where s.id = g.id and s.attempts = g.attempt and s.fired_by = $4 and s.outcome is null)
select g.id from given g join send s on s.id = g.id where s.attempts >= g.attempt or s.state <> 'uncertain'`;

/**
 * Ends the attempts of those that were made after all. Returns the sends of which nothing more can come: the others may
 * still be made, until somebody else makes that attempt.
 */
export async function endUncalled(
  sql: Sql,
  uncalled: readonly UncalledRepeat[],
  { now, replica }: Pick<RepeatFire, 'now' | 'replica'>,
): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(sql, UNCALLED, [
    uncalled.map(({ id }) => id),
    uncalled.map(({ attempt }) => attempt),
    new Date(now),
    replica,
  ]);
  return rows.map(({ id }) => id);
}

// Index send_work. The rows are locked, so it prunes nothing and names no days.
const RESEND = prepared(`
with due as materialized (
  select s.id from project p join send s on s.service_id = p.service_id ${OF_SEND}
     and ${CALLED} and p.on_uncertain = 'resend' and not 'idempotency-key' = any(p.extensions) and ${MAY_GO}
   order by s.id limit $2 for no key update of s skip locked)
update send s set state = 'planned', changes = s.changes + 1, code = 'RESENT', detail = 'it may reach somebody twice',
       state_at = $1, state_by = $3, next_at = $1
  from due where s.id = due.id and s.state || '' = 'uncertain'
returning s.id`);

/** Of projects that would rather send twice than not at all (`onUncertain: resend`): back to planned. */
export async function resendUncertain(sql: Sql, now: EpochMs, limit: number, by: string): Promise<number> {
  return (await rowsOf(sql, RESEND, [new Date(now), limit, by])).length;
}

// Uncertain sends whose request may be repeated without sending twice (life-of-a-send.md, "Uncertain"). They stay
// uncertain while it runs: only an answer moves them.
import type { MessageTarget } from '../../push-contract/messages.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import { CANCEL_ASKED } from './cancel.store.js';

export interface RepeatedSend {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly attempt: number;
  readonly mode: Mode;
  readonly scheduleCode: string | null;
  readonly dueAt: EpochMs | null;
  readonly recipients: string[] | null;
  readonly target: MessageTarget;
}

// Who may still get it: in time by the campaign's own lateness, and wanted; or a reservation far enough off to be taken
// back once its id is known.
const MAY_GO = `
  (s.goal is null and not ${CANCEL_ASKED} and c.state not in ('canceling', 'canceled') and not c.paused
     and (s.due_at is null or $1::timestamptz <= s.due_at
          + coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, 1800000) * interval '1 millisecond'))`;
const TO_TAKE_BACK = `
  (s.mode = 'reserved' and s.due_at > $1::timestamptz + interval '2 minutes'
     and (s.goal is not null or ${CANCEL_ASKED} or c.state in ('canceling', 'canceled') or c.paused))`;

const OF_SEND = `
  join campaign c on c.id = s.campaign
  join revision r on r.campaign = s.campaign and r.revision = s.revision
 where s.work = 'r'
   and s.next_at <= $1
   and (s.lease_until is null or s.lease_until < clock_timestamp())`;
const CALLED = '(p.resting_until is null or p.resting_until <= $1)';

// Index send_work, a few of each project: none waits behind another's. The attempt's row is committed with the claim,
// before the repeat leaves. Planned once a connection: by an index of few rows, a few of them, whatever the parameters; as
// long as one send waits it is asked every second.
const CLAIM = prepared(`
with due as materialized (
  select d.id from project p cross join lateral (
    select s.id from send s ${OF_SEND} and s.service_id = p.service_id and (${MAY_GO} or ${TO_TAKE_BACK})
     order by s.next_at, s.chunk, s.id limit $4 for no key update of s skip locked) d
   where ${CALLED} and 'idempotency-key' = any(p.extensions) and p.service_id <> all($5::text[])),
claimed as (
  update send s set claim_token = $2, lease_until = clock_timestamp() + $3::int * interval '1 millisecond',
         attempts = s.attempts + 1
    from due where s.id = due.id and s.state = 'uncertain'
  returning s.*),
noted as (
  insert into attempt (send, attempt, kind, started_at) select id, attempts, 'send', $1 from claimed)
select s.id, s.service_id as "serviceId", s.campaign, s.revision, s.attempts as attempt, s.mode,
       s.schedule_code as "scheduleCode", (extract(epoch from s.due_at) * 1000)::float8 as "dueAt", s.recipients, l.target
  from claimed s join cell l on l.campaign = s.campaign and l.occurrence = s.occurrence and l.cell = s.cell`);

export interface RepeatAsk {
  readonly now: EpochMs;
  readonly token: string;
  readonly leaseMs: number;
  /** Of each project. */
  readonly limit: number;
  /** Projects of which none is wanted now. */
  readonly without: readonly string[];
}

/** Only of projects whose gateway returns the first answer to a request that comes again (`idempotency-key`). */
export async function claimRepeats(sql: Sql, ask: RepeatAsk): Promise<RepeatedSend[]> {
  return rowsOf<RepeatedSend>(sql, CLAIM, [
    new Date(ask.now),
    ask.token,
    ask.leaseMs,
    ask.limit,
    ask.without,
  ]);
}

// As CLAIM.
const MAY_LEAVE = prepared(`
select exists (
  select from send s join project p on p.service_id = s.service_id
    join campaign c on c.id = s.campaign
    join revision r on r.campaign = s.campaign and r.revision = s.revision
   where s.id = $2 and s.claim_token = $3 and s.state = 'uncertain'
     and (p.resting_until is null or p.resting_until <= $1) and (${MAY_GO} or ${TO_TAKE_BACK})) as may`);

/** Whether a claimed repeat is still wanted, and its project not stopped: it may have waited for its turn. */
export async function mayLeave(sql: Sql, id: string, token: string, now: EpochMs): Promise<boolean> {
  const [row] = await rowsOf<{ may: boolean }>(sql, MAY_LEAVE, [new Date(now), id, token]);
  return row?.may === true;
}

export interface StillUncertain {
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly at: EpochMs;
  readonly nextTryAt: EpochMs;
  readonly requestSent: boolean;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly answer: string | null;
  readonly outcome: string;
}

const STILL = `
with noted as (
  update attempt set ended_at = $4, request_sent = $6, http_status = $7, error_code = $8, answer = $9, outcome = $10
   where send = $1 and attempt = $3 and ended_at is null)
update send set claim_token = null, lease_until = null, next_at = $5
 where id = $1 and claim_token = $2 and state = 'uncertain'`;

/** The repeat told nothing either. */
export async function leaveUncertain(sql: Sql, still: StillUncertain): Promise<void> {
  await rowsOf(sql, STILL, [
    still.id,
    still.token,
    still.attempt,
    new Date(still.at),
    new Date(still.nextTryAt),
    still.requestSent,
    still.httpStatus,
    still.errorCode,
    still.answer,
    still.outcome,
  ]);
}

const RELEASE = `
with undone as (delete from attempt where send = $1 and attempt = $3 and ended_at is null)
update send set claim_token = null, lease_until = null, attempts = attempts - 1, next_at = $4
 where id = $1 and claim_token = $2 and state = 'uncertain'`;

/** It did not leave: as if it had not been claimed, and due again at once. */
export async function releaseRepeat(
  sql: Sql,
  { id, attempt }: Pick<RepeatedSend, 'id' | 'attempt'>,
  token: string,
  now: EpochMs,
): Promise<void> {
  await rowsOf(sql, RELEASE, [id, token, attempt, new Date(now)]);
}

// As CLAIM.
const RESEND = prepared(`
with due as materialized (
  select s.id from project p join send s on s.service_id = p.service_id ${OF_SEND}
     and ${CALLED} and p.on_uncertain = 'resend' and not 'idempotency-key' = any(p.extensions) and ${MAY_GO}
   order by s.id limit $2 for no key update of s skip locked)
update send s set state = 'planned', changes = s.changes + 1, code = 'RESENT', detail = 'it may reach somebody twice',
       state_at = $1, state_by = $3, next_at = $1, claim_token = null, lease_until = null
  from due where s.id = due.id and s.state = 'uncertain'
returning s.id`);

/** Of projects that would rather send twice than not at all (`onUncertain: resend`): back to planned. */
export async function resendUncertain(sql: Sql, now: EpochMs, limit: number, by: string): Promise<number> {
  return (await rowsOf(sql, RESEND, [new Date(now), limit, by])).length;
}

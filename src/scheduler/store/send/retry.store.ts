// Makes retries. A retry is a new send for the same chunk; the old send stays as it ended and has the retry's id in next_send. A send can
// have only one retry: the first that is set there.
import { columnsOf } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { idsAt } from '../../../platform/uuids-at.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { CANCELED_STATES } from '../../decide/lifecycle/campaign-state.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { RETRYABLE_STATES, type SendState } from '../../decide/lifecycle/send-state.js';
import { GOING } from '../../decide/lifecycle/drop-steps.js';
import { CHANNELS } from '../channels.js';
import { DUE } from './measured-send.js';
import { IS_NO_TEST } from '../rollup/counted-sends.js';

/** Why a send is not retried, by stable code. */
export const REFUSALS = {
  CAMPAIGN_CANCELED: 'its campaign is canceled',
  OCCURRENCE_CANCELED: 'its occurrence is canceled',
  NOT_APPROVED: 'its campaign was never approved',
  ALREADY_RETRIED: 'it was retried already; retry the newest send of its chunk',
  NOT_RETRYABLE: `only ${RETRYABLE_STATES.join(', ')} are retried`,
  RECIPIENT_ERASED: 'its only recipient was erased',
  MAX_RETRIES: 'it was retried as often as its project allows',
  PAST_RETENTION: 'it is kept no longer',
} as const;
export type RetryRefusal = keyof typeof REFUSALS;
export const RETRY_REFUSALS = Object.keys(REFUSALS) as readonly RetryRefusal[];

export interface RetryCandidate {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly state: SendState;
  readonly code: string | null;
  readonly detail: string | null;
  /** When the first send of its chunk was due; a standing message: when it came to its state. Milliseconds. */
  readonly since: EpochMs;
  /** How many devices its result has; null: it has none. */
  readonly devices: number | null;
  readonly retries: number;
  /** null: as far as the database knows, it may be retried. */
  readonly refusal: RetryRefusal | null;
  /** The request whose result is asked for once more first; only for failed and stale sends, because the others were never taken. */
  readonly askAbout: string | null;
  /** It is sent under a schedule code. */
  readonly standing: boolean;
  /** The zone of its cell. */
  readonly zone: string | null;
}

// By primary keys. Not specified (life of a send, Campaign and occurrence): a cancelled occurrence is as final as a cancelled
// campaign; a test occurrence has no row.
const CANDIDATES = `
select s.id, s.service_id as "serviceId", s.campaign, s.revision, s.state, s.code, s.detail, s.retries,
       epoch_ms(coalesce(${DUE}, s.state_at)) as since, s.target_count as devices, s.mode = 'scheduled' as standing, cell.zone,
       case when s.state in ('failed', 'stale') then s.request_id end as "askAbout",
       case when exists (select from day_drop d where d.step in ${sqlList(GOING)}
                                and s.ended_at < (d.day + 1)::timestamp at time zone 'UTC') then 'PAST_RETENTION'
            when c.state in ${sqlList(CANCELED_STATES)} then 'CAMPAIGN_CANCELED'
            when o.state in ${sqlList(CANCELED_STATES)} then 'OCCURRENCE_CANCELED'
            when r.state = 'awaiting-approval' and ${IS_NO_TEST('s')} then 'NOT_APPROVED'
            when s.next_send is not null then 'ALREADY_RETRIED'
            when s.state <> all($2) then 'NOT_RETRYABLE'
            when s.recipients = 0 then 'RECIPIENT_ERASED'
            when s.retries >= p.max_retries then 'MAX_RETRIES' end as refusal
  from send s join campaign c on c.id = s.campaign join project p on p.service_id = s.service_id
  left join revision r on r.campaign = s.campaign and r.revision = s.revision
  left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell
 where s.id = any($1::uuid[]) order by s.id`;

/** In order of id. */
export function retryCandidates(sql: Sql, ids: readonly string[]): Promise<RetryCandidate[]> {
  return sql.query(CANDIDATES, [ids, RETRYABLE_STATES]);
}

/** The advisory lock that retries take shared, and the beginning of a day's drop exclusively: outcomes/retention/day-drop.store.ts. */
export const DROPPING = 'carillon day drop';

/** Locks the campaigns of these sends against a cancel, in order of id, and their days against a drop, until the caller commits. */
export async function lockCampaignsOf(sql: Sql, sends: readonly string[]): Promise<void> {
  await sql.query('select pg_advisory_xact_lock_shared(hashtext($1))', [DROPPING]);
  await sql.query(
    `select id from campaign where id = any(array(select s.campaign from send s where s.id = any($1::uuid[])))
      order by id for update`,
    [sends],
  );
}

export interface NewRetry {
  readonly of: string;
  readonly id: string;
  readonly dueAt: EpochMs;
}

const WANTED = columnsOf<NewRetry>('of uuid, id uuid, due_at timestamptz');

// One statement for all, by primary keys; the old sends are locked in order of id. A second caller waits for the first, and then finds
// that next_send is set. The retry keeps the intended instant, gets the recipients, and has its own due; a standing message is attached
// to its schedule again.
const RETRY = `
with wanted as (
  select * from ${WANTED.from} as w),
newest as materialized (
  select s.id from wanted w join send s on s.id = w.of
   where s.next_send is null and s.state = any($6::text[]) order by s.id for no key update of s),
replaced as (
  update send s set next_send = w.id from newest n join wanted w on w.of = n.id where s.id = n.id
  returning s.*, w.due_at as next_due),
addressed as (
  update send_recipients r set send = o.next_send, send_ended_at = 'infinity' from replaced o
   where r.send = o.id and r.send_ended_at = o.ended_at)
insert into send (id, recipients, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, mode, mode_rule,
                  schedule_code, intended_at, due_at, first_due, next_at, state_at, state_by, created_at)
select o.next_send, o.recipients, o.service_id, o.campaign, o.revision, o.occurrence, o.cell, o.chunk, o.id, o.retries + 1, 'planned',
       case when o.mode = 'scheduled' then 'scheduled' else 'immediate' end,
       case when o.mode = 'scheduled' then 'SCHEDULE_CODE' else 'DUE_NOW' end,
       o.schedule_code, o.intended_at, case when o.mode <> 'scheduled' then o.next_due end,
       coalesce(o.first_due, o.due_at), o.next_due, $4, $5, $4
  from replaced o
returning retry_of as of`;

/** Returns the retries that were made; one is missing if another retry came first. Notifies the dispatcher. */
export async function insertRetries(
  sql: Sql,
  retries: readonly NewRetry[],
  now: EpochMs,
  by: string,
): Promise<NewRetry[]> {
  const rows = await sql.query<NewRetry>(RETRY, [
    ...WANTED.parametersOf(retries),
    new Date(now),
    by,
    RETRYABLE_STATES,
  ]);
  if (rows.length > 0) await sql.query('select pg_notify($1, $2)', [CHANNELS.dispatch, '']);
  const made = new Set(rows.map(({ of }) => of));
  return retries.filter(({ of }) => made.has(of));
}

export interface RetryOrder {
  readonly now: EpochMs;
  readonly by: string;
  /** Called for each retry, in order of id. */
  readonly nextDue: () => EpochMs;
}

/**
 * Makes retries of one send or of a page of sends that ended badly, in the caller's transaction. It judges them after it has locked their
 * campaigns. Returns the retry of each send, or why it has none. The caller audits its request once, however many retries it makes.
 */
export async function makeRetries(
  sql: Sql,
  sends: readonly string[],
  { now, by, nextDue }: RetryOrder,
): Promise<ReadonlyMap<string, NewRetry | RetryRefusal>> {
  await lockCampaignsOf(sql, sends);
  // Read again under the locks: a cancel may have come meanwhile.
  const found = await retryCandidates(sql, sends);
  const nextId = idsAt(now);
  const outcomes = new Map<string, NewRetry | RetryRefusal>(sends.map((send) => [send, 'PAST_RETENTION']));
  for (const { id, refusal } of found)
    outcomes.set(id, refusal ?? { of: id, id: nextId(), dueAt: nextDue() });
  const wanted = [...outcomes.values()].filter((outcome) => typeof outcome !== 'string');
  for (const { of } of wanted) outcomes.set(of, 'ALREADY_RETRIED');
  for (const retry of await insertRetries(sql, wanted, now, by)) outcomes.set(retry.of, retry);
  return outcomes;
}

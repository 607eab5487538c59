// A retry: a send of its own that stands for the same chunk from now on, while the old one stays as it ended. live_send
// carries one send per chunk, so whichever retry moves it first is the only one.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';
import type { SendState } from '../decide/send.js';
import { CHANNELS } from './channels.js';

/** What decides whether a send may be retried. */
export interface RetryCandidate {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly campaignState: string;
  /** Null: its occurrence has no row, as a test's. */
  readonly occurrenceState: string | null;
  readonly state: SendState;
  readonly requestId: string | null;
  readonly retries: number;
  /** It is the newest of its chunk: nothing has been made of it yet. */
  readonly newest: boolean;
}

export async function retryCandidates(sql: Sql, ids: readonly string[]): Promise<RetryCandidate[]> {
  return rowsOf<RetryCandidate>(
    sql,
    `select s.id, s.service_id as "serviceId", s.campaign, c.state as "campaignState",
            o.state as "occurrenceState", s.state, s.request_id as "requestId", s.retries,
            l.send is not null as newest
       from send s join campaign c on c.id = s.campaign left join live_send l on l.send = s.id
       left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
      where s.id = any($1::uuid[])`,
    [ids],
  );
}

/** Locks the campaigns of these sends against a cancel, in order of id, until the caller's transaction ends. */
export async function lockCampaigns(sql: Sql, campaigns: readonly string[]): Promise<void> {
  await rowsOf(sql, 'select id from campaign where id = any($1::uuid[]) order by id for update', [campaigns]);
}

export interface NewRetry {
  readonly of: string;
  readonly id: string;
}

// One statement for all. The retry keeps what was intended, with a due of its own; a standing one is attached again.
const RETRY = `
with wanted as (select * from unnest($1::uuid[], $2::uuid[]) as w(of_send, id)),
moved as (
  update live_send l set send = w.id from wanted w where l.send = w.of_send returning w.of_send, w.id)
insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, mode, mode_rule,
                  schedule_code, intended_at, due_at, hand_off_at, recipients, state_at, state_by, created_at)
select m.id, s.service_id, s.campaign, s.revision, s.occurrence, s.cell, s.chunk, s.id, s.retries + 1, 'planned',
       case when s.mode = 'scheduled' then 'scheduled' else 'immediate' end,
       case when s.mode = 'scheduled' then 'SCHEDULE_CODE' else 'DUE_NOW' end,
       s.schedule_code, s.intended_at, case when s.mode <> 'scheduled' then $3::timestamptz end, $3, s.recipients, $3, $4, $3
  from moved m join send s on s.id = m.of_send
returning id, retry_of as of`;

/** Those that were made; one whose chunk another retry took is missing. Notifies the dispatcher. */
export async function insertRetries(
  sql: Sql,
  retries: readonly NewRetry[],
  now: EpochMs,
  by: string,
): Promise<NewRetry[]> {
  const made = await rowsOf<NewRetry>(sql, RETRY, [
    retries.map((retry) => retry.of),
    retries.map((retry) => retry.id),
    new Date(now),
    by,
  ]);
  if (made.length > 0) await rowsOf(sql, 'select pg_notify($1, $2)', [CHANNELS.dispatch, '']);
  return made;
}

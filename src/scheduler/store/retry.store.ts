// A retry: a send of its own that stands for the same chunk from now on, while the old one stays as it ended and names it
// as its next. Whichever retry is named first is the only one.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';
import { RETRYABLE_STATES, type SendState } from '../decide/send.js';
import { CHANNELS } from './channels.js';
import type { RetryFilter } from './retry-batch.store.js';

/** What decides whether a send may be retried. */
export interface RetryCandidate {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly campaignState: string;
  /** Null: its occurrence has no row, as a test's. */
  readonly occurrenceState: string | null;
  readonly state: SendState;
  readonly requestId: string | null;
  readonly retries: number;
  /** It is the newest of its chunk: nothing has been made of it yet. */
  readonly newest: boolean;
  /** Under a schedule code. */
  readonly standing: boolean;
  /** Of its cell. */
  readonly zone: string | null;
}

/** Of the sends `s` in that table, or part of a statement. */
const candidatesOf = (sends: string): string => `
select s.id, s.service_id as "serviceId", s.campaign, s.revision, c.state as "campaignState",
       o.state as "occurrenceState", s.state, s.request_id as "requestId", s.retries, s.next_send is null as newest,
       s.mode = 'scheduled' as standing, cell.zone
  from ${sends} s join campaign c on c.id = s.campaign
  left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell`;

export async function retryCandidates(sql: Sql, ids: readonly string[]): Promise<RetryCandidate[]> {
  return rowsOf<RetryCandidate>(sql, `${candidatesOf('send')} where s.id = any($1::uuid[])`, [ids]);
}

/** Where a filter is held against one service's sends, in order of id from above `afterId`. */
export interface CandidateAsk {
  readonly serviceId: string;
  readonly afterId: string | null;
  readonly filter: RetryFilter;
  /** What came to its state later is left to the next preview: the set must come to an end. */
  readonly endedBefore: Date;
  /** Sends looked at, whether the filter names them or not: no statement is as long as the project is large. */
  readonly most: number;
}

export interface CandidatePage {
  /** Those that the filter names. */
  readonly candidates: readonly RetryCandidate[];
  readonly looked: number;
  /** The last that was looked at; null: there was none. */
  readonly lastId: string | null;
}

// Index send_attention, whose condition stands here; by primary key where the sends are named.
const PAGE = `
select s.id from send s
 where s.service_id = $1 and ($2::uuid is null or s.id > $2)
   and ($3::uuid[] is not null or s.needs_attention)
   and ($3::uuid[] is null or s.id = any($3))
 order by s.id limit $4`;

// The page first: by an index on what is filtered all sends of a campaign would be looked at.
const NAMED = `
with page as materialized (select s.* from send s where s.id = any($1::uuid[]))
${candidatesOf('page')}
 where s.state_at <= $2 and s.state = any($3)
   and ($4::uuid is null or s.campaign = $4) and ($5::text is null or s.occurrence = $5)
   and ($6::text is null or s.code = $6) and ($7::timestamptz is null or s.state_at >= $7)
   and ($8::timestamptz is null or s.state_at < $8)
 order by s.id`;

/** Two statements: which sends the page is of, and, by their primary key, those of them that the filter names. */
export async function retryCandidatePage(sql: Sql, ask: CandidateAsk): Promise<CandidatePage> {
  const { serviceId, afterId, filter, endedBefore, most } = ask;
  const page = await rowsOf<{ id: string }>(sql, PAGE, [serviceId, afterId, filter.sends ?? null, most]);
  const ids = page.map(({ id }) => id);
  const candidates = await rowsOf<RetryCandidate>(sql, NAMED, [
    ids,
    endedBefore,
    filter.states,
    filter.campaign ?? null,
    filter.occurrence ?? null,
    filter.code ?? null,
    filter.since ?? null,
    filter.until ?? null,
  ]);
  return { candidates, looked: ids.length, lastId: ids.at(-1) ?? null };
}

/** Locks the campaigns of these sends against a cancel, in order of id, until the caller's transaction ends. */
export async function lockCampaigns(sql: Sql, campaigns: readonly string[]): Promise<void> {
  await rowsOf(sql, 'select id from campaign where id = any($1::uuid[]) order by id for update', [campaigns]);
}

export interface MadeRetry {
  readonly of: string;
  readonly id: string;
}

export interface NewRetry extends MadeRetry {
  readonly dueAt: EpochMs;
}

// One statement for all, by primary keys; the old sends are locked in order of id. Whoever comes second waits for the
// first, then finds the next one named. The retry keeps what was intended and who gets it, with a due of its own; a standing
// one is attached again.
const RETRY = `
with wanted as (
  select w.of_send, w.id, to_timestamp(w.due_ms / 1000) as due_at
    from unnest($1::uuid[], $2::uuid[], $5::float8[]) as w(of_send, id, due_ms)),
newest as materialized (
  select s.id from wanted w join send s on s.id = w.of_send
   where s.next_send is null and s.state = any($6::text[]) order by s.id for no key update of s),
replaced as (
  update send s set next_send = w.id from newest n join wanted w on w.of_send = n.id where s.id = n.id
  returning s.*, w.due_at as next_due),
addressed as (
  insert into send_recipients (send, recipients)
  select o.next_send, r.recipients from replaced o join send_recipients r on r.send = o.id)
insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, mode, mode_rule,
                  schedule_code, intended_at, due_at, next_at, state_at, state_by, created_at)
select o.next_send, o.service_id, o.campaign, o.revision, o.occurrence, o.cell, o.chunk, o.id, o.retries + 1, 'planned',
       case when o.mode = 'scheduled' then 'scheduled' else 'immediate' end,
       case when o.mode = 'scheduled' then 'SCHEDULE_CODE' else 'DUE_NOW' end,
       o.schedule_code, o.intended_at, case when o.mode <> 'scheduled' then o.next_due end, o.next_due, $3, $4, $3
  from replaced o
returning id, retry_of as of`;

/** Those that were made; one whose place another retry took is missing. Notifies the dispatcher. */
export async function insertRetries(
  sql: Sql,
  retries: readonly NewRetry[],
  now: EpochMs,
  by: string,
): Promise<MadeRetry[]> {
  const made = await rowsOf<MadeRetry>(sql, RETRY, [
    retries.map((retry) => retry.of),
    retries.map((retry) => retry.id),
    new Date(now),
    by,
    retries.map((retry) => retry.dueAt),
    RETRYABLE_STATES,
  ]);
  if (made.length > 0) await rowsOf(sql, 'select pg_notify($1, $2)', [CHANNELS.dispatch, '']);
  return made;
}

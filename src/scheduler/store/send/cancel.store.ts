// Cancels a campaign or one occurrence of it. First the mark is written in the caller's transaction; `fire` reads it. Then the sends
// follow in pages, by the table of decide/lifecycle/send-state.ts. Never calls the push service: the cancel loop does.
import { v7 } from 'uuid';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { CHANNELS } from '../channels.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import {
  CANCELABLE_CAMPAIGN,
  CANCELABLE_OCCURRENCE,
  isCanceled,
} from '../../decide/lifecycle/campaign-state.js';

export interface CancelTarget {
  readonly serviceId: string;
  /** The publisher's id. */
  readonly campaignId: string;
  readonly state: string;
}

/** Reads the campaign that somebody cancels by hand, and locks its row until the caller's transaction ends. */
export function campaignToCancel(sql: Sql, campaign: string): Promise<CancelTarget | undefined> {
  return firstRow(
    sql,
    `select service_id as "serviceId", campaign_id as "campaignId", state from campaign where id = $1 for update`,
    [campaign],
  );
}

/** Writes the command of a cancel by hand; inbox.store.ts writes commands that come as events. */
export async function insertCancelCommand(
  sql: Sql,
  { campaign, occurrence, now, by, detail }: Omit<CancelAsk, 'code' | 'time'>,
): Promise<void> {
  await sql.query(
    `insert into command (id, campaign, kind, occurrence, reason, given_at, given_by)
     values ($1, $2, 'cancel', $3, $4, $5, $6)`,
    [v7({ msecs: now.getTime() }), campaign, occurrence, detail, now, by],
  );
}

export interface CancelAsk {
  /** Our id of the campaign. */
  readonly campaign: string;
  /** Only this occurrence; judgeOccurrenceCancel() has checked that it is the campaign's. Left out: the whole campaign. */
  readonly occurrence?: string | undefined;
  readonly now: Date;
  /** The time in the event; for an act by hand, when it came [now]. See decide/lifecycle/act-order.ts. */
  readonly time?: Date | undefined;
  /** A token's name, or the event's source. */
  readonly by: string;
  readonly code: string;
  readonly detail?: string | undefined;
}

/**
 * `already`: a cancel of the campaign or of the occurrence was asked for before, and nothing changes. `closed`: the campaign or the
 * occurrence has ended in another way, or the campaign is unknown.
 */
export type CancelAnswer = { readonly kind: 'asked' | 'closed' | 'already' };

const LOCK_CAMPAIGN = 'select state from campaign where id = $1 for update';

const MOVE_CAMPAIGN = `
update campaign set state = 'canceling', code = $4, detail = $5, state_at = $2, state_by = $3,
       newest_time = greatest(newest_time, $6) where id = $1`;

const MOVE_OCCURRENCES = `
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ${sqlList(CANCELABLE_OCCURRENCE)}`;

// An occurrence that is not planned yet is inserted as canceled: planning leaves out an occurrence that has a row.
const MOVE_OCCURRENCE = `
insert into occurrence as o (campaign, occurrence, revision, state, code, state_at)
select id, $4, revision, 'canceled', $3, $2 from campaign where id = $1
on conflict on constraint occurrence_pkey do update set state = 'canceling', code = excluded.code, state_at = excluded.state_at
 where o.state in ${sqlList(CANCELABLE_OCCURRENCE)}
returning o.state`;

const MARK = `
insert into campaign_cancel (campaign, occurrence, code, detail, asked_at, asked_by) values ($1, $2, $3, $4, $5, $6)`;

/**
 * Asks for the cancel of a campaign, or of one occurrence, in which case the campaign goes on with the others. Once the caller has
 * committed, nothing of it is fired any more, and takeBackPage() moves its sends. Takes as long for a million sends as for one.
 * The campaign's row stays locked until the commit; planning and retries lock it too, so no send is inserted beside the cancel.
 */
export async function askCancel(sql: Sql, ask: CancelAsk): Promise<CancelAnswer> {
  const { campaign, occurrence, now, time = now, by, code, detail = null } = ask;
  const state = await stateOf(sql, LOCK_CAMPAIGN, [campaign]);
  if (state === 'canceling' || (state === 'canceled' && occurrence !== undefined)) return { kind: 'already' };
  if (!(CANCELABLE_CAMPAIGN as readonly (string | undefined)[]).includes(state)) return { kind: 'closed' };
  if (occurrence === undefined) {
    await sql.query(MOVE_CAMPAIGN, [campaign, now, by, code, detail, time]);
    await sql.query(MOVE_OCCURRENCES, [campaign, now, code]);
  } else {
    const moved = await moveOccurrence(sql, occurrence, ask);
    if (moved !== undefined) return moved;
  }
  await sql.query(MARK, [campaign, occurrence ?? null, code, detail, now, by]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS['take-back'], '']);
  return { kind: 'asked' };
}

/** The answer where there are no sends to move; undefined: its sends follow in pages. */
async function moveOccurrence(
  sql: Sql,
  occurrence: string,
  { campaign, now, code }: CancelAsk,
): Promise<CancelAnswer | undefined> {
  const moved = await stateOf(sql, MOVE_OCCURRENCE, [campaign, now, code, occurrence]);
  if (moved === 'canceled') return { kind: 'asked' };
  if (moved !== undefined) return undefined;
  const before = await stateOf(sql, 'select state from occurrence where campaign = $1 and occurrence = $2', [
    campaign,
    occurrence,
  ]);
  return { kind: isCanceled(before ?? null) ? 'already' : 'closed' };
}

async function stateOf(sql: Sql, text: string, parameters: readonly unknown[]): Promise<string | undefined> {
  return (await firstRow<{ state: string }>(sql, text, parameters))?.state;
}

/** Whether a cancel of the campaign or occurrence of the send `s` was asked for; index campaign_cancel_key. */
export const CANCEL_ASKED = `exists (select from campaign_cancel k
  where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence))`;

// Index campaign_cancel_open. SKIP LOCKED: replicas work on different cancels; cancels take their pages in turn.
const TAKE_TURN = `
select campaign, occurrence, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_moved
  from campaign_cancel where done_at is null order by paged_at limit 1 for no key update skip locked`;

// sql/scheduler/functions/take_back_page.sql, by the index send_cell from where the last page ended: it reads open sends, which are the
// newest of their chunks. Rows are locked in order of id, as in every statement on many sends, so that two statements never deadlock.
// One statement for all states: so a send that the dispatcher moves from sending to reserved meanwhile is judged by its newest row.
const PAGE = `
with turn as materialized (${TAKE_TURN}),
page as materialized (
  select p.* from turn t cross join lateral take_back_page(t.campaign, t.occurrence, t.after_occurrence, t.after_cell, t.after_chunk,
                                                         $1, $2, t.asked_by, t.code, t.detail) p)
update campaign_cancel k set
  after_occurrence = case when p.seen = $1 then p.last_occurrence end, after_cell = case when p.seen = $1 then p.last_cell end,
  after_chunk = case when p.seen = $1 then p.last_chunk end,
  looked = k.looked + case k.pass when 1 then p.seen else 0 end, moved = k.moved + p.moved,
  pass = k.pass + case when p.seen = $1 then 0 else 1 end,
  pass_moved = case when p.seen = $1 then k.pass_moved + p.moved else 0 end,
  done_at = case when p.seen < $1 and k.pass_moved + p.moved = 0 then $2::timestamptz end,
  paged_at = clock_timestamp()
  from turn t, page p
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence
returning k.campaign, p.moved, k.done_at is not null as done`;

// The touch has the closer end an occurrence that has no sends, too.
const DONE = 'insert into campaign_touched (campaign) values ($1)';

/**
 * Moves a page of one cancel's sends. A send that has not left becomes `canceled`; one that the push service has becomes `canceling`; one
 * that is in flight or uncertain keeps its state and gets the goal `canceled`. A pass goes through all sends once; passes are made until
 * one finds nothing to move. One transaction. False: no cancel is open, or other processes work on all that are.
 */
export async function takeBackPage(sql: Sql, now: EpochMs, most: number): Promise<boolean> {
  const page = await firstRow<{ campaign: string; moved: number; done: boolean }>(sql, PAGE, [
    most,
    new Date(now),
  ]);
  if (page === undefined) return false;
  if (page.done) await sql.query(DONE, [page.campaign]);
  if (page.done || page.moved > 0) {
    await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.cancel, CHANNELS.close, '']);
  }
  return true;
}

// It is not known which cancel's page failed: most likely that of the cancel whose turn it still is.
const PUT_LAST = `
with turn as materialized (${TAKE_TURN})
update campaign_cancel k set paged_at = clock_timestamp() from turn t
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence`;

/** Call it after a page failed, so that other cancels come first. */
export async function putCancelLast(sql: Sql): Promise<void> {
  await sql.query(PUT_LAST);
}

/** How far the cancels of a campaign have come, counted in sends. */
export interface CancelProgress {
  readonly moved: number;
  /** Sends that were not looked at yet, including those that had ended before; none of them is fired any more. */
  readonly left: number;
}

// Reads no sends: the cells say how many there are.
const PROGRESS = `
select coalesce(sum(k.moved), 0)::float8 as moved,
       coalesce(sum(greatest(0, k.chunks - k.looked)) filter (where k.pass = 1 and k.done_at is null), 0)::float8 as left
  from (select k.*, (select coalesce(sum(c.chunks), 0) from cell c
                      where c.campaign = k.campaign and (k.occurrence is null or c.occurrence = k.occurrence)) as chunks
          from campaign_cancel k where k.campaign = $1) k
having count(*) > 0`;

/** undefined: no cancel was asked for. */
export function cancelProgress(sql: Sql, campaign: string): Promise<CancelProgress | undefined> {
  return firstRow(sql, PROGRESS, [campaign]);
}

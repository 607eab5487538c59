// Cancelling a campaign, or one occurrence of it: the mark in the caller's transaction, which `fire` looks at, and the
// pages in which its sends follow, by the table of decide/lifecycle/send-state.ts. Never calls the push service, the cancel loop does.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { CHANNELS } from '../channels.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import {
  CANCELABLE_CAMPAIGN,
  CANCELABLE_OCCURRENCE,
  isCanceled,
} from '../../decide/lifecycle/campaign-state.js';

export interface CancelAsk {
  /** Our id of the campaign. */
  readonly campaign: string;
  /** One occurrence alone, which judgeOccurrenceCancel found to be the campaign's; left out: all of it. */
  readonly occurrence?: string | undefined;
  readonly now: Date;
  /** Who asked: a token's name, or the event's source. */
  readonly by: string;
  readonly code: string;
  readonly detail?: string;
}

/**
 * `already`: a cancel is under way or confirmed, of the whole campaign or of the occurrence, and nothing changes.
 * `closed`: campaign or occurrence have ended otherwise, or the campaign is unknown.
 */
export type CancelVerdict = { readonly kind: 'asked' | 'closed' | 'already' };

const LOCK_CAMPAIGN = 'select state from campaign where id = $1 for update';

const MOVE_CAMPAIGN = `
update campaign set state = 'canceling', code = $4, detail = $5, state_at = $2, state_by = $3 where id = $1`;

const MOVE_OCCURRENCES = `
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ${sqlList(CANCELABLE_OCCURRENCE)}`;

// One not planned yet is born canceled and remembered by its row: planning leaves it out.
const MOVE_OCCURRENCE = `
insert into occurrence as o (campaign, occurrence, revision, state, code, state_at)
select id, $4, revision, 'canceled', $3, $2 from campaign where id = $1
on conflict on constraint occurrence_pkey do update set state = 'canceling', code = excluded.code, state_at = excluded.state_at
 where o.state in ${sqlList(CANCELABLE_OCCURRENCE)}
returning o.state`;

const READ_OCCURRENCE = 'select state from occurrence where campaign = $1 and occurrence = $2';

const MARK = `
insert into campaign_cancel (campaign, occurrence, code, detail, asked_at, asked_by) values ($1, $2, $3, $4, $5, $6)`;

/**
 * Asks for the cancel of a campaign or of one occurrence, after which the campaign goes on with the others: once the
 * caller has committed, nothing of it is fired, and takeBackPage() moves what there is. As short for a million sends as
 * for one. The campaign's row stays locked until then; planning and retries lock it too, so no send is born beside the
 * cancel.
 */
export async function askCancel(sql: Sql, ask: CancelAsk): Promise<CancelVerdict> {
  const [found] = await sql.query<{ state: string }>(LOCK_CAMPAIGN, [ask.campaign]);
  if (found === undefined) return { kind: 'closed' };
  if (found.state === 'canceling') return { kind: 'already' };
  if (found.state === 'canceled' && ask.occurrence !== undefined) return { kind: 'already' };
  if (!(CANCELABLE_CAMPAIGN as readonly string[]).includes(found.state)) return { kind: 'closed' };
  const { campaign, occurrence, now, by, code, detail = null } = ask;
  if (occurrence === undefined) {
    await sql.query(MOVE_CAMPAIGN, [campaign, now, by, code, detail]);
    await sql.query(MOVE_OCCURRENCES, [campaign, now, code]);
  } else {
    const moved = await moveOccurrence(sql, occurrence, ask);
    if (moved !== undefined) return moved;
  }
  await sql.query(MARK, [campaign, occurrence ?? null, code, detail, now, by]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS['take-back'], '']);
  return { kind: 'asked' };
}

/** The verdict where there are no sends to move. */
async function moveOccurrence(
  sql: Sql,
  occurrence: string,
  { campaign, now, code }: CancelAsk,
): Promise<CancelVerdict | undefined> {
  const [moved] = await sql.query<{ state: string }>(MOVE_OCCURRENCE, [campaign, now, code, occurrence]);
  if (moved?.state === 'canceled') return { kind: 'asked' };
  if (moved === undefined) {
    const [standing] = await sql.query<{ state: string }>(READ_OCCURRENCE, [campaign, occurrence]);
    return { kind: isCanceled(standing?.state ?? null) ? 'already' : 'closed' };
  }
  return undefined;
}

/** Whether a cancel was asked of the send's campaign or occurrence; index campaign_cancel_key. */
export const CANCEL_ASKED = `exists (select from campaign_cancel k
  where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence))`;

// Index campaign_cancel_open. SKIP LOCKED: replicas work on different cancels, each a page in turn.
const TAKE_TURN = `
select campaign, occurrence, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_moved
  from campaign_cancel where done_at is null order by paged_at limit 1 for no key update skip locked`;

// sql/scheduler/functions/take_back_page.sql, by the index send_cell from where the last page ended: of a chunk only the
// newest send is open. The rows are locked in order of id, as every batched statement on send does, so that two of them
// wait and never deadlock. One statement for all states: a send that the dispatcher moves from sending
// to reserved meanwhile is judged by its newest row.
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

// An occurrence without one send closes too.
const DONE = 'insert into campaign_touched (campaign) values ($1)';

/**
 * Moves a page of one cancel's sends: what has not left is canceled, what the push service holds goes to `canceling`,
 * what is on the wire or uncertain keeps its state with the goal raised to `canceled`. A pass goes through all of them
 * once, and passes are made until one finds nothing to move. One transaction; false: no cancel is open, or others work on
 * those that are.
 */
export async function takeBackPage(sql: Sql, now: EpochMs, most: number): Promise<boolean> {
  const [page] = await sql.query<{ campaign: string; moved: number; done: boolean }>(PAGE, [
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

// Which page it was that failed, nobody knows any more: most likely that of the one whose turn it still is.
const PUT_LAST = `
with turn as materialized (${TAKE_TURN})
update campaign_cancel k set paged_at = clock_timestamp() from turn t
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence`;

/** After a page that failed. */
export async function putCancelLast(sql: Sql): Promise<void> {
  await sql.query(PUT_LAST);
}

/** How far the cancels of a campaign have come, counted in sends. */
export interface CancelProgress {
  readonly moved: number;
  /** Not looked at yet; none of them is fired any more. */
  readonly left: number;
}

// Without a look at the sends: the cells say how many there are.
const PROGRESS = `
select coalesce(sum(k.moved), 0)::float8 as moved,
       coalesce(sum(greatest(0, k.chunks - k.looked)) filter (where k.pass = 1 and k.done_at is null), 0)::float8 as left
  from (select k.*, (select coalesce(sum(c.chunks), 0) from cell c
                      where c.campaign = k.campaign and (k.occurrence is null or c.occurrence = k.occurrence)) as chunks
          from campaign_cancel k where k.campaign = $1) k
having count(*) > 0`;

/** undefined: none was asked for. */
export async function cancelProgress(sql: Sql, campaign: string): Promise<CancelProgress | undefined> {
  const [row] = await sql.query<CancelProgress>(PROGRESS, [campaign]);
  return row;
}

// Acts on a campaign or on one occurrence of it (decide/lifecycle/campaign-act.ts): the mark, set in the caller's transaction and
// read by `fire`, and then the pages in which the sends follow. Never calls the push service: the cancel loop does.
import { v7 } from 'uuid';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import {
  CAMPAIGN_ACTS,
  type CampaignAct,
  type HandAct,
  type Mark,
  type MarkedAct,
} from '../../decide/lifecycle/campaign-act.js';
import {
  CANCELABLE_OCCURRENCE,
  FINISHABLE_CAMPAIGN,
  isCancelable,
  isCanceled,
} from '../../decide/lifecycle/campaign-state.js';
import { CHANNELS } from '../channels.js';
import { forgetNext } from './planned-rows.store.js';

export interface ActTarget {
  readonly serviceId: string;
  /** The publisher's id. */
  readonly campaignId: string;
  readonly state: string;
  readonly paused: boolean;
}

const TARGET =
  'select service_id as "serviceId", campaign_id as "campaignId", state, paused from campaign where id = $1';

/** Reads the campaign that somebody acts on by hand, and locks its row until the caller's transaction ends. */
export function campaignToChange(sql: Sql, campaign: string): Promise<ActTarget | undefined> {
  return firstRow(sql, `${TARGET} for update`, [campaign]);
}

/** The same for a preview. It locks nothing, because it may count for seconds. */
export function campaignToPreview(sql: Sql, campaign: string): Promise<ActTarget | undefined> {
  return firstRow(sql, TARGET, [campaign]);
}

/** Writes the command of an act by hand; write-batch.ts writes commands that come as events. */
export async function insertCommand(
  sql: Sql,
  {
    campaign,
    act,
    occurrence,
    now,
    by,
    detail,
  }: Omit<ActAsk, 'act' | 'code' | 'time'> & { readonly act: HandAct },
): Promise<void> {
  await sql.query(
    `insert into command (id, campaign, act, occurrence, reason, given_at, given_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [v7({ msecs: now.getTime() }), campaign, act, occurrence, detail, now, by],
  );
}

export interface ActAsk {
  /** Our id of the campaign. */
  readonly campaign: string;
  readonly act: CampaignAct;
  /** Only this occurrence; judgeOccurrenceAct() has checked that it is the campaign's. Left out: the whole campaign. */
  readonly occurrence?: string | undefined;
  readonly now: Date;
  /** The time in the event; for an act by hand, when it came [now]. */
  readonly time?: Date | undefined;
  /** A token's name, or the event's source. */
  readonly by: string;
  readonly code: string;
  readonly detail?: string | undefined;
}

/**
 * `already`: the campaign or the occurrence stands as the act wants it, or is on its way there, and nothing changes. `closed`: it
 * has ended or is being cancelled, or the campaign is unknown.
 */
export type ActAnswer = { readonly kind: 'asked' | 'closed' | 'already' };

interface Locked {
  readonly state: string;
  readonly paused: boolean;
  /** Of the act on this occurrence, or on all of the campaign. */
  readonly act: CampaignAct | null;
}

const LOCK_CAMPAIGN = 'select state, paused from campaign where id = $1 for update';
// A statement of its own: only a snapshot after the lock has what was committed before it. Index campaign_act_key.
const ACT_IN_FORCE =
  "select act from campaign_act where campaign = $1 and occurrence is not distinct from $2 and mark = 'act'";

/**
 * Asks for an act on a campaign, or on one occurrence, in which case the campaign goes on with the others. Once the caller has
 * committed a cancel or a pause, nothing of it is fired any more; workPage() moves its sends. Takes as long for a million sends
 * as for one. The campaign's row stays locked until the commit; planning and retries lock it too, so no send is inserted beside it.
 */
export async function askAct(sql: Sql, ask: ActAsk): Promise<ActAnswer> {
  const { campaign, occurrence = null } = ask;
  const row = await firstRow<Pick<Locked, 'state' | 'paused'>>(sql, LOCK_CAMPAIGN, [campaign]);
  if (row === undefined) return { kind: 'closed' };
  const inForce = await firstRow<{ act: CampaignAct }>(sql, ACT_IN_FORCE, [campaign, occurrence]);
  const locked = { ...row, act: inForce?.act ?? null };
  const answer = await (ask.act === 'cancel' ? beginCancel(sql, ask, locked) : beginPause(sql, ask, locked));
  if (answer !== undefined) return answer;
  await mark(sql, ask);
  return { kind: 'asked' };
}

// The sends of an act that was under way are looked at from the first one on, for the new act.
const MARK = `
insert into campaign_act (campaign, occurrence, act, goal, code, detail, asked_at, asked_by) values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict on constraint campaign_act_key do update set
  act = excluded.act, goal = excluded.goal, code = excluded.code, detail = excluded.detail, asked_at = excluded.asked_at,
  asked_by = excluded.asked_by, after_occurrence = null, after_cell = null, after_chunk = null, pass = 1, pass_moved = 0,
  pass_waits = 0, looked = 0, moved = 0, page_at = excluded.page_at, done_at = null`;

async function mark(sql: Sql, { campaign, act, occurrence, now, by, code, detail }: ActAsk): Promise<void> {
  const { goal } = CAMPAIGN_ACTS[act];
  await sql.query(MARK, [campaign, occurrence ?? null, act, goal, code, detail ?? null, now, by]);
  await sql.query('select pg_notify($1, $2)', [CHANNELS.acts, '']);
}

const CANCEL_CAMPAIGN = `
update campaign set state = 'canceling', paused = false, code = $4, detail = $5, state_at = $2, state_by = $3,
       revises = null, replans = false, rest_plan_at = null, newest_time = greatest(newest_time, $6) where id = $1`;

// A canceled campaign awaits no approval, and no revision takes its place. Its occurrences are locked after this: a page of a revision
// locks its act first, then occurrences.
const NO_OTHER_MARK = "delete from campaign_act where campaign = $1 and mark in ('approval', 'revision')";
const NO_REVISION = `
update revision r set state = 'rejected', reasons = '[{"pointer": "", "code": "CAMPAIGN_CANCELED", "text": "the campaign was canceled"}]'
  from campaign c where c.id = $1 and r.campaign = c.id and r.revision > c.revision and r.state in ('planning', 'awaiting-approval')`;

const CANCEL_OCCURRENCES = `
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ${sqlList(CANCELABLE_OCCURRENCE)}`;

// An occurrence that is not planned yet is inserted as canceled: planning leaves out an occurrence that has a row.
const CANCEL_OCCURRENCE = `
insert into occurrence as o (campaign, occurrence, revision, state, code, state_at)
select id, $4, revision, 'canceled', $3, $2 from campaign where id = $1
on conflict on constraint occurrence_pkey do update set state = 'canceling', code = excluded.code, state_at = excluded.state_at
 where o.state in ${sqlList(CANCELABLE_OCCURRENCE)}
returning o.state`;

/** undefined: its sends follow in pages. */
async function beginCancel(sql: Sql, ask: ActAsk, { state }: Locked): Promise<ActAnswer | undefined> {
  const { campaign, occurrence, now, time = now, by, code, detail = null } = ask;
  if (state === 'canceling' || (state === 'canceled' && occurrence !== undefined)) return { kind: 'already' };
  if (!isCancelable(state)) return { kind: 'closed' };
  if (occurrence !== undefined) return cancelOccurrence(sql, occurrence, ask);
  await sql.query(NO_REVISION, [campaign]);
  await sql.query(CANCEL_CAMPAIGN, [campaign, now, by, code, detail, time]);
  await sql.query(NO_OTHER_MARK, [campaign]);
  await sql.query(CANCEL_OCCURRENCES, [campaign, now, code]);
  return undefined;
}

/** The answer where there are no sends to move; undefined: its sends follow in pages. */
async function cancelOccurrence(
  sql: Sql,
  occurrence: string,
  { campaign, now, code }: ActAsk,
): Promise<ActAnswer | undefined> {
  const moved = await stateOf(sql, CANCEL_OCCURRENCE, [campaign, now, code, occurrence]);
  if (moved === 'canceled') return { kind: 'asked' };
  if (moved !== undefined) return undefined;
  const before = await stateOf(sql, OCCURRENCE_STATE, [campaign, occurrence]);
  return { kind: isCanceled(before ?? null) ? 'already' : 'closed' };
}

const OCCURRENCE_STATE = 'select state from occurrence where campaign = $1 and occurrence = $2';

async function stateOf(sql: Sql, text: string, parameters: readonly unknown[]): Promise<string | undefined> {
  return (await firstRow<{ state: string }>(sql, text, parameters))?.state;
}

// A recurrence that goes on makes no occurrence while it is paused; one that is planned for the first time is shown all the same.
const PAUSE_CAMPAIGN = `
update campaign set paused = true, newest_time = greatest(newest_time, $2),
       plan_at = case when state in ${sqlList(FINISHABLE_CAMPAIGN)} and plan_at is not null and not replans then 'infinity' else plan_at end,
       rest_plan_at = case when rest_plan_at is not null then 'infinity'::timestamptz end
 where id = $1`;

const RESUME_CAMPAIGN = `
update campaign set paused = false, resumed_at = $3, newest_time = greatest(newest_time, $2),
       plan_at = case when plan_at = 'infinity' and state <> 'awaiting-approval' then $3 else plan_at end,
       rest_plan_at = case when rest_plan_at = 'infinity' and state <> 'awaiting-approval' then $3 else rest_plan_at end
 where id = $1`;

// What repeats an act changes nothing but the time with which later events are compared.
const NEWEST_TIME = 'update campaign set newest_time = greatest(newest_time, $2) where id = $1';

/** A pause or a resume. undefined: its sends follow in pages. */
async function beginPause(
  sql: Sql,
  ask: ActAsk,
  { state, paused, act }: Locked,
): Promise<ActAnswer | undefined> {
  const { campaign, occurrence, now, time = now } = ask;
  const pauses = ask.act === 'pause';
  if (!isCancelable(state)) return { kind: 'closed' };
  if (occurrence !== undefined) {
    const stands = await stateOf(sql, OCCURRENCE_STATE, [campaign, occurrence]);
    if (stands !== undefined && !(CANCELABLE_OCCURRENCE as readonly string[]).includes(stands))
      return { kind: 'closed' };
    return (act === 'pause') === pauses ? { kind: 'already' } : undefined;
  }
  if (paused === pauses) {
    await sql.query(NEWEST_TIME, [campaign, time]);
    return { kind: 'already' };
  }
  await sql.query(
    pauses ? PAUSE_CAMPAIGN : RESUME_CAMPAIGN,
    pauses ? [campaign, time] : [campaign, time, now],
  );
  if (!pauses) await sql.query('select pg_notify($1, $2)', [CHANNELS.plan, '']);
  await sql.query('select write_campaign_event($1, $2, null, null, $3)', [
    campaign,
    `campaign.${ask.act}d`,
    now,
  ]);
  return undefined;
}

/** Whether an act, or an approval that is awaited, holds back what has not left of the send `s`; index campaign_act_key. */
export const IS_HELD_BACK = `exists (select from campaign_act k
  where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null)`;

// Index campaign_act_open. SKIP LOCKED: replicas work on different acts; acts take their pages in turn. The sums of the pass come from
// this locked row: the statement's snapshot may be older than another replica's last page of the same act. Revisions take their turns in
// revise.store.ts; what is released waits for the revision that takes its place, which has held some of it.
const TAKE_TURN = `
select campaign, occurrence, mark, act, goal, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_moved, pass_waits
  from campaign_act k
 where done_at is null and page_at <= clock_timestamp() and (mark <> 'revision' or goal is null)
   and (goal is not null or not exists (
     select from campaign_act r where r.campaign = k.campaign and r.mark = 'revision' and r.goal is not null))
 order by page_at limit 1 for no key update skip locked`;

// sql/scheduler/functions/take_back_page.sql and release_page.sql, by the index send_cell from where the last page ended: they read open
// sends, which are the newest of their chunks. Rows are locked in order of id, as in every statement on many sends, so that two statements
// never deadlock. One statement for all states: so a send that the dispatcher moves from sending to reserved meanwhile is judged by its
// newest row. Parameters: how many sends, now, the goal that a resume releases, how long an act rests that only waits for answers, and
// how many times longer it rests at most: each pass of a large campaign is much to read, and answers may be hours away.
const PAGE = `
with turn as materialized (${TAKE_TURN}),
page as materialized (
  select p.* from turn t cross join lateral take_back_page(t.campaign, t.occurrence, t.after_occurrence, t.after_cell, t.after_chunk,
                                                         $1, $2, t.asked_by, t.goal, t.code, t.detail, t.mark) p where t.goal is not null
  union all
  select p.* from turn t cross join lateral release_page(t.campaign, t.occurrence, t.after_occurrence, t.after_cell, t.after_chunk,
                                                       $1, $2, t.asked_by, $3) p where t.goal is null),
read as (
  select t.campaign, t.occurrence, t.mark, p.*, p.seen < $1 as is_last, t.pass_moved + p.moved as pass_moved, t.pass_waits + p.waits as pass_waits
    from turn t, page p)
update campaign_act k set
  after_occurrence = case when not r.is_last then r.last_occurrence end, after_cell = case when not r.is_last then r.last_cell end,
  after_chunk = case when not r.is_last then r.last_chunk end,
  looked = k.looked + case k.pass when 1 then r.seen else 0 end, moved = k.moved + r.moved,
  pass = k.pass + case when r.is_last then 1 else 0 end,
  pass_moved = case when r.is_last then 0 else r.pass_moved end, pass_waits = case when r.is_last then 0 else r.pass_waits end,
  done_at = case when r.is_last and r.pass_moved = 0 and r.pass_waits = 0 then $2::timestamptz end,
  page_at = clock_timestamp() + case when r.is_last and r.pass_moved = 0 then $4::float8 * least(power(2, k.pass - 1), $5::float8) * interval '1 millisecond' else interval '0' end
  from read r
 where k.campaign = r.campaign and k.occurrence is not distinct from r.occurrence and k.mark = r.mark
returning k.campaign, k.occurrence, k.mark, k.act, k.goal is null as releases, r.moved, k.done_at is not null as done`;

// The touch has the closer end an occurrence that has no sends, too.
const DONE = 'insert into campaign_touched (campaign) values ($1)';
const FORGET =
  'delete from campaign_act where campaign = $1 and occurrence is not distinct from $2 and mark = $3 and goal is null';

/** The goal that a resume releases its sends from. */
const RELEASED = CAMPAIGN_ACTS.pause.goal;
/** An act that only waits for answers looks for them again after this, real milliseconds; after twice as long with each pass. */
export const WAITS_MS = 1_000;
const MOST_WAITS = 60;

/**
 * Moves a page of one act's sends. A cancel or a pause moves a send that has not left to the goal; one that the push service has becomes
 * `canceling`; one that is in flight or uncertain keeps its state and gets the goal. A resume plans again what is held. A pass goes
 * through all sends once; passes are made until one finds nothing to move. One transaction. False: no page is due, or other processes
 * work on all that are.
 */
export async function workPage(sql: Sql, now: EpochMs, most: number): Promise<boolean> {
  const page = await firstRow<{
    campaign: string;
    occurrence: string | null;
    mark: Mark;
    act: ActProgress['act'];
    releases: boolean;
    moved: number;
    done: boolean;
  }>(sql, PAGE, [most, new Date(now), RELEASED, WAITS_MS, MOST_WAITS]);
  if (page === undefined) return false;
  if (page.done) await sql.query(DONE, [page.campaign]);
  // The plan of a revision that was taking its place.
  if (page.done && page.act === 'cancel' && page.occurrence === null) await forgetNext(sql, page.campaign);
  if (page.done && page.releases) await sql.query(FORGET, [page.campaign, page.occurrence, page.mark]);
  if (page.done || page.moved > 0) {
    const wakes = page.releases ? CHANNELS.dispatch : CHANNELS.cancel;
    await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [wakes, CHANNELS.close, '']);
  }
  return true;
}

// It is not known which act's page failed: most likely that of the act whose turn it still is.
const PUT_LAST = `
with turn as materialized (${TAKE_TURN})
update campaign_act k set page_at = clock_timestamp() from turn t
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence and k.mark = t.mark`;

/** Call it after a page failed, so that other acts come first. */
export async function putActLast(sql: Sql): Promise<void> {
  await sql.query(PUT_LAST);
}

const REOPEN = `
update campaign_act set after_occurrence = null, after_cell = null, after_chunk = null, pass = 1, pass_moved = 0, looked = 0,
       done_at = null, page_at = clock_timestamp()
 where campaign = any($1::uuid[]) and goal = $2 and mark <> 'revision'`;

/** Call it after sends were planned: those of a paused campaign are held with the next pass. Index campaign_act_key. */
export async function reopenActs(sql: Sql, campaigns: readonly string[]): Promise<void> {
  await sql.query(REOPEN, [campaigns, CAMPAIGN_ACTS.pause.goal]);
}

/** Whether an act is under way, though no page of it is due: then the loop has to look again after WAITS_MS. Index campaign_act_open. */
export async function anyActWaits(sql: Sql): Promise<boolean> {
  return (await sql.query('select from campaign_act where done_at is null limit 1')).length > 0;
}

/** An act on a campaign or on an occurrence of it, and how far it has come, counted in sends. */
export interface ActProgress {
  readonly act: MarkedAct;
  /** null: all of the campaign. */
  readonly occurrence: string | null;
  readonly by: string;
  readonly at: Date;
  readonly reason: string | null;
  readonly isDone: boolean;
  readonly moved: number;
  /** Sends that were not looked at yet, those that had ended before among them. */
  readonly left: number;
}

// Reads no sends: the cells say how many there are.
const PROGRESS = `
select k.act, k.occurrence, k.asked_by as by, k.asked_at as at, k.detail as reason, k.done_at is not null as "isDone", k.moved,
       case when k.mark = 'revision' and k.goal is not null then (select count(*) from send_next n where n.campaign = k.campaign)
            when k.pass = 1 and k.done_at is null then greatest(0, k.chunks - k.looked) else 0 end::float8 as left
  from (select k.*, (select coalesce(sum(c.chunks), 0) from cell c
                      where c.campaign = k.campaign and (k.occurrence is null or c.occurrence = k.occurrence)) as chunks
          from campaign_act k where k.campaign = $1 and (k.mark <> 'approval' or k.goal is null)) k
 order by k.occurrence nulls first limit $2`;

/** Those on all of the campaign first. That it awaits approval is its state, and no act; that it is being released after one is. */
export function actsOn(sql: Sql, campaign: string, most: number): Promise<ActProgress[]> {
  return sql.query(PROGRESS, [campaign, most]);
}

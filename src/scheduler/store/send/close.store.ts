// Begins and ends campaigns and their occurrences by the states of their sends (life-of-a-send.md, "Campaign and occurrence"). Each
// statement works on all campaigns that triggers named in campaign_touched. Sends are read in pages without a lock; when a campaign is
// then ended, new touches show whether a send has moved meanwhile.
import { columnsOf, typedRows } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import {
  CLOSED_CAMPAIGN,
  FINISHABLE_CAMPAIGN,
  FINISHED_STATES,
  OPEN_OCCURRENCE,
} from '../../decide/lifecycle/campaign-state.js';
import { nobodyGotIt, NOBODY_CODES, type SendCount } from '../../decide/lifecycle/attention.js';
import { PLANNING_FAILED } from '../../decide/lifecycle/planning-tries.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { OPEN_STATES } from '../../decide/lifecycle/send-state.js';
import { IS_NO_TEST } from '../rollup/counted-sends.js';

const OPEN = sqlList(OPEN_OCCURRENCE);

/** A row of campaign_touched: a change of this campaign that may begin or end it. */
export interface Touched {
  /** A bigint as text. */
  readonly id: string;
  readonly campaign: string;
  /** null: all of its occurrences. */
  readonly occurrence: string | null;
  /** A send came to a state that is published. */
  readonly published: boolean;
  /** A send was handed off. */
  readonly began: boolean;
}

export interface TouchedShard {
  readonly shard: number;
  /** The lowest and the highest id, as text. */
  readonly first: string;
  readonly last: string;
}

/** The shards that have touches with an id above `after`. Primary key. */
export function touchedShards(sql: Sql, after: string): Promise<TouchedShard[]> {
  return sql.query(
    `select campaign_shard(campaign) as shard, min(id)::text as first, max(id)::text as last from campaign_touched where id > $1
      group by 1 order by 1`,
    [after],
  );
}

/** At most `limit` touches of a shard with an id above `afterId`. Locks nothing: they are deleted when their work is done. */
export function readTouched(sql: Sql, shard: number, afterId: string, limit: number): Promise<Touched[]> {
  return sql.query(
    `select id::text, campaign, occurrence, published, began from campaign_touched
      where campaign_shard(campaign) = $1 and id > $2 order by id limit $3`,
    [shard, afterId, limit],
  );
}

export interface OccurrenceKey {
  readonly campaign: string;
  readonly occurrence: string;
}

const TOUCHES = columnsOf<Touched>('campaign uuid, occurrence text, published boolean');

/** The occurrences that these touches name: open ones, and ended ones whose sums may have changed. */
export function touchedOccurrences(
  sql: Sql,
  touched: readonly Touched[],
): Promise<(OccurrenceKey & { readonly open: boolean })[]> {
  return sql.query(
    `select distinct o.campaign, o.occurrence, o.state in ${OPEN} as open
       from ${TOUCHES.from} as t
       join occurrence o on o.campaign = t.campaign and (t.occurrence is null or o.occurrence = t.occurrence)
      where o.state in ${OPEN} or t.published`,
    TOUCHES.parametersOf(touched),
  );
}

/** The sums of a page of an occurrence's newest sends; the first page includes the sums of sends that are gone. */
export interface SendsSeen {
  readonly seen: number;
  /** One open send of the page; null: there is none. */
  readonly open: string | null;
  readonly expired: boolean;
  /** All of them are expired, skipped or canceled. */
  readonly nothing: boolean;
  readonly begun: boolean;
  /** Sums of devices. */
  readonly target: number;
  readonly sent: number;
  /** How many sends of the occurrence are kept only as sums. */
  readonly gone: number;
  /** The last send of the page: the next page ends before it. */
  readonly cell: string | null;
  readonly chunk: number | null;
}

type PagePlace = OccurrenceKey & Pick<SendsSeen, 'cell' | 'chunk'>;
export const PAGE_PLACES = typedRows<PagePlace>(
  'page_place',
  'campaign uuid, occurrence text, cell text, chunk int',
);
const SUM_NEWEST = `select * from ${PAGE_PLACES.callOf('sum_newest_sends', 2)} order by place`;

/**
 * Sums up a page for each place, in the same order. Pages go backwards from the last chunk, because a large occurrence mostly has an
 * open send there when its first chunks have long ended. By the index send_cell: sql/scheduler/functions/sum_newest_sends.sql.
 */
export function sumNewestSends(sql: Sql, asked: readonly PagePlace[], most: number): Promise<SendsSeen[]> {
  return sql.query(SUM_NEWEST, [...PAGE_PLACES.parametersOf(asked), most, OPEN_STATES]);
}

/** Those of the sends that are still open. Primary key. */
export async function stillOpen(sql: Sql, sends: readonly string[]): Promise<string[]> {
  if (sends.length === 0) return [];
  const rows = await sql.query<{ id: string }>(
    'select id from send_open where id = any($1::uuid[]) and state = any($2::text[])',
    [sends, OPEN_STATES],
  );
  return rows.map(({ id }) => id);
}

export interface LockedCampaign {
  readonly id: string;
  readonly closed: boolean;
}

/**
 * Locks the campaigns, except those that another transaction has locked: these keep their touches for a later round. To wait for a lock
 * could deadlock with a writer that has locked one campaign and wants another one of these.
 */
export function lockTouched(sql: Sql, touched: readonly Touched[]): Promise<LockedCampaign[]> {
  return sql.query(
    `select id, state in ${sqlList(CLOSED_CAMPAIGN)} as closed from campaign where id = any($1::uuid[]) order by id
        for no key update skip locked`,
    [[...new Set(touched.map(({ campaign }) => campaign))]],
  );
}

/** Deletes touches whose work is done. */
export async function takeTouched(sql: Sql, touched: readonly Touched[]): Promise<void> {
  await sql.query('delete from campaign_touched where id = any($1::bigint[])', [touched.map(({ id }) => id)]);
}

/** The occurrences (null: all of the campaign) that were touched since these touches were read. */
export function touchedSince(
  sql: Sql,
  campaigns: readonly string[],
  touched: readonly Touched[],
): Promise<{ campaign: string; occurrence: string | null }[]> {
  return sql.query(
    `select distinct campaign, occurrence from campaign_touched
      where campaign = any($1::uuid[]) and id <> all($2::bigint[])`,
    [campaigns, touched.map(({ id }) => id)],
  );
}

const BEGUN = columnsOf<OccurrenceKey>('campaign uuid, occurrence text');

/** planned ▶ running, for occurrences with a send that was handed off, and for their campaigns, which a test does not begin. */
export async function beginRunning(
  sql: Sql,
  begun: readonly OccurrenceKey[],
  now: EpochMs,
  by: string,
): Promise<void> {
  if (begun.length === 0) return;
  await sql.query(
    `update occurrence o set state = 'running', state_at = $3 from ${BEGUN.from} as b
      where o.campaign = b.campaign and o.occurrence = b.occurrence and o.state = 'planned'`,
    [...BEGUN.parametersOf(begun), new Date(now)],
  );
  const began = await sql.query(
    `update campaign c set state = 'running', code = null, detail = null, state_at = $2, state_by = $3
      where c.id = any($1::uuid[]) and c.state = 'planned'
        and exists (select from occurrence o where o.campaign = c.id and o.state = 'running' and ${IS_NO_TEST('o')})
     returning c.id`,
    [begun.map(({ campaign }) => campaign), new Date(now), by],
  );
  if (began.length === 0) return;
  // The trigger that writes events of ends is deferred to the commit. Events that wait are written now, before those of occurrences
  // that end in this transaction.
  await sql.query('set constraints campaign_ended immediate');
  await sql.query('set constraints campaign_ended deferred');
}

/** The sums of all sends of an occurrence. */
export interface Sums extends OccurrenceKey {
  /** A send expired, and none was handed off. */
  readonly expired: boolean;
  readonly target: number;
  readonly sent: number;
}

const ENDED = columnsOf<Sums>('campaign uuid, occurrence text, expired boolean, target bigint, sent bigint');

/**
 * Writes the sums of occurrences whose sends are all final or uncertain, and ends those that are open: as canceled if a cancel was
 * asked for and all its pages are done; as expired if a send expired and none was handed off; otherwise as completed.
 */
export async function endOccurrences(sql: Sql, ended: readonly Sums[], now: EpochMs): Promise<void> {
  if (ended.length === 0) return;
  await sql.query(
    `update occurrence o set target_count = e.target, sent_count = e.sent,
       state_at = case when o.state in ${OPEN} then $6 else o.state_at end,
       state = case when o.state not in ${OPEN} then o.state when o.state = 'canceling' then 'canceled'
                    when e.expired then 'expired' else 'completed' end
       from ${ENDED.from} as e
      where o.campaign = e.campaign and o.occurrence = e.occurrence and o.state <> 'skipped'
        and not exists (select from campaign_act k where k.campaign = o.campaign and k.done_at is null
                          and (k.occurrence is null or k.occurrence = o.occurrence))`,
    [...ENDED.parametersOf(ended), new Date(now)],
  );
  await sql.query(FREE_OCCURRENCES, ENDED.parametersOf(ended));
}

// A pause ends with what it is of: else it would hold a retry. A cancel stays as the reason.
const FREE_OCCURRENCES = `
delete from campaign_act k using ${ENDED.from} as e, occurrence o
 where k.campaign = e.campaign and k.occurrence = e.occurrence and k.goal = 'held'
   and o.campaign = e.campaign and o.occurrence = e.occurrence and o.state not in ${OPEN}`;
// A revision that awaits approval has nothing to change any more.
const NO_REVISION = `
update revision r set state = 'rejected', reasons = '[{"pointer": "", "code": "CAMPAIGN_CLOSED", "text": "the campaign ended before it was in force"}]'
  from campaign c where c.id = any($1::uuid[]) and r.campaign = c.id and r.revision > c.revision and r.state in ('planning', 'awaiting-approval')`;
const FREE_CAMPAIGNS = "delete from campaign_act where campaign = any($1::uuid[]) and goal = 'held'";

/** A campaign that is to end, with the facts that decide how. */
interface Ending {
  readonly campaign: string;
  readonly canceled: boolean;
  /** An occurrence expired, and none was completed. */
  readonly expired: boolean;
  /** A provider took at least one device. */
  readonly taken: boolean;
  readonly code: string | null;
  readonly detail: string | null;
}

const ENDING = columnsOf<Pick<Ending, 'campaign' | 'expired' | 'code' | 'detail'>>(
  'campaign uuid, expired boolean, code text, detail text',
);

/**
 * Ends those of the campaigns that have no open occurrence, with the reason if no device was taken. The caller has locked the campaigns.
 * This also confirms a cancel once all its pages are done. A recurrence that still has occurrences to plan (plan_at) stays open. Returns
 * how many ended.
 */
export async function endCampaigns(
  sql: Sql,
  campaigns: readonly string[],
  now: EpochMs,
  by: string,
): Promise<number> {
  const ending = await sql.query<Ending>(
    `select c.id as campaign, c.state = 'canceling' as canceled, o.expired, o.taken, c.code, c.detail
       from campaign c join (
         select u.id, coalesce(bool_or(o.state = 'expired') filter (where ${IS_NO_TEST('o')})
                               and not bool_or(o.state = 'completed') filter (where ${IS_NO_TEST('o')}), false) as expired,
                coalesce(bool_or(o.state in ${OPEN}), false) as open,
                coalesce(sum(o.sent_count) filter (where ${IS_NO_TEST('o')}), 0) > 0 as taken
           from unnest($1::uuid[]) as u(id) left join occurrence o on o.campaign = u.id group by u.id) o on c.id = o.id
      where not o.open
        and (c.state = 'canceling' or (c.state in ${sqlList(FINISHABLE_CAMPAIGN)} and c.plan_at is null))
        and not exists (select from campaign_act k where k.campaign = c.id and k.done_at is null)`,
    [campaigns],
  );
  if (ending.length === 0) return 0;
  const countsOf = await sendCounts(
    sql,
    ending.filter(({ canceled, taken }) => !canceled && !taken),
  );
  const rows = ending.map(({ campaign, expired, canceled, code, detail }) => {
    const reason = reasonOf(countsOf.get(campaign));
    // A cancel keeps its own reason, and so does a campaign whose occurrences could not be planned.
    const isKept = canceled || (code === PLANNING_FAILED && reason.code === 'NOTHING_PLANNED');
    return { campaign, canceled, expired, ...(isKept ? { code, detail } : reason) };
  });
  await sql.query(NO_REVISION, [rows.map(({ campaign }) => campaign)]);
  await sql.query(FREE_CAMPAIGNS, [rows.filter(({ canceled }) => !canceled).map(({ campaign }) => campaign)]);
  await sql.query(
    `update campaign c set state_at = $5, state_by = $6, plan_at = null, revises = null, paused = false, code = e.code, detail = e.detail,
            state = case when c.state = 'canceling' then 'canceled' when e.expired then 'expired' else 'completed' end
       from ${ENDING.from} as e where c.id = e.campaign`,
    [...ENDING.parametersOf(rows), new Date(now), by],
  );
  return rows.length;
}

interface Reason {
  readonly code: string | null;
  readonly detail: string | null;
}

/** `counts` undefined: a device was taken, so the sends were not counted. */
function reasonOf(counts: readonly SendCount[] | undefined): Reason {
  return (counts && nobodyGotIt(counts)) ?? { code: null, detail: null };
}

/** At most this many newest sends of a campaign are counted for the reason: its text needs no more. */
const MOST_COUNTED = 10_000;

/** By campaign; includes sends that are kept only as sums. Indexes send_cell and send_rollup_key. */
async function sendCounts(
  sql: Sql,
  untaken: readonly { readonly campaign: string }[],
): Promise<Map<string, SendCount[]>> {
  const campaigns = untaken.map(({ campaign }) => campaign);
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<SendCount & { campaign: string }>(
    `select u.campaign, s.state, s.code, sum(s.sends)::int as sends
       from unnest($1::uuid[]) as u(campaign)
       cross join lateral (
         (select n.state, n.code, 1 as sends from send n
           where n.campaign = u.campaign and n.next_send is null and ${IS_NO_TEST('n')} limit ${MOST_COUNTED})
         union all select g.state, g.code, g.sends from send_gone g where g.campaign = u.campaign and ${IS_NO_TEST('g')}) s
      group by 1, 2, 3`,
    [campaigns],
  );
  const counts = new Map<string, SendCount[]>(campaigns.map((campaign) => [campaign, []]));
  for (const { campaign, ...count } of rows) counts.get(campaign)?.push(count);
  return counts;
}

const REASONS = columnsOf<Reason & { readonly campaign: string }>('campaign uuid, code text, detail text');

/** Renews the reason why nobody got closed campaigns, after a retry, a resolve or a late result changed their sends. */
async function renewReasons(sql: Sql, campaigns: readonly string[]): Promise<void> {
  const closed = await sql.query<{ campaign: string; taken: boolean }>(
    `select c.id as campaign, coalesce(sum(o.sent_count), 0) > 0 as taken
       from campaign c left join occurrence o on o.campaign = c.id and ${IS_NO_TEST('o')}
      where c.id = any($1::uuid[]) and c.state in ${sqlList(FINISHED_STATES)} and c.code = any($2::text[]) group by c.id`,
    [campaigns, NOBODY_CODES],
  );
  if (closed.length === 0) return;
  const countsOf = await sendCounts(
    sql,
    closed.filter(({ taken }) => !taken),
  );
  const rows = closed.flatMap(({ campaign }) => {
    const counts = countsOf.get(campaign);
    // While a retry is open the reason is not known.
    const isOpen = counts?.some(({ state }) => OPEN_STATES.includes(state)) === true;
    return isOpen ? [] : [{ campaign, ...reasonOf(counts) }];
  });
  await sql.query(
    `update campaign c set code = r.code, detail = r.detail from ${REASONS.from} as r where c.id = r.campaign`,
    REASONS.parametersOf(rows),
  );
}

/** Writes an event for each closed campaign that a retry, a resolve or a late result changed: one for each in a round. */
export async function writeCorrected(sql: Sql, campaigns: readonly string[], now: EpochMs): Promise<void> {
  if (campaigns.length === 0) return;
  await renewReasons(sql, campaigns);
  await sql.query(
    `select write_campaign_event(c.id, 'campaign.corrected', null, null, $2) from unnest($1::uuid[]) as c(id)`,
    [campaigns, new Date(now)],
  );
}

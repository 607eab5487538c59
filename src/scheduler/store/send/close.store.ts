// How campaigns and their occurrences begin to run and end, judged by their sends (life-of-a-send.md, "Campaign and
// occurrence"). Set-based over the campaigns that triggers named in campaign_touched. The sends are looked through in pages
// without a lock; whoever then ends a campaign sees by its touches whether anything has moved meanwhile.
import { columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import {
  CLOSED_CAMPAIGN,
  FINISHABLE_CAMPAIGN,
  FINISHED_STATES,
  OPEN_OCCURRENCE,
} from '../../decide/lifecycle/campaign-state.js';
import {
  nobodyGotIt,
  NOBODY_CODES,
  type EndReason,
  type SendCount,
} from '../../decide/lifecycle/attention.js';
import { PLANNING_FAILED } from '../../decide/lifecycle/planning-tries.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { OPEN_STATES } from '../../decide/lifecycle/send-state.js';

const OPEN = sqlList(OPEN_OCCURRENCE);
const NOW = 'to_timestamp($2::float8 / 1000)';

/** A campaign of which something moved, and of which occurrences. */
export interface Touched {
  /** Of campaign_touched, as text. */
  readonly id: string;
  readonly campaign: string;
  /** null: all of its occurrences. */
  readonly occurrence: string | null;
  /** A send of it came to a state that is published. */
  readonly published: boolean;
  /** One that was handed off. */
  readonly began: boolean;
}

export interface TouchedShard {
  readonly shard: number;
  /** The lowest and the highest id, as text. */
  readonly first: string;
  readonly last: string;
}

/** The shards of campaigns that have any with an id above `after`. Primary key. */
export async function touchedShards(sql: Sql, after: string): Promise<TouchedShard[]> {
  return sql.query<TouchedShard>(
    `select campaign_shard(campaign) as shard, min(id)::text as first, max(id)::text as last from campaign_touched where id > $1
      group by 1 order by 1`,
    [after],
  );
}

/** Of a shard, up to `limit`, from above `afterId`. Takes no lock: they go when what they ask for is done. */
export async function readTouched(
  sql: Sql,
  shard: number,
  afterId: string,
  limit: number,
): Promise<Touched[]> {
  return sql.query<Touched>(
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

/** The occurrences these touches speak of: those that are open, and ended ones whose sums may have changed. */
export async function touchedOccurrences(
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

/** A page of an occurrence's newest sends; the first one with the sums of those that are gone. */
export interface SendsSeen {
  readonly seen: number;
  /** One that is open; null: none of the page. */
  readonly open: string | null;
  readonly expired: boolean;
  /** All of them expired, skipped or canceled. */
  readonly nothing: boolean;
  readonly begun: boolean;
  /** Sums of devices. */
  readonly target: number;
  readonly sent: number;
  /** How many of the occurrence are kept as sums alone. */
  readonly gone: number;
  /** The last of the page: the next one ends before it. */
  readonly cell: string | null;
  readonly chunk: number | null;
}

const PLACES = columnsOf<OccurrenceKey & Pick<SendsSeen, 'cell' | 'chunk'>>(
  'campaign uuid, occurrence text, cell text, chunk int',
);

/**
 * A page of each, in the order asked. From the far end, where a large occurrence still has an open send while its first
 * chunks are long done. By the index send_cell: sql/scheduler/functions/look_through.sql.
 */
export async function lookThrough(
  sql: Sql,
  asked: readonly (OccurrenceKey & Pick<SendsSeen, 'cell' | 'chunk'>)[],
  most: number,
): Promise<SendsSeen[]> {
  return sql.query<SendsSeen>(`select * from look_through(${PLACES.arrays}, $5, $6) order by place`, [
    ...PLACES.parametersOf(asked),
    most,
    OPEN_STATES,
  ]);
}

/** Those of the sends that are open still. Primary key. */
export async function stillOpen(sql: Sql, sends: readonly string[]): Promise<string[]> {
  if (sends.length === 0) return [];
  const rows = await sql.query<{ id: string }>(
    "select id from send where id = any($1::uuid[]) and state || '' = any($2::text[])",
    [sends, OPEN_STATES],
  );
  return rows.map(({ id }) => id);
}

export interface LockedCampaign {
  readonly id: string;
  readonly closed: boolean;
}

/**
 * Locks campaigns; those that somebody else holds keep their touches for a later round: waiting for a lock here could deadlock
 * with a writer that holds one campaign and wants another of ours.
 */
export async function lockTouched(sql: Sql, touched: readonly Touched[]): Promise<LockedCampaign[]> {
  return sql.query<LockedCampaign>(
    `select id, state in ${sqlList(CLOSED_CAMPAIGN)} as closed from campaign where id = any($1::uuid[]) order by id
        for no key update skip locked`,
    [[...new Set(touched.map(({ campaign }) => campaign))]],
  );
}

/** What they ask for is done. */
export async function takeTouched(sql: Sql, touched: readonly Touched[]): Promise<void> {
  await sql.query('delete from campaign_touched where id = any($1::bigint[])', [touched.map(({ id }) => id)]);
}

/** What moved since the touches were read: an occurrence of these, or all of the campaign, is looked at once more. */
export async function touchedSince(
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

// What is told of campaigns waits for the commit: told now, before an occurrence that ends in this transaction.
const TELL_NOW = 'set constraints campaign_tell_move immediate';
const TELL_LATER = 'set constraints campaign_tell_move deferred';

const BEGUN = columnsOf<OccurrenceKey>('campaign uuid, occurrence text');

/** planned ▶ running, of occurrences of which something was handed off, and of their campaigns. */
export async function beginRunning(
  sql: Sql,
  begun: readonly OccurrenceKey[],
  now: EpochMs,
  by: string,
): Promise<void> {
  if (begun.length === 0) return;
  const campaigns = begun.map(({ campaign }) => campaign);
  await sql.query(
    `update occurrence o set state = 'running', state_at = $3 from ${BEGUN.from} as b
      where o.campaign = b.campaign and o.occurrence = b.occurrence and o.state = 'planned'`,
    [...BEGUN.parametersOf(begun), new Date(now)],
  );
  const began = await sql.query(
    `update campaign c set state = 'running', code = null, detail = null, state_at = ${NOW}, state_by = $3
      where c.id = any($1::uuid[]) and c.state = 'planned'
        and exists (select from occurrence o where o.campaign = c.id and o.state = 'running')
     returning c.id`,
    [campaigns, now, by],
  );
  if (began.length === 0) return;
  await sql.query(TELL_NOW);
  await sql.query(TELL_LATER);
}

/** An occurrence that was looked through to its end. */
export interface Sums extends OccurrenceKey {
  /** Something expired, and nothing got further. */
  readonly expired: boolean;
  readonly target: number;
  readonly sent: number;
}

const ENDED = columnsOf<Sums>('campaign uuid, occurrence text, expired boolean, target bigint, sent bigint');

/**
 * Keeps the sums of occurrences whose sends are all final or uncertain, and ends those that are open: canceled where that
 * was asked and every page of it is done, expired where something expired and nothing got further, else completed.
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
        and not exists (select from campaign_cancel k where k.campaign = o.campaign and k.done_at is null
                          and (k.occurrence is null or k.occurrence = o.occurrence))`,
    [...ENDED.parametersOf(ended), new Date(now)],
  );
}

/** A campaign that is to end, and by what: the sums of its occurrences. */
interface Ending {
  readonly campaign: string;
  readonly canceled: boolean;
  /** Something expired, and nothing was completed. */
  readonly expired: boolean;
  readonly taken: boolean;
  readonly code: string | null;
  readonly detail: string | null;
}

const ENDING = columnsOf<Pick<Ending, 'campaign' | 'expired' | 'code' | 'detail'>>(
  'campaign uuid, expired boolean, code text, detail text',
);

/**
 * Ends every campaign without an open occurrence, one of which no device was taken with the reason: a cancel is confirmed by
 * this, once all its pages are done. A recurrence with occurrences still to be planned (plan_at) stays open. Of campaigns that
 * the caller has locked. Returns how many ended.
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
         select u.id, coalesce(bool_or(o.state = 'expired') and not bool_or(o.state = 'completed'), false) as expired,
                coalesce(bool_or(o.state in ${OPEN}), false) as open, coalesce(sum(o.sent_count), 0) > 0 as taken
           from unnest($1::uuid[]) as u(id) left join occurrence o on o.campaign = u.id group by u.id) o on c.id = o.id
      where not o.open
        and (c.state = 'canceling' or (c.state in ${sqlList(FINISHABLE_CAMPAIGN)} and c.plan_at is null))
        and not exists (select from campaign_cancel k where k.campaign = c.id and k.done_at is null)`,
    [campaigns],
  );
  if (ending.length === 0) return 0;
  const counts = await sendCounts(
    sql,
    ending.filter(({ canceled, taken }) => !canceled && !taken).map(({ campaign }) => campaign),
  );
  const rows = ending.map(({ campaign, expired, canceled, code, detail }) => {
    const reason = reasonOf(counts.get(campaign));
    // Of a cancel its own words stay, and of occurrences that could not be planned theirs.
    const isTold = canceled || (code === PLANNING_FAILED && reason?.code === 'NOTHING_PLANNED');
    return isTold
      ? { campaign, expired, code, detail }
      : { campaign, expired, code: reason?.code ?? null, detail: reason?.detail ?? null };
  });
  await sql.query(
    `update campaign c set state_at = to_timestamp($5::float8 / 1000), state_by = $6, plan_at = null, code = e.code, detail = e.detail,
            state = case when c.state = 'canceling' then 'canceled' when e.expired then 'expired' else 'completed' end
       from ${ENDING.from} as e where c.id = e.campaign`,
    [...ENDING.parametersOf(rows), now, by],
  );
  return rows.length;
}

/** `counts` undefined: it was not asked, for a device was taken. */
function reasonOf(counts: readonly SendCount[] | undefined): EndReason | undefined {
  return counts === undefined ? undefined : nobodyGotIt(counts);
}

/** Newest sends of a campaign that are looked at for why nobody got it: the words need no more of one in tens of thousands. */
const MOST_COUNTED = 10_000;

/** By campaign, those that are sums alone among them. Index send_cell; primary key of the sums. */
async function sendCounts(sql: Sql, campaigns: readonly string[]): Promise<Map<string, SendCount[]>> {
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<SendCount & { campaign: string }>(
    `select u.campaign, s.state, s.code, sum(s.sends)::int as sends
       from unnest($1::uuid[]) as u(campaign)
       cross join lateral (
         (select state, code, 1 as sends from send where campaign = u.campaign and next_send is null limit ${MOST_COUNTED})
         union all select state, null, sends from send_gone where campaign = u.campaign) s
      group by 1, 2, 3`,
    [campaigns],
  );
  const counts = new Map<string, SendCount[]>(campaigns.map((campaign) => [campaign, []]));
  for (const { campaign, ...count } of rows) counts.get(campaign)?.push(count);
  return counts;
}

const REASONS = columnsOf<{ campaign: string; code: string | null; detail: string | null }>(
  'campaign uuid, code text, detail text',
);

/** Why nobody got campaigns that have closed, judged anew by what a retry, a resolve or a late result brought. */
async function renewReasons(sql: Sql, campaigns: readonly string[]): Promise<void> {
  const told = await sql.query<{ campaign: string; taken: boolean }>(
    `select c.id as campaign, coalesce(sum(o.sent_count), 0) > 0 as taken
       from campaign c left join occurrence o on o.campaign = c.id
      where c.id = any($1::uuid[]) and c.state in ${sqlList(FINISHED_STATES)} and c.code = any($2::text[]) group by c.id`,
    [campaigns, NOBODY_CODES],
  );
  if (told.length === 0) return;
  const counts = await sendCounts(
    sql,
    told.filter(({ taken }) => !taken).map(({ campaign }) => campaign),
  );
  const rows = told.flatMap(({ campaign }) => {
    const seen = counts.get(campaign);
    // A retry that is open says nothing yet.
    if (seen?.some(({ state }) => OPEN_STATES.includes(state)) === true) return [];
    const reason = reasonOf(seen);
    return [{ campaign, code: reason?.code ?? null, detail: reason?.detail ?? null }];
  });
  await sql.query(
    `update campaign c set code = r.code, detail = r.detail from ${REASONS.from} as r where c.id = r.campaign`,
    REASONS.parametersOf(rows),
  );
}

/** What a retry, a resolve or a late result brought to campaigns that had closed: once a round for each. */
export async function tellCorrected(sql: Sql, campaigns: readonly string[], now: EpochMs): Promise<void> {
  if (campaigns.length === 0) return;
  await renewReasons(sql, campaigns);
  for (const campaign of campaigns) {
    await sql.query("select tell_campaign($1, 'campaign.corrected', null, null, $2)", [
      campaign,
      new Date(now),
    ]);
  }
}

// Pages of campaigns for the API, and what a page shows of each beside its row: sends by state, what asks for attention, when
// something is due next. Each is one statement for the page, whatever its campaigns are made of. Never writes.
import type { Sql } from '../../../../platform/database/database.js';
import { lookThrough, Parameters, type Look } from '../../../../platform/database/look-through.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import { NOBODY_CODES } from '../../../decide/lifecycle/attention.js';
import {
  FINISHED_STATES,
  OPEN_OCCURRENCE,
  type CampaignState,
} from '../../../decide/lifecycle/campaign-state.js';
import { PLANNING_FAILED } from '../../../decide/lifecycle/planning-tries.js';
import type { SendState } from '../../../decide/lifecycle/send-state.js';
import { CAMPAIGN_COLUMNS, type CampaignRow, type SendStates } from './campaign.store.js';

export interface CampaignFilter {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
  readonly serviceId?: string | undefined;
  /** The publisher's id. */
  readonly campaignId?: string | undefined;
  /** Part of the publisher's id or of the name, in whatever case. */
  readonly q?: string | undefined;
  /** Of its revision in force. */
  readonly tag?: string | undefined;
  readonly state?: readonly CampaignState[] | undefined;
  /** Only those that ask for it. */
  readonly attention?: boolean | undefined;
  /** With an occurrence that has something due from `dueFrom` on, before `dueTo`. */
  readonly dueFrom?: string | undefined;
  readonly dueTo?: string | undefined;
}

export interface CampaignOrder {
  readonly newest: boolean;
  /** The id behind which it begins. */
  readonly from: string | undefined;
}

export interface CampaignsFound {
  readonly rows: readonly CampaignRow[];
  readonly stoppedAt: string | undefined;
}

/** In order of id, which is that of creation. Looks at no more campaigns than a page may. */
export async function campaignPage(
  sql: Sql,
  filter: CampaignFilter,
  page: CampaignOrder & { readonly limit: number },
): Promise<CampaignsFound> {
  const look = lookFor(filter, page);
  const { ids, stoppedAt } = await lookThrough(sql, look, page.limit);
  const rows = await sql.query<CampaignRow>(
    `select ${CAMPAIGN_COLUMNS} from campaign c where c.id = any($1) order by c.id ${page.newest ? 'desc' : 'asc'}`,
    [ids],
  );
  return { rows, stoppedAt };
}

/**
 * Index campaign_campaign_id where the publisher's id is named, campaign_service where one service is, else the primary key.
 * Nothing of `q` and `tag` is served by an index: they are looked for in the rows that a page looks at.
 */
function lookFor(filter: CampaignFilter, { newest, from }: CampaignOrder): Look {
  const { serviceIds, serviceId, campaignId } = filter;
  const parameters = new Parameters();
  const rows = ['true'];
  parameters.restrict(rows, from, 'uuid', `r.id ${newest ? '<' : '>'} ?`);
  const one = serviceId ?? (serviceIds?.length === 1 ? serviceIds[0] : undefined);
  parameters.restrict(rows, one, 'text', 'r.service_id = ?');
  if (campaignId !== undefined) {
    parameters.restrict(rows, campaignId, 'text', 'r.campaign_id = ?');
    if (one === undefined) rows.push('r.service_id = any(array(select p.service_id from project p))');
  }
  parameters.ofRows = parameters.all.length;
  return {
    rows: `select r.* from campaign r where ${rows.join(' and ')}`,
    match: conditionsOf(filter, parameters),
    newest,
    parameters,
  };
}

/** Of a row `s` of campaign. */
function conditionsOf(filter: CampaignFilter, parameters: Parameters): string {
  const { serviceIds, q, tag, state, attention, dueFrom, dueTo } = filter;
  const match = ['true'];
  const add = (value: unknown, type: string, text: string): void =>
    parameters.restrict(match, value, type, text);
  add(serviceIds, 'text[]', 's.service_id = any(?)');
  add(q, 'text', '(strpos(lower(s.campaign_id), lower(?)) > 0 or strpos(lower(s.name), lower(?)) > 0)');
  add(state, 'text[]', 's.state = any(?)');
  add(tag, 'text', HAS_TAG);
  if (dueFrom !== undefined || dueTo !== undefined) {
    const due = ['o.campaign = s.id and o.first_due is not null'];
    parameters.restrict(due, dueFrom, 'timestamptz', 'o.last_due >= ?');
    parameters.restrict(due, dueTo, 'timestamptz', 'o.first_due < ?');
    match.push(`exists (select from occurrence o where ${due.join(' and ')})`);
  }
  if (attention === true) match.push(ASKS_FOR_ATTENTION);
  return match.join(' and ');
}

/**
 * Of a row `s` of campaign. In the row itself, where its first revision is in force and who took it wrote it down; else its revision
 * is read, by its primary key: as EXISTS it could be hashed, so that all revisions there are would be read.
 */
const HAS_TAG = `case when s.revision = 1 and s.tags is not null then s.tags @> array[?]
  else (select jsonb_exists(r.data -> 'tags', ?) from revision r where r.campaign = s.id and r.revision = s.revision) end`;

/** Sends of one service that are looked at: an outage may leave more of them. */
const MOST_ATTENTION = 10_000;
/** Clocks of replicas differ: a campaign's sends may bear ids of a moment before its own. */
const CLOCKS_DIFFER_MS = 60_000;

// Of a row `s` of campaign: what attentionOf (decide/lifecycle/attention.ts) says of it. Its sends by index send_attention, read
// once a statement.
const ASKS_FOR_ATTENTION = `(s.state = 'rejected' or s.code = '${PLANNING_FAILED}'
  or s.state in ${sqlList(FINISHED_STATES)} and s.code in ${sqlList(NOBODY_CODES)}
  or s.id in (select b.campaign from project p cross join lateral (
    select campaign, next_send from send where service_id = p.service_id and needs_attention
     order by id desc limit ${MOST_ATTENTION}) b where b.next_send is null))`;

/**
 * Of a page of campaigns, those of their newest sends that ask for attention, by state. Index send_attention, of each service
 * from its end on, as far back as the oldest campaign of the page, MOST_ATTENTION at most.
 */
export async function attentionStatesOf(
  sql: Sql,
  campaigns: readonly Pick<CampaignRow, 'id' | 'serviceId' | 'createdAt'>[],
): Promise<ReadonlyMap<string, SendStates>> {
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<StateCount>(
    `select s.campaign, s.state, count(*)::int as sends
       from unnest($1::text[]) as p(service_id)
       cross join lateral (
         select campaign, state, next_send from send
          where service_id = p.service_id and needs_attention and id >= uuid_floor($2)
          order by id desc limit ${MOST_ATTENTION}) s
      where s.next_send is null and s.campaign = any($3::uuid[]) group by 1, 2`,
    [
      [...new Set(campaigns.map(({ serviceId }) => serviceId))],
      beforeSendsOf(campaigns),
      campaigns.map(({ id }) => id),
    ],
  );
  return byCampaign(rows);
}

interface StateCount {
  readonly campaign: string;
  readonly state: SendState | null;
  readonly sends: number;
}

function byCampaign(rows: readonly StateCount[]): ReadonlyMap<string, SendStates> {
  const found = new Map<string, SendStates>();
  for (const { campaign, state, sends } of rows)
    if (state !== null) found.set(campaign, { ...found.get(campaign), [state]: sends });
  return found;
}

/** No send of theirs has an id of before then. */
function beforeSendsOf(campaigns: readonly Pick<CampaignRow, 'createdAt'>[]): Date {
  const oldest = Math.min(...campaigns.map(({ createdAt }) => createdAt.getTime()));
  return new Date(oldest - CLOCKS_DIFFER_MS);
}

/** Sends that the counts of one page look at, whatever it holds, and those of one campaign. */
const MOST_COUNTED = 50_000;
const MOST_OF_ONE = 10_000;

export interface CountedSends {
  readonly states: ReadonlyMap<string, SendStates>;
  /** Campaigns that have more sends than were looked at. */
  readonly atLeast: ReadonlySet<string>;
}

/**
 * Of a page of campaigns, the newest send of every chunk by state, with those that are kept as sums alone
 * (sql/scheduler/functions/count_sends.sql). So many of each are looked at that a page costs the same whatever its campaigns are:
 * the more rows, the fewer of each.
 */
export async function countSends(
  sql: Sql,
  campaigns: readonly Pick<CampaignRow, 'id' | 'createdAt'>[],
): Promise<CountedSends> {
  if (campaigns.length === 0) return { states: new Map(), atLeast: new Set() };
  const most = Math.min(MOST_OF_ONE, Math.ceil(MOST_COUNTED / campaigns.length));
  const rows = await sql.query<StateCount & { readonly looked: number }>(
    `select campaign, state, sum(sends)::int as sends, sum(looked)::int as looked
       from count_sends($1, uuid_floor($2), $3) group by campaign, state order by campaign, state`,
    [campaigns.map(({ id }) => id), beforeSendsOf(campaigns), most + 1],
  );
  const looked = new Map<string, number>();
  for (const row of rows) looked.set(row.campaign, (looked.get(row.campaign) ?? 0) + row.looked);
  const large = [...looked].filter(([, sends]) => sends > most).map(([campaign]) => campaign);
  return { states: byCampaign(rows), atLeast: new Set(large) };
}

/** Occurrences of a campaign and cells of an occurrence that are looked at for what is due next. */
const MOST_OCCURRENCES = 1_000;
const MOST_CELLS = 10_000;

/**
 * Of a page of campaigns, when the next of their cells is due after `now`; none where nothing is planned for then, or an
 * occurrence under way has more cells than are looked at. Primary keys of occurrence and cell.
 */
export async function nextDueOf(
  sql: Sql,
  campaigns: readonly Pick<CampaignRow, 'id'>[],
  now: Date,
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql.query<{ campaign: string; at: Date }>(
    `select o.campaign, min(case when o.first_due >= $2 then o.first_due else e.at end) as at
       from unnest($1::uuid[]) as c(id)
       cross join lateral (
         select * from occurrence where campaign = c.id order by occurrence desc limit ${MOST_OCCURRENCES}) o
       left join lateral (
         select case when count(*) <= ${MOST_CELLS}
                     then min(n.due_at) filter (where n.due_at >= $2 and n.skipped_code is null) end as at
           from (select due_at, skipped_code from cell
                  where campaign = o.campaign and occurrence = o.occurrence limit ${MOST_CELLS + 1}) n)
         e on o.first_due < $2
      where o.last_due >= $2 and o.state in ${sqlList(OPEN_OCCURRENCE)} and o.occurrence not like 'test-%'
      group by o.campaign having min(case when o.first_due >= $2 then o.first_due else e.at end) is not null`,
    [campaigns.map(({ id }) => id), now],
  );
  return new Map(rows.map(({ campaign, at }) => [campaign, at]));
}

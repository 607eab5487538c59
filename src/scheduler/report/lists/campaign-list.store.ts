// Pages of campaigns for the API, with each campaign's sends by state, whether it needs attention, and when something is due next.
// One statement reads each of these for a whole page, however large its campaigns are. Never writes.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { lookThrough, Parameters, type Look } from '../../../platform/database/bounded-pages.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { anyOf } from '../../../platform/http/names-parameter.js';
import { givenInstant } from '../../../platform/http/given-instant.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { NOBODY_CODES } from '../../decide/lifecycle/attention.js';
import { CAMPAIGN_STATES, FINISHED_STATES, OPEN_OCCURRENCE } from '../../decide/lifecycle/campaign-state.js';
import { PLANNING_FAILED } from '../../decide/lifecycle/planning-tries.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import { CAMPAIGN_COLUMNS, type CampaignRow, type SendStates } from '../../store/read/campaign.store.js';
import type { SendOrder } from '../../store/read/send-filter.js';

/** The filter of a list of campaigns, as members of a query. Tags are those of the revision in force. */
export const campaignFilterQuery = {
  serviceId: storableText(128).optional(),
  campaignId: storableText(128).optional().describe("The publisher's"),
  q: storableText(128).min(1).optional().describe("Part of the publisher's id or of the name, in any case"),
  tag: storableText(64).min(1).optional().describe('One of its tags, in the same case'),
  state: anyOf(CAMPAIGN_STATES).optional(),
  attention: z.literal('true').optional().describe('Only those that ask for it'),
  dueFrom: givenInstant
    .optional()
    .describe('Only campaigns with an occurrence that has something due at or after it …'),
  dueTo: givenInstant.optional().describe('… and before then'),
};
const campaignFilterObject = z.object(campaignFilterQuery);
/** Members that are not given do not restrict it. */
export type CampaignFilter = z.output<typeof campaignFilterObject> & {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
};

/**
 * In order of id, which is the order of creation. Reads no more campaigns than a page may; `stoppedAt`: the last one read, if
 * there may be more.
 */
export async function campaignPage(
  sql: Sql,
  filter: CampaignFilter,
  page: SendOrder & { readonly limit: number },
): Promise<{ readonly rows: readonly CampaignRow[]; readonly stoppedAt: string | undefined }> {
  const look = lookFor(filter, page);
  const { ids, stoppedAt } = await lookThrough(sql, look, page.limit);
  const rows = await sql.query<CampaignRow>(
    `select ${CAMPAIGN_COLUMNS} from campaign c where c.id = any($1) order by c.id ${page.newest ? 'desc' : 'asc'}`,
    [ids],
  );
  return { rows, stoppedAt };
}

/**
 * Index campaign_campaign_id where the publisher's id is given, campaign_service where one service is given, else the primary key.
 * No index serves `q` and `tag`: they are compared with each row that the page reads.
 */
function lookFor(filter: CampaignFilter, { newest, from }: SendOrder): Look {
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

/** A condition on a row `s` of campaign. */
export function conditionsOf(filter: CampaignFilter, parameters: Parameters): string {
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
  if (attention !== undefined) match.push(ASKS_FOR_ATTENTION);
  return match.join(' and ');
}

/**
 * A condition on a row `s` of campaign. The row itself has the tags of its first revision; those of any other revision are read by its
 * primary key. It does not use EXISTS, because PostgreSQL could hash that, and would then read all revisions.
 */
const HAS_TAG = `case when s.revision = 1 then s.tags @> array[?]
  else (select jsonb_exists(r.data -> 'tags', ?) from revision r where r.campaign = s.id and r.revision = s.revision) end`;

/** The most sends of one service that are read; an outage may leave more. */
const MOST_ATTENTION = 10_000;
/**
 * Replicas' clocks differ and may be set back: a send may end before its campaign was made, by less than a day, as ends_from
 * assumes too.
 */
const CLOCKS_DIFFER_MS = 86_400_000;

// A condition on a row `s` of campaign: whether it needs attention, by the rule of attentionOf (decide/lifecycle/attention.ts). The
// sends are read once for the statement, by index send_attention.
const ASKS_FOR_ATTENTION = `(s.state = 'rejected' or s.code = '${PLANNING_FAILED}'
  or s.state in ${sqlList(FINISHED_STATES)} and s.code in ${sqlList(NOBODY_CODES)}
  or s.id in (select b.campaign from project p cross join lateral (
    select campaign, next_send from send where service_id = p.service_id and needs_attention
     order by id desc limit ${MOST_ATTENTION}) b where b.next_send is null))`;

/**
 * For each campaign of a page, its newest sends that need attention, counted by state. Index send_attention of each service,
 * backwards to the oldest campaign of the page, MOST_ATTENTION sends at most.
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
          where service_id = p.service_id and needs_attention and ended_at >= $2
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

/** No send of these campaigns ended before that instant. */
function beforeSendsOf(campaigns: readonly Pick<CampaignRow, 'createdAt'>[]): Date {
  const oldest = Math.min(...campaigns.map(({ createdAt }) => createdAt.getTime()));
  return new Date(oldest - CLOCKS_DIFFER_MS);
}

/** The most sends that are read to count those of a page, and those of one campaign. */
const MOST_COUNTED = 50_000;
const MOST_OF_ONE = 10_000;

/**
 * For each campaign of a page, the newest sends of its chunks counted by state, with those that are kept as sums alone
 * (sql/scheduler/functions/count_sends.sql). The more campaigns, the fewer sends of each are read, so that a page costs the same
 * however large its campaigns are; `atLeast`: campaigns that have more sends than were read.
 */
export async function countSends(
  sql: Sql,
  campaigns: readonly Pick<CampaignRow, 'id' | 'createdAt'>[],
): Promise<{ readonly states: ReadonlyMap<string, SendStates>; readonly atLeast: ReadonlySet<string> }> {
  if (campaigns.length === 0) return { states: new Map(), atLeast: new Set() };
  const most = Math.min(MOST_OF_ONE, Math.ceil(MOST_COUNTED / campaigns.length));
  const rows = await sql.query<StateCount & { readonly looked: number }>(
    `select campaign, state, sum(sends)::int as sends, sum(looked)::int as looked
       from count_sends($1, $2, $3) group by campaign, state order by campaign, state`,
    [campaigns.map(({ id }) => id), beforeSendsOf(campaigns), most + 1],
  );
  const looked = new Map<string, number>();
  for (const row of rows) looked.set(row.campaign, (looked.get(row.campaign) ?? 0) + row.looked);
  const large = [...looked].filter(([, sends]) => sends > most).map(([campaign]) => campaign);
  return { states: byCampaign(rows), atLeast: new Set(large) };
}

/** The most occurrences of a campaign, and cells of an occurrence, that are read to find what is due next. */
const MOST_OCCURRENCES = 1_000;
const MOST_CELLS = 10_000;

/**
 * For each campaign of a page, when its next cell is due after `now`; missing where no cell is, or where an occurrence under way has
 * more cells than are read. Primary keys of occurrence and cell.
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

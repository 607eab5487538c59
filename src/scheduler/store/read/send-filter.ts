// Which sends a list, a group of failures or a set of retries has: the one place for what may be asked of sends, as a schema and as a
// condition of SQL. So what is counted by a filter is also found by it.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { MOST_LOOKED_AT, Parameters, type Look } from '../../../platform/database/bounded-pages.js';
import { anyOf } from '../../../platform/http/names-parameter.js';
import { givenInstant } from '../../../platform/http/given-instant.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { ATTENTION_STATES, SEND_STATES } from '../../decide/lifecycle/send-state.js';
import { exactMs, parseDuration } from '../../decide/timing/duration.js';
import { MODES } from '../../decide/timing/send-mode.js';
import { DUE, IS_DEFERRED, LATE_MS } from '../send/measured-send.js';
import { ourCampaignId } from './our-ids.js';

/** This value asks for sends that have none. */
export const NONE = 'none';

export const sendStates = anyOf(SEND_STATES);

/** An ISO 8601 duration or milliseconds, as milliseconds. */
const length = storableText(40)
  .transform((text) => {
    if (/^\d{1,12}$/.test(text)) return Number(text);
    const duration = parseDuration(text);
    return duration && exactMs(duration);
  })
  .refine((ms) => ms !== undefined, 'must be an ISO 8601 duration without months (PT30S), or milliseconds');

/** What may be asked of sends, within what a token holds, as the members of a query. */
export const sendFilterQuery = {
  serviceId: storableText(128).optional().describe('Of the project'),
  campaign: ourCampaignId.optional().describe('Our id'),
  occurrence: storableText(64).optional(),
  cell: storableText(200).optional(),
  zone: storableText(64).optional().describe("The cell's"),
  mode: z.enum(MODES).optional(),
  state: sendStates.optional(),
  code: storableText(64).optional().describe(`Why it stands in its state; ${NONE}: there is no code`),
  httpStatus: z
    .union([z.literal(NONE), z.coerce.number().int().min(100).max(599)])
    .optional()
    .describe(`Of the newest attempt's answer; ${NONE}: there was no answer`),
  requestId: storableText(200)
    .optional()
    .describe("The push service's; no index has it, so name the campaign as well"),
  dueFrom: givenInstant
    .optional()
    .describe("Due from then on, a retry by its chunk's first due, as reports count it …"),
  dueTo: givenInstant.optional().describe('… and before then'),
  since: givenInstant.optional().describe('When it came to its state: from then on …'),
  until: givenInstant.optional().describe('… and before then'),
  lateOver: length
    .optional()
    .describe('Its lateness, as reports have it, is above that: milliseconds or PT30S'),
  deferred: z.enum(['true', 'false']).optional().describe('Whether it was moved behind the time intended'),
};

const { state: _, ...ofQuery } = sendFilterQuery;
/** The same as members of a body, where numbers and booleans are not text; without the states, which each route has for itself. */
export const sendFilterBody = {
  ...ofQuery,
  httpStatus: z
    .union([z.literal(NONE), z.int().min(100).max(599)])
    .optional()
    .describe(`Of the newest attempt's answer; ${NONE}: there was no answer`),
  lateOver: z
    .union([z.int().min(0).max(999_999_999_999), length])
    .optional()
    .describe('Its lateness, as reports have it, is above that: milliseconds or PT30S'),
  deferred: z.boolean().optional().describe('Whether it was moved behind the time intended'),
};

/** The filter as it is kept with a set and shown; members that are not given do not restrict it. */
export const keptSendFilter = {
  serviceId: z.string().optional(),
  campaign: ourCampaignId.optional(),
  occurrence: z.string().optional(),
  cell: z.string().optional(),
  zone: z.string().optional(),
  mode: z.enum(MODES).optional(),
  code: z.string().optional(),
  httpStatus: z.union([z.literal(NONE), z.int()]).optional(),
  requestId: z.string().optional(),
  dueFrom: z.string().optional(),
  dueTo: z.string().optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  lateOver: z.number().optional().describe('Milliseconds'),
  deferred: z.boolean().optional(),
};

const sendFilterObject = z.object(sendFilterQuery);
/** Members that are not given do not restrict it. */
export type SendFilter = z.output<typeof sendFilterObject> & {
  /** The services that the token holds; null: all. */
  readonly serviceIds: readonly string[] | null;
  /** Only the newest send of each chunk, the one that counts. */
  readonly newestOnly: boolean;
};

/** Where a page begins, and in which direction it goes. */
export interface SendOrder {
  readonly newest: boolean;
  /** The id behind which it begins. */
  readonly from: string | undefined;
}

/**
 * How a page of these sends is read, always in order of id, which is that of creation: the sends of a campaign by index send_cell, if
 * they are no more than a page looks at; sends that need attention by send_attention, service by service; all others by the primary
 * key, from the campaign's creation on. There is no index by service alone, because every send would have to be written to it.
 */
export async function lookForSends(sql: Sql, filter: SendFilter, order: SendOrder): Promise<Look> {
  const parameters = new Parameters();
  const behind = order.from && `r.id ${order.newest ? '<' : '>'} ${parameters.add(order.from, 'uuid')}`;
  const rows = await rowsOf(sql, filter, { ...order, behind: behind ?? 'true' }, parameters);
  parameters.ofRows = parameters.all.length;
  const match = sendConditions(filter, parameters, 'of_cell.zone');
  return {
    rows,
    beside: filter.zone === undefined ? '' : CELL_OF_SEND,
    match,
    newest: order.newest,
    parameters,
  };
}

async function rowsOf(
  sql: Sql,
  filter: SendFilter,
  { newest, behind }: SendOrder & { readonly behind: string },
  parameters: Parameters,
): Promise<string> {
  const { state, campaign } = filter;
  const own = campaign === undefined ? undefined : parameters.add(campaign, 'uuid');
  const ids = own && (await idsWithin(sql, filter));
  if (ids) {
    // With the campaign's id, which tells when it was made, earlier days are not planned.
    const [first, last] = ids.map((id) => parameters.add(id, 'uuid'));
    return `select r.* from send r where r.campaign = ${own} and r.ended_at >= ends_from(${own}) and r.id between ${first} and ${last} and ${behind} ${placeIn(filter, parameters)}`;
  }
  if (state?.every((one) => ATTENTION_STATES.includes(one)) === true) {
    const held = parameters.add(filter.serviceIds, 'text[]');
    const asked = parameters.add(filter.serviceId, 'text');
    const ofOwn =
      own === undefined ? '' : `and p.service_id = (select c.service_id from campaign c where c.id = ${own})`;
    return `select a.* from project p cross join lateral (
      select r.* from send r where r.service_id = p.service_id and r.needs_attention and ${behind}
       order by r.id ${newest ? 'desc' : 'asc'} limit ${MOST_LOOKED_AT}) a
      where (${held} is null or p.service_id = any(${held})) and (${asked} is null or p.service_id = ${asked}) ${ofOwn}`;
  }
  if (own === undefined) return `select r.* from send r where ${behind}`;
  return `select r.* from send r where ${behind} and r.ended_at >= ends_from(${own}) and r.id >=
    (select uuid_floor(c.created_at - interval '1 minute') from campaign c where c.id = ${own})`;
}

/**
 * The first and the last id of the sends of the campaign, or of the occurrence or cell that is named; undefined if they are more than
 * a page looks at.
 */
async function idsWithin(
  sql: Sql,
  filter: SendFilter,
): Promise<readonly [first: string | null, last: string | null] | undefined> {
  const parameters = new Parameters();
  const own = parameters.add(filter.campaign, 'uuid');
  const [found] = await sql.query<{ sends: number; first: string | null; last: string | null }>(
    `select count(*)::int as sends, (array_agg(s.id order by s.id))[1] as first, (array_agg(s.id order by s.id desc))[1] as last
       from (select r.id from send r where r.campaign = ${own} and r.ended_at >= ends_from(${own}) ${placeIn(filter, parameters)} limit ${MOST_LOOKED_AT}) s`,
    parameters.all,
  );
  return found && found.sends < MOST_LOOKED_AT ? [found.first, found.last] : undefined;
}

function placeIn({ occurrence, cell }: SendFilter, parameters: Parameters): string {
  const and = (column: string, value: string | undefined): string =>
    value === undefined ? '' : ` and r.${column} = ${parameters.add(value, 'text')}`;
  return and('occurrence', occurrence) + and('cell', cell);
}

/** The condition on a row `s` of send; `zoneOfSend`: an expression for its zone. */
export function sendConditions(
  filter: SendFilter,
  parameters: Parameters,
  zoneOfSend = `(${ZONE_OF_SEND})`,
): string {
  const { serviceIds, serviceId, campaign, occurrence, cell, zone, mode, state } = filter;
  const { code, httpStatus, requestId, dueFrom, dueTo, since, until, lateOver, deferred } = filter;
  const conditions = filter.newestOnly ? ['s.next_send is null'] : [];
  const add = (value: unknown, type: string, text: string): void =>
    parameters.restrict(conditions, value, type, text);
  const orNone = (value: unknown, type: string, column: string): void => {
    if (value === NONE) conditions.push(`${column} is null`);
    else add(value, type, `${column} = ?`);
  };
  add(serviceIds, 'text[]', 's.service_id = any(?)');
  add(serviceId, 'text', 's.service_id = ?');
  add(campaign, 'uuid', 's.campaign = ?');
  add(occurrence, 'text', 's.occurrence = ?');
  add(cell, 'text', 's.cell = ?');
  add(mode, 'text', 's.mode = ?');
  add(state, 'text[]', 's.state = any(?)');
  orNone(code, 'text', 's.code');
  orNone(httpStatus, 'integer', 's.http_status');
  add(requestId, 'text', 's.request_id = ?');
  add(dueFrom, 'timestamptz', `${DUE} >= ?`);
  add(dueTo, 'timestamptz', `${DUE} < ?`);
  add(since, 'timestamptz', 's.state_at >= ?');
  add(until, 'timestamptz', 's.state_at < ?');
  add(lateOver, 'float8', `${LATE_MS} > ?`);
  if (deferred !== undefined) conditions.push(`${deferred === 'true' ? '' : 'not '}${IS_DEFERRED}`);
  // Looked up by the primary key of cell: last, so that it is done only for rows that pass all other conditions.
  orNone(zone, 'text', zoneOfSend);
  return conditions.join(' and ') || 'true';
}

/** The zone of a row `s` of send, by the primary key of cell. */
export const ZONE_OF_SEND =
  'select e.zone from cell e where e.campaign = s.campaign and e.occurrence = s.occurrence and e.cell = s.cell';

/** The same for many rows `s`: in a join the executor remembers the zone of a cell, whose sends follow each other. */
const CELL_OF_SEND = `left join lateral (${ZONE_OF_SEND} offset 0) of_cell on true`;

// The filter of sends that lists, groups of failures and sets of retries share, as a schema and as a condition of SQL: so the sends that
// are counted by a filter are those that it finds.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { MOST_LOOKED_AT, Parameters, type Look } from '../../../platform/database/bounded-pages.js';
import { anyOf } from '../../../platform/http/names-parameter.js';
import { givenInstant } from '../../../platform/http/given-instant.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { ATTENTION_STATES, SEND_STATES } from '../../decide/lifecycle/send-state.js';
import { exactMs, parseDuration } from '../../decide/timing/duration.js';
import { MODES } from '../../decide/timing/send-mode.js';
import { namesReason } from '../rollup/reasons-of.js';
import { DUE, IS_DEFERRED, LATE_MS } from '../send/measured-send.js';
import { ourCampaignId } from './our-ids.js';

/** The value by which a filter asks for sends that have no value. */
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

/** The filter as members of a query. A token's services restrict it further. */
export const sendFilterQuery = {
  serviceId: storableText(128).optional().describe('Of the project'),
  campaign: ourCampaignId.optional().describe('Our id'),
  occurrence: storableText(64).optional(),
  cell: storableText(200).optional(),
  zone: storableText(64).optional().describe("The cell's"),
  mode: z.enum(MODES).optional(),
  state: sendStates.optional(),
  code: storableText(64).optional().describe(`Why it is in its state; ${NONE}: there is no code`),
  reason: storableText(100)
    .optional()
    .describe("A reason that the push service's breakdown gives, as its detail names it"),
  httpStatus: z
    .union([z.literal(NONE), z.coerce.number().int().min(100).max(599)])
    .optional()
    .describe(`Of the newest attempt's answer; ${NONE}: there was no answer`),
  requestId: storableText(200).optional().describe("The push service's"),
  dueFrom: givenInstant
    .optional()
    .describe("Due at or after this; a retry by its chunk's first due, as in reports …"),
  dueTo: givenInstant.optional().describe('… and before this'),
  since: givenInstant.optional().describe('It came to its state at or after this …'),
  until: givenInstant.optional().describe('… and before this'),
  lateOver: length.optional().describe('Its lateness, as in reports, is above this: milliseconds or PT30S'),
  deferred: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether it was moved to later than the time intended'),
};

const { state: _, ...ofQuery } = sendFilterQuery;
/** The filter as members of a body, where numbers and booleans are not text; without states, which each route has for itself. */
export const sendFilterBody = {
  ...ofQuery,
  httpStatus: z
    .union([z.literal(NONE), z.int().min(100).max(599)])
    .optional()
    .describe(`Of the newest attempt's answer; ${NONE}: there was no answer`),
  lateOver: z
    .union([z.int().min(0).max(999_999_999_999), length])
    .optional()
    .describe('Its lateness, as in reports, is above this: milliseconds or PT30S'),
  deferred: z.boolean().optional().describe('Whether it was moved to later than the time intended'),
};

/** The filter as it is stored with a set and shown; members that are not given do not restrict it. */
export const keptSendFilter = {
  serviceId: z.string().optional(),
  campaign: ourCampaignId.optional(),
  occurrence: z.string().optional(),
  cell: z.string().optional(),
  zone: z.string().optional(),
  mode: z.enum(MODES).optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
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
  /** The services of the token; null: all. */
  readonly serviceIds: readonly string[] | null;
  /** Only the newest send of each chunk. */
  readonly newestOnly: boolean;
};

/** Where a page begins, and its direction. */
export interface SendOrder {
  readonly newest: boolean;
  /** The id after which it begins. */
  readonly from: string | undefined;
}

/**
 * How a page of these sends is read, always in order of id, which is that of creation. The sends of a campaign are read by index
 * send_cell, if they are no more than a page may look at; sends that need attention by send_attention, service by service; those of a
 * request id by send_request; all others by the primary key, from the campaign's creation on. An index
 * by service alone would have to hold every send, so there is none.
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
    // The campaign's id has its creation, so partitions of earlier days are not read.
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
  if (own === undefined) {
    // Index send_request of each day: few sends have one request id.
    const asked = filter.requestId && ` and r.request_id = ${parameters.add(filter.requestId, 'text')}`;
    return `select r.* from send r where ${behind}${asked ?? ''}`;
  }
  return `select r.* from send r where ${behind} and r.ended_at >= ends_from(${own}) and r.id >=
    (select uuid_floor(c.created_at - interval '1 minute') from campaign c where c.id = ${own})`;
}

/**
 * The first and the last id of the campaign's sends, or of the occurrence's or cell's that is named; undefined: they are more than a
 * page may look at.
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
  const { code, reason, httpStatus, requestId, dueFrom, dueTo, since, until, lateOver, deferred } = filter;
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
  add(reason, 'text', namesReason('?'));
  orNone(httpStatus, 'integer', 's.http_status');
  add(requestId, 'text', 's.request_id = ?');
  add(dueFrom, 'timestamptz', `${DUE} >= ?`);
  add(dueTo, 'timestamptz', `${DUE} < ?`);
  add(since, 'timestamptz', 's.state_at >= ?');
  add(until, 'timestamptz', 's.state_at < ?');
  add(lateOver, 'float8', `${LATE_MS} > ?`);
  if (deferred !== undefined) conditions.push(`${deferred === 'true' ? '' : 'not '}${IS_DEFERRED}`);
  // Looked up by the primary key of cell. It is last, so that it is done only for rows that pass all other conditions.
  orNone(zone, 'text', zoneOfSend);
  return conditions.join(' and ') || 'true';
}

/** The zone of a row `s` of send, by the primary key of cell. */
export const ZONE_OF_SEND =
  'select e.zone from cell e where e.campaign = s.campaign and e.occurrence = s.occurrence and e.cell = s.cell';

/** The same for many rows `s`: a join lets PostgreSQL cache the zone of a cell, whose sends follow each other. */
const CELL_OF_SEND = `left join lateral (${ZONE_OF_SEND} offset 0) of_cell on true`;

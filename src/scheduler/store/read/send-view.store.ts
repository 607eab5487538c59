// Reads sends and their attempts for the API. It shows only the number of recipients, never who they are.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { survey, type Counted } from '../../../platform/database/bounded-pages.js';
import { count } from '../../../platform/http/zod-schemas.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { MODE_RULES, MODES } from '../../decide/timing/send-mode.js';
import { lookForSends, ZONE_OF_SEND, type SendFilter, type SendOrder } from './send-filter.js';
import { SendStateView } from './state-views.js';

/** The members of a send that the API shows as they are read. */
export const SendView = z
  .object({
    id: z.uuid(),
    serviceId: z.string(),
    campaign: z.uuid(),
    campaignId: z.string().nullable(),
    revision: z.int(),
    occurrence: z.string(),
    cell: z.string(),
    zone: z.string().nullable(),
    chunk: z.int().describe("Number of its chunk of the cell's recipients"),
    newest: z.boolean().describe('Whether it is the send of its chunk that counts'),
    retryOf: z.uuid().nullable(),
    retries: z.int(),
    state: SendStateView,
    code: z.string().nullable(),
    detail: z.string().nullable(),
    goal: z
      .string()
      .nullable()
      .describe('The state that a cancel, pause or revision asked for and that it has not come to yet'),
    stateAt: z.date(),
    stateBy: z.string(),
    mode: z.enum(MODES),
    rule: z.enum(MODE_RULES).describe('Why this mode'),
    scheduleCode: z.string().nullable(),
    intendedAt: z.date().nullable(),
    dueAt: z.date().nullable(),
    handOffAt: z.date().nullable().describe('When it is to leave, or has left; null where it never will'),
    recipients: count.nullable().describe('How many ids; null for an audience not made of ids'),
    attempts: count,
    requestId: z.string().nullable().describe("The push service's"),
    handedOffAt: z.date().nullable(),
    answeredAt: z.date().nullable(),
    gatewayStatus: z.string().nullable(),
    target: count.nullable().describe('Devices'),
    sent: count.nullable().describe('Devices that a provider took'),
    completeTime: z.date().nullable(),
    createdAt: z.date(),
  })
  .meta({ id: 'Send' });
export type SendView = z.output<typeof SendView>;

// The columns of SendView, for a row `s` of send. Other tables are looked up only for the rows that are shown.
const COLUMNS = `s.id, s.service_id as "serviceId", s.campaign,
    (select c.campaign_id from campaign c where c.id = s.campaign) as "campaignId", s.revision,
    s.occurrence, s.cell, (${ZONE_OF_SEND}) as zone, s.chunk, s.next_send is null as newest, s.retry_of as "retryOf",
    s.retries, s.state, s.code, s.detail, s.goal, s.state_at as "stateAt", s.state_by as "stateBy", s.mode,
    s.mode_rule as "rule", s.schedule_code as "scheduleCode", s.intended_at as "intendedAt", s.due_at as "dueAt",
    case when s.work = 'f' then s.next_at else s.handed_off_at end as "handOffAt",
    s.recipients, s.attempts, s.request_id as "requestId",
    s.handed_off_at as "handedOffAt", s.answered_at as "answeredAt", s.gateway_status as "gatewayStatus",
    s.target_count as target, s.sent_count as sent, s.complete_time as "completeTime", s.created_at as "createdAt"`;

interface SendsFound {
  readonly rows: readonly SendView[];
  /** The last send that was looked at, if there may be more. */
  readonly stoppedAt: string | undefined;
  /** All sends that the filter names; null: it is not the first page. */
  readonly count: Counted | null;
}

/** In order of id, which is that of creation. Looks at no more sends than a page may; see lookForSends(). */
export async function sendPage(
  sql: Sql,
  filter: SendFilter,
  page: SendOrder & { readonly limit: number },
): Promise<SendsFound> {
  const found = await survey(sql, await lookForSends(sql, filter, page), page.limit);
  const { ids, stoppedAt } = found;
  const ends = page.newest ? [ids.at(-1), ids[0]] : [ids[0], ids.at(-1)];
  const rows = await sql.query<SendView>(
    `select ${COLUMNS} from send s
      where s.id between $1::uuid and $2::uuid and s.id = any($3::uuid[]) order by s.id ${page.newest ? 'desc' : 'asc'}`,
    [...ends, ids],
  );
  return { rows, stoppedAt, count: page.from === undefined ? found.count : null };
}

export async function sendById(sql: Sql, id: string): Promise<SendView | undefined> {
  return firstRow<SendView>(
    sql,
    `select ${COLUMNS} from send s where s.id = $1 and s.ended_at >= ends_from($1)`,
    [id],
  );
}

export const AttemptRow = z
  .object({
    attempt: z.int().min(1),
    kind: z.string(),
    startedAt: z.date(),
    endedAt: z
      .date()
      .nullable()
      .describe('null while it runs, and always if its process died during the call'),
    requestSent: z.boolean().nullable(),
    httpStatus: z.int().nullable(),
    errorCode: z.string().nullable(),
    answer: z.string().nullable().describe('The first characters of the answer'),
    outcome: z.string().nullable(),
  })
  .meta({ id: 'Attempt' });
export type AttemptRow = z.output<typeof AttemptRow>;

export async function attemptsOf(sql: Sql, send: string): Promise<AttemptRow[]> {
  return sql.query<AttemptRow>(
    `select attempt, kind, started_at as "startedAt", ended_at as "endedAt", request_sent as "requestSent",
            http_status as "httpStatus", error_code as "errorCode", answer, outcome
       from send_attempt where send = $1 order by attempt`,
    [send],
  );
}

/**
 * 410 if a send of this id may have ended on a day that is gone, otherwise 404. It is not known whether there was such a send, so the
 * 410 says nothing about sends of other callers.
 */
export async function noSuchSend(sql: Sql, id: string): Promise<Problem> {
  const gone = await firstRow<{ day: string }>(
    sql,
    `select to_char(g.day, 'YYYY-MM-DD') as day from (select $1::uuid::text as id) s
      cross join (select least(d.day, (kept_from('send') at time zone 'UTC')::date - 1) as day from day_drop d) g
      where substr(s.id, 15, 1) = '7' and g.day >= (ends_from(s.id::uuid) at time zone 'UTC')::date`,
    [id],
  );
  if (gone === undefined) return notFound('send');
  const text = `sends that ended by ${gone.day} are kept no longer; their campaigns' reports have their sums`;
  return new Problem(410, 'PAST_RETENTION', text, { details: { day: gone.day } });
}

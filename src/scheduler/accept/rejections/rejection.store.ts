// Reads and settles rejections. The row of the event has the bytes and the envelope as far as it could be read. A rejection is
// deleted with the day of its event (retention.md, "What is kept").
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { lookThrough, Parameters } from '../../../platform/database/bounded-pages.js';
import { givenInstant } from '../../../platform/http/given-instant.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { Reason, REASON_CODES } from '../parse/reason.js';

const PAGE_BYTES = 1024 * 1024;

const STATES = ['open', 'replayed', 'discarded'] as const;
type RejectionState = (typeof STATES)[number];
/** How an event came. */
const VIA = ['kafka', 'http'] as const;

const seenText = z.string().nullable();
/** A rejection as a list shows it, without its body. */
export const RejectionView = z
  .object({
    id: z.uuid(),
    eventId: z.uuid().describe('Our id of the event that was refused'),
    serviceId: seenText.describe('null where it could not be read, or the token did not hold it'),
    state: z.enum(STATES),
    problems: listOf(Reason),
    rejectedAt: z.date(),
    seen: z
      .object({ source: seenText, id: seenText, type: seenText, subject: seenText, time: seenText })
      .describe('The envelope, as far as it could be read'),
    via: z.enum(VIA),
    topic: seenText,
    partition: z.int().nullable(),
    offset: seenText,
    bytes: count.describe('Of its body'),
    replayOf: z.uuid().nullable().describe('The rejection that this event was a replay of'),
    replay: z
      .object({ eventId: z.uuid(), campaignId: z.uuid().nullable() })
      .nullable()
      .describe('The event that was taken in its place, and its campaign; both ids are ours'),
    settledAt: z.date().nullable(),
    settledBy: seenText,
    reason: seenText.describe('Why it was discarded, where somebody said so'),
  })
  .meta({ id: 'Rejection' });
export type RejectionView = z.output<typeof RejectionView>;

// The event of each rejection by its primary key, within the one day that the id names.
const VIEW = `select j.id, j.event as "eventId", j.service_id as "serviceId", j.state, j.reasons as problems,
    j.rejected_at as "rejectedAt",
    jsonb_build_object('source', e.source, 'id', e.event_id, 'type', e.type, 'subject', e.subject,
      'time', to_char(e.event_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as seen,
    e.via, e.topic, e.partition, e."offset"::text as "offset", octet_length(e.body) as bytes, e.replay_of as "replayOf",
    case when j.replay is not null then jsonb_build_object('eventId', j.replay, 'campaignId', coalesce(
      (select c.id from campaign c where c.event = j.replay), (select m.campaign from command m where m.event = j.replay))) end as replay,
    j.settled_at as "settledAt", j.settled_by as "settledBy", j.settled_reason as reason`;
const OF_EVENT = 'from rejection j join event e on e.id = j.event';

/** The filter of a list of rejections: refused at or after `from`, and before `to`. */
export const rejectionFilter = {
  serviceId: storableText(128).optional(),
  code: z.enum(REASON_CODES).optional(),
  state: z.enum(STATES).optional(),
  via: z.enum(VIA).optional(),
  from: givenInstant.optional(),
  to: givenInstant.optional(),
};
type RejectionFilter = z.output<z.ZodObject<typeof rejectionFilter>> & {
  /** null: rejections of every service, and of none. */
  readonly serviceIds: readonly string[] | null;
};

/**
 * Newest first, below the last id seen. Index rejection_service, rejection_open or rejection_reasons, else the primary key:
 * ids are in the order of the refusals, so that a range of times is a range of ids. Only the event's row says how it came (`via`);
 * no more of these rows are read than a page may read. Call it in a snapshot: a rejection that is settled between its statements
 * would be shown in a state that was not asked for.
 */
export async function rejectionPage(
  sql: Sql,
  filter: RejectionFilter,
  page: { before: string | undefined; limit: number },
): Promise<{ rows: RejectionView[]; stoppedAt: string | undefined }> {
  const { serviceIds, serviceId, state, code, via, from, to } = filter;
  const parameters = new Parameters();
  const rows = ['true'];
  parameters.restrict(rows, serviceIds, 'text[]', 'r.service_id = any(?)');
  parameters.restrict(rows, serviceId, 'text', 'r.service_id = ?');
  parameters.restrict(rows, state, 'text', 'r.state = ?');
  parameters.restrict(rows, code && JSON.stringify([{ code }]), 'jsonb', 'r.reasons @> ?');
  parameters.restrict(rows, from, 'timestamptz', 'r.id >= uuid_floor(?)');
  parameters.restrict(rows, to, 'timestamptz', 'r.id < uuid_floor(?)');
  parameters.restrict(rows, page.before, 'uuid', 'r.id < ?');
  parameters.ofRows = parameters.all.length;
  const match =
    via === undefined
      ? 'true'
      : `exists (select from event e where e.id = s.event and e.via = ${parameters.add(via, 'text')})`;
  const candidates = `select r.* from rejection r where ${rows.join(' and ')}`;
  const look = { rows: candidates, match, newest: true, parameters };
  const { ids, stoppedAt } = await lookThrough(sql, look, page.limit);
  const text = `${VIEW} ${OF_EVENT} where j.id = any($1) order by j.id desc`;
  return { rows: await sql.query<RejectionView>(text, [ids]), stoppedAt };
}

/** A rejection with the headers of its event, and its bytes where these are few. */
export interface ReadRejection extends RejectionView {
  readonly headers: Readonly<Record<string, string>>;
  /** Null where there are more than were asked for. */
  readonly body: Buffer | null;
}

/** With the body if it has at most `mostBytes` bytes: a single event of a batch may have 16 MiB. */
export async function rejectionById(
  sql: Sql,
  id: string,
  mostBytes: number,
): Promise<ReadRejection | undefined> {
  const text = `${VIEW}, e.headers, case when octet_length(e.body) <= $2 then e.body end as body ${OF_EVENT} where j.id = $1`;
  const [row] = await sql.query<ReadRejection>(text, [id, mostBytes]);
  return row;
}

/** Locks it until the transaction ends: if two requests settle it, the second sees what the first did. */
export async function lockRejection(sql: Sql, id: string): Promise<RejectionState | undefined> {
  const text = 'select state from rejection where id = $1 for update';
  const [row] = await sql.query<{ state: RejectionState }>(text, [id]);
  return row?.state;
}

interface RejectionSettlement {
  readonly id: string;
  readonly state: Exclude<RejectionState, 'open'>;
  readonly at: Date;
  readonly by: string;
  readonly reason?: string | undefined;
  /** The event that was taken in its place. */
  readonly replay?: string;
}

/** For a rejection that is locked and open. */
export async function settleRejection(sql: Sql, settlement: RejectionSettlement): Promise<void> {
  const { id, state, at, by, reason = null, replay = null } = settlement;
  await sql.query(
    `update rejection set state = $2, settled_at = $3, settled_by = $4, settled_reason = $5, replay = $6
      where id = $1 and state = 'open'`,
    [id, state, at, by, reason, replay],
  );
}

/** The bytes of an event; undefined once its day is deleted. */
export async function bodyOf(sql: Sql, event: string): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ body: Buffer }>('select body from event where id = $1', [event]);
  return row?.body;
}

/** The same in pages of at most 1 MiB, each read when it is asked for. */
export async function* bodyPagesOf(sql: Sql, event: string): AsyncGenerator<Buffer> {
  const text = 'select substring(body from $2 for $3) as page from event where id = $1';
  for (let from = 1; ; from += PAGE_BYTES) {
    const [row] = await sql.query<{ page: Buffer }>(text, [event, from, PAGE_BYTES]);
    if (row === undefined || row.page.length === 0) return;
    yield row.page;
    if (row.page.length < PAGE_BYTES) return;
  }
}

// Named SQL of the list of messages for people: what a service took, newest first. Reads only.
import { v7 } from 'uuid';
import type { EpochMs } from '../../platform/clock.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import type { MessageKind, MessageState } from './message.store.js';

export interface ListedMessage {
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly fireAt: Date | null;
  readonly key: string | null;
  readonly accessKey: string | null;
  readonly targetType: string;
  /** How many names the target has; null for ALL. */
  readonly targetSize: number | null;
  readonly text: string | null;
  readonly targetCount: number;
  readonly sentCount: number;
}

export interface MessagesAsked {
  readonly serviceId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Only messages that were taken before this one. */
  readonly before: string | undefined;
  /** The hash of an Idempotency-Key. */
  readonly dedupeHash: Buffer | undefined;
  /** A part of the request, in any case. */
  readonly text: string | undefined;
  readonly limit: number;
}

/** The characters of a message's text that are shown. */
const SHOWN = 80;

const SELECTED = `select p.id as "requestId", p.requested_at as "requestedAt", p.kind, p.state, p.fire_at as "fireAt", p.idempotency_key as key,
       p.access_key as "accessKey", r.request #>> '{target,type}' as "targetType",
       jsonb_array_length(nullif(r.request #> '{target,to}', 'null')) as "targetSize",
       left(r.request #>> '{message,default,content}', ${SHOWN}) as text,
       p.target_count::float8 as "targetCount", p.sent_count::float8 as "sentCount"`;

// Index message_service from its end, or message_dedupe for a key. A text is looked for in each message of the time. Only the rows of
// the page are read as JSON.
const PAGE = `
with page as materialized (
  select m.* from message m
   where m.service_id = $1 and m.kind <> 'closed' and m.id >= $2::uuid and m.id < least($3::uuid, coalesce($4::uuid, $3::uuid))
     and ($5::bytea is null or m.dedupe_hash = $5) and ($6::text is null or position(lower($6) in lower(m.request)) > 0)
   order by m.id desc limit $7)
${SELECTED} from page p cross join lateral (select p.request::jsonb as request) r order by p.id desc`;

// By the primary key.
const ONE = `
${SELECTED}, r.request from message p cross join lateral (select p.request::jsonb as request) r
 where p.service_id = $1 and p.id = $2 and p.kind <> 'closed'`;

export function listMessages(sql: Sql, asked: MessagesAsked): Promise<ListedMessage[]> {
  const { serviceId, from, to, before = null, dedupeHash = null, text = null, limit } = asked;
  return sql.query(PAGE, [serviceId, firstId(from), firstId(to), before, dedupeHash, text, limit]);
}

/** With the request as it is kept; undefined: the service took no such message. */
export function findMessage(
  sql: Sql,
  serviceId: string,
  requestId: string,
): Promise<(ListedMessage & { readonly request: Record<string, unknown> }) | undefined> {
  return firstRow(sql, ONE, [serviceId, requestId]);
}

function firstId(at: EpochMs): string {
  return v7({ msecs: at, random: new Uint8Array(16), seq: 0 });
}

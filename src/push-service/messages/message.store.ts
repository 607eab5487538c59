// Named SQL of messages (push-interface.md §2.6). One insert takes messages that arrive together, and one select reads them.
import { columnsOf } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { MessageType } from '../../push-contract/statuses.js';

export type MessageKind = 'immediate' | 'reserved' | 'scheduled';
/** `closed` is no message: an Idempotency-Key that was closed (close-key.store.ts). */
export type RowKind = MessageKind | 'closed';

export type MessageState =
  'READY' | 'ATTACHED' | 'PROCESSING' | 'FIRED' | 'FINISHED' | 'CANCELED' | 'FAIL' | 'STALE';

export interface NewMessage {
  readonly id: string;
  readonly serviceId: string;
  readonly kind: MessageKind;
  readonly messageType: MessageType;
  /** The request in its kept form, as JSON text. */
  readonly request: string;
  readonly dedupeHash: Buffer;
  readonly idempotencyKey: string | null;
  /** The access key that signed. */
  readonly accessKey: string;
  /** SHA-256 of the signed request: access key, timestamp, signature and body. */
  readonly signedHash: Buffer;
  readonly bodyHash: Buffer;
  readonly requestedAt: Date;
  readonly reserveTime: string | null;
  readonly reserveTimeZone: string | null;
  readonly scheduleId: string | null;
  /** When it goes out; null for a scheduled message. */
  readonly fireAt: Date | null;
  /** It is for so few users that it is expanded and handed over together with other small ones. */
  readonly small: boolean;
}

const KEPT = `id uuid, service_id text, kind text, message_type text, request text, dedupe_hash bytea,
   idempotency_key text, access_key text, body_hash bytea,
   requested_at timestamptz, reserve_time text, reserve_time_zone text, fire_at timestamptz, small boolean`;
const TAKEN = columnsOf<NewMessage>(KEPT);
const GIVEN = columnsOf<NewMessage>(`${KEPT}, signed_hash bytea`);

/**
 * A reserved message waits for its minute. For an immediate message the same statement makes the firing, in the order in which
 * messages were taken. So no immediate message is without its firing.
 */
const INSERT_MESSAGES = prepared(`
  with given as materialized (
    select * from ${GIVEN.from} as given
  ), seen as (
    insert into signed_request (hash, message_id, seen_at)
    select signed_hash, id, requested_at from given order by signed_hash
    on conflict (hash) do nothing returning message_id
  ), taken as (
    insert into message (${TAKEN.names}, state)
    select ${TAKEN.names}, case when kind = 'immediate' then 'PROCESSING' else 'READY' end
    -- A test of each row and not a join, so that all are seen before the first is taken, and rows keep their order.
    from given where (id in (select message_id from seen)) is true
    on conflict (dedupe_hash) do nothing returning id, service_id, kind, requested_at, small
  ), fired as (
    insert into firing (id, message_id, service_id, occurrence, due_at, small)
    select next_firing(requested_at), id, service_id, 'once', requested_at, small from taken where kind = 'immediate' order by id
  )
  select id from taken`);

/**
 * Takes messages that are not scheduled, in one statement. Returns `true` for each message that was taken, and `false` where its
 * dedupe hash or its signed request was taken before, or by another message of the call. The unique indexes wait for the end of a
 * transaction that takes the same, so exactly one of two inserts. The statement inserts in order of the hashes, so that two
 * replicas do not wait for each other.
 */
export async function insertMessages(sql: Sql, messages: readonly NewMessage[]): Promise<boolean[]> {
  const sorted = messages.toSorted((a, b) => a.dedupeHash.compare(b.dedupeHash));
  const rows = await sql.query<{ id: string }>(INSERT_MESSAGES, GIVEN.parametersOf(sorted));
  const taken = new Set(rows.map(({ id }) => id));
  return messages.map(({ id }) => taken.has(id));
}

/** Within this time a message is taken, or its caller has the answer that it was not; milliseconds. */
const SOON_MS = 15_000;
/** If a schedule was fired later than this after the request, the clock that fired it was set back since. */
const SOON = `interval '${SOON_MS} milliseconds'`;

/**
 * Locks the row of the schedule until the message is inserted. It waits for a deletion of the schedule and then inserts nothing.
 * A deletion waits for it and then sees the message. It inserts nothing under a schedule that has ended by then. With the lock
 * `share` the same is true for a firing: either the firing passes over the schedule until the message is inserted, or the firing
 * came first, and then the message counts as requested after it. Many messages may hold the lock at once.
 */
const insertScheduledWith = (lock: 'key share' | 'share'): string =>
  prepared(`
  with held as (
    select id, fired_until from schedule where id = $8::uuid and next_fire_at is not null for ${lock}
  ), seen as (
    insert into signed_request (hash, message_id, seen_at) select $10::bytea, $1::uuid, $7::timestamptz from held
    on conflict (hash) do nothing returning message_id
  )
  insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                       schedule_id, small, idempotency_key, access_key)
  select $1::uuid, $2::text, 'scheduled', 'ATTACHED', $3::text, $4::text, $5::bytea, $6::bytea,
         case when s.fired_until - $7::timestamptz < ${SOON} then greatest($7, s.fired_until) else $7 end, s.id, $9::bool,
         $11::text, $12::text
  from held s, seen
  on conflict (dedupe_hash) do nothing returning requested_at as "requestedAt"`);

const INSERT_SCHEDULED = insertScheduledWith('key share');
const INSERT_SCHEDULED_SOON = insertScheduledWith('share');

/** A firing is late by less than this, milliseconds, unless messages that are taken after its time hold it up. */
const LATE_MS = 1_000;

/**
 * Returns when the message counts as requested; undefined when it was taken before (as in insertMessages), and when its schedule
 * is gone or has ended. `nextFireAt`: when the schedule fires next, as it was looked up. A firing waits only for messages that
 * are taken near that time. Messages that come a second or more after it do not hold the firing up: otherwise a firing that finds
 * a message each time it tries would never come.
 */
export async function insertScheduled(
  sql: Sql,
  message: NewMessage,
  nextFireAt: Date,
): Promise<Date | undefined> {
  const ahead = nextFireAt.getTime() - message.requestedAt.getTime();
  const text = ahead > -LATE_MS && ahead < SOON_MS ? INSERT_SCHEDULED_SOON : INSERT_SCHEDULED;
  const row = await firstRow<{ requestedAt: Date }>(sql, text, [
    message.id,
    message.serviceId,
    message.messageType,
    message.request,
    message.dedupeHash,
    message.bodyHash,
    message.requestedAt,
    message.scheduleId,
    message.small,
    message.signedHash,
    message.idempotencyKey,
    message.accessKey,
  ]);
  return row?.requestedAt;
}

type TakenMessage = Pick<NewMessage, 'id' | 'bodyHash' | 'requestedAt'> & { readonly kind: RowKind };

/** `message` is null where the signed request was one of several with a key, and another of them was taken. */
export type FoundTaken =
  | { readonly by: 'dedupe hash'; readonly message: TakenMessage }
  | { readonly by: 'signed request'; readonly message: TakenMessage | null };

// Uses the unique index on dedupe_hash, and the primary key of signed_request.
const FIND_TAKEN = prepared(`
  select id, kind, body_hash as "bodyHash", requested_at as "requestedAt", true as "isDedupe"
    from message where dedupe_hash = $1
  union all
  select m.id, m.kind, m.body_hash, m.requested_at, false
    from signed_request s left join message m on m.id = s.message_id where s.hash = $2
   order by "isDedupe" desc limit 1`);

/** The message that was taken with the same dedupe hash; else the message that the same signed request was taken as. */
export async function findTaken(
  sql: Sql,
  { dedupeHash, signedHash }: Pick<NewMessage, 'dedupeHash' | 'signedHash'>,
): Promise<FoundTaken | undefined> {
  const row = await firstRow<
    { [Name in keyof TakenMessage]: TakenMessage[Name] | null } & { isDedupe: boolean }
  >(sql, FIND_TAKEN, [dedupeHash, signedHash]);
  if (row === undefined) return undefined;
  const { isDedupe, ...found } = row;
  const message = found.id === null ? null : (found as TakenMessage);
  return isDedupe && message !== null ? { by: 'dedupe hash', message } : { by: 'signed request', message };
}

/**
 * Frees an Idempotency-Key whose 30 days are over: the message gets a hash of its own. It changes the message of that id only
 * while it has that hash: another request may have freed the key already, and may have been taken with it.
 */
export async function releaseDedupe(sql: Sql, id: string, dedupeHash: Buffer): Promise<void> {
  await sql.query(
    `update message set dedupe_hash = sha256(dedupe_hash || id::text::bytea) where id = $1 and dedupe_hash = $2`,
    [id, dedupeHash],
  );
}

export interface ResultRow extends Pick<
  NewMessage,
  'id' | 'kind' | 'messageType' | 'request' | 'requestedAt'
> {
  readonly state: MessageState;
  readonly completeAt: Date | null;
  /** bigint: comes as text. */
  readonly targetCount: string;
  readonly sentCount: string;
}

export type MessageKey = Pick<NewMessage, 'id' | 'serviceId'>;

const KEYS = columnsOf<MessageKey>('id uuid, service_id text');

const RESULT = `m.id, m.kind, m.message_type as "messageType", m.request, m.requested_at as "requestedAt",
  m.target_count as "targetCount", m.sent_count as "sentCount"`;

// Finds each message by the primary key. OFFSET 0 forces that, whatever the planner knows of the table when it prepares the
// statement.
const FIND_RESULTS = prepared(`
  select r.* from ${KEYS.from} as asked cross join lateral (
    select ${RESULT}, m.service_id as "serviceId", m.state, m.complete_at as "completeAt"
    from message m where m.id = asked.id and m.service_id = asked.service_id and m.kind <> 'closed' offset 0) as r`);

/** Returns results in the order of the keys; undefined where the service has no such message. */
export async function findResults(sql: Sql, keys: readonly MessageKey[]): Promise<(ResultRow | undefined)[]> {
  const rows = await sql.query<ResultRow & MessageKey>(FIND_RESULTS, KEYS.parametersOf(keys));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Promise.all(
    keys.map(async ({ id, serviceId }) => {
      const row = byId.get(id);
      return row?.serviceId === serviceId ? withFirings(sql, row) : undefined;
    }),
  );
}

async function withFirings(sql: Sql, row: ResultRow & MessageKey): Promise<ResultRow | undefined> {
  const wentOut = row.kind === 'scheduled' && row.state === 'CANCELED' && row.targetCount !== '0';
  if (!wentOut) return row;
  const [canceled] = await sql.query<ResultRow>(FIND_CANCELED, [row.id, row.serviceId]);
  return canceled;
}

/**
 * A scheduled message that went out before it was cancelled is final once the last of its SENDING firings is. READY firings do
 * not count: the cancellation waited for those that were being expanded, and the others will find the cancellation.
 */
const FIND_CANCELED = prepared(`
  select ${RESULT}, case when f.sending then 'ATTACHED' else m.state end as state,
         greatest(m.complete_at, f.complete_at) as "completeAt"
  from message m cross join lateral (
    select coalesce(bool_or(state = 'SENDING'), false) as sending,
           max(complete_at) filter (where state = 'FINISHED') as complete_at
    from firing where message_id = m.id) f
  where m.id = $1 and m.service_id = $2`);

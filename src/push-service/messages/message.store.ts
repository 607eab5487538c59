// Named SQL of messages (push-interface.md §2.6): those that arrive together are taken by one insert and read by one select.
import { columnsOf } from '../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';
import type { MessageType } from '../../push-contract/statuses.js';

export type MessageKind = 'immediate' | 'reserved' | 'scheduled';

export type MessageState =
  'READY' | 'ATTACHED' | 'PROCESSING' | 'FIRED' | 'FINISHED' | 'CANCELED' | 'FAIL' | 'STALE';

export interface NewMessage {
  readonly id: string;
  readonly serviceId: string;
  readonly kind: MessageKind;
  readonly messageType: MessageType;
  /** The request in its kept form, JSON text. */
  readonly request: string;
  readonly dedupeHash: Buffer;
  /** SHA-256 of the signed request: access key, timestamp, signature and body. */
  readonly signedHash: Buffer;
  readonly bodyHash: Buffer;
  readonly requestedAt: Date;
  readonly reserveTime: string | null;
  readonly reserveTimeZone: string | null;
  readonly scheduleId: string | null;
  /** When it goes out; null for a scheduled message. */
  readonly fireAt: Date | null;
  /** For so few users that it is expanded and handed over together with others like it. */
  readonly small: boolean;
}

const KEPT = `id uuid, service_id text, kind text, message_type text, request text, dedupe_hash bytea, body_hash bytea,
   requested_at timestamptz, reserve_time text, reserve_time_zone text, fire_at timestamptz, small boolean`;
const TAKEN = columnsOf<NewMessage>(KEPT);
const GIVEN = columnsOf<NewMessage>(`${KEPT}, signed_hash bytea`);

/**
 * A reserved message waits for its minute. The firing of an immediate one is made in the same statement, in the order in which
 * they were taken, so that none is without its firing.
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
    -- As a test of each row, not a join: so all are seen before the first is taken, and these keep their order.
    from given where (id in (select message_id from seen)) is true
    on conflict (dedupe_hash) do nothing returning id, service_id, kind, requested_at, small
  ), fired as (
    insert into firing (id, message_id, service_id, occurrence, due_at, small)
    select next_firing(requested_at), id, service_id, 'once', requested_at, small from taken where kind = 'immediate' order by id
  )
  select id from taken`);

/**
 * Takes messages that are not scheduled, in one statement; `true` for each that was taken, `false` for one whose dedupe hash or
 * signed request was taken before or by another of them. The unique indexes wait for a transaction that is taking the same to
 * end, so that of two exactly one inserts. They are inserted in order of their hashes, so that two replicas do not wait for each other.
 */
export async function insertMessages(sql: Sql, messages: readonly NewMessage[]): Promise<boolean[]> {
  const sorted = messages.toSorted((a, b) => a.dedupeHash.compare(b.dedupeHash));
  const rows = await sql.query<{ id: string }>(INSERT_MESSAGES, GIVEN.parametersOf(sorted));
  const taken = new Set(rows.map(({ id }) => id));
  return messages.map(({ id }) => taken.has(id));
}

/** A message is taken within this, or its caller has been told that it was not. */
const SOON_MS = 15_000;
/** A schedule that was fired later than this after the request was fired by a clock that has been set back since. */
const SOON = `interval '${SOON_MS} milliseconds'`;

/**
 * Holds the row of its schedule until the message is there. It waits for a deletion of the schedule, and then inserts nothing; a
 * deletion waits for it, and then sees the message. It inserts nothing under a schedule that has ended by then. With the lock
 * `share` the same goes for a firing: either that passes over the schedule until the message is there, or it has been before, and
 * then the message counts as requested after it. Many messages hold it at once.
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
                       schedule_id, small)
  select $1::uuid, $2::text, 'scheduled', 'ATTACHED', $3::text, $4::text, $5::bytea, $6::bytea,
         case when s.fired_until - $7::timestamptz < ${SOON} then greatest($7, s.fired_until) else $7 end, s.id, $9::bool
  from held s, seen
  on conflict (dedupe_hash) do nothing returning requested_at as "requestedAt"`);

const INSERT_SCHEDULED = insertScheduledWith('key share');
const INSERT_SCHEDULED_SOON = insertScheduledWith('share');

/** A firing is late by less, unless messages that are taken after its time hold it up. */
const LATE_MS = 1_000;

/**
 * Returns when it counts as requested; undefined when it was taken before, as insertMessages does, and when its schedule is gone or
 * has ended. `nextFireAt`: when its schedule fires next, as it was looked up. Only what is taken near that is waited for: a firing
 * that found a message under way each time it tried would never come, so those that come a second after its time hold up none.
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
  ]);
  return row?.requestedAt;
}

type TakenMessage = Pick<NewMessage, 'id' | 'kind' | 'bodyHash' | 'requestedAt'>;

/** `message` is null where the signed request was one of several under a key, and another of them was taken. */
export type FoundTaken =
  | { readonly by: 'dedupe hash'; readonly message: TakenMessage }
  | { readonly by: 'signed request'; readonly message: TakenMessage | null };

// By the unique index on dedupe_hash, and the primary key of signed_request.
const FIND_TAKEN = prepared(`
  select id, kind, body_hash as "bodyHash", requested_at as "requestedAt", true as "isDedupe"
    from message where dedupe_hash = $1
  union all
  select m.id, m.kind, m.body_hash, m.requested_at, false
    from signed_request s left join message m on m.id = s.message_id where s.hash = $2
   order by "isDedupe" desc limit 1`);

/** What was taken under the same dedupe hash; where nothing was, what the same signed request was taken as. */
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
 * Frees an Idempotency-Key whose 30 days are over; the message gets a hash that is its own. By its id, and only while it has the
 * hash: another request that found the same message may have freed the key already and been taken under it.
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

// Each by the primary key: OFFSET 0 holds the planner to it, whatever it knows of the table when the statement is prepared.
const FIND_RESULTS = prepared(`
  select r.* from ${KEYS.from} as asked cross join lateral (
    select ${RESULT}, m.service_id as "serviceId", m.state, m.complete_at as "completeAt"
    from message m where m.id = asked.id and m.service_id = asked.service_id offset 0) as r`);

/** In the order of the keys; undefined where the service has no such message. */
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
 * A scheduled message that went out before it was cancelled is final with the last of its firings that are on their way. READY
 * firings do not count: the cancellation waited for those that were being expanded, and the others will find it.
 */
const FIND_CANCELED = prepared(`
  select ${RESULT}, case when f.sending then 'ATTACHED' else m.state end as state,
         greatest(m.complete_at, f.complete_at) as "completeAt"
  from message m cross join lateral (
    select coalesce(bool_or(state = 'SENDING'), false) as sending,
           max(complete_at) filter (where state = 'FINISHED') as complete_at
    from firing where message_id = m.id) f
  where m.id = $1 and m.service_id = $2`);

// Named SQL of messages (§2.6): taking one is a single insert, asking for one a single select by its primary key.
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
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
  readonly bodyHash: Buffer;
  readonly requestedAt: Date;
  readonly reserveTime: string | null;
  readonly reserveTimeZone: string | null;
  readonly scheduleId: string | null;
  /** Null for a scheduled message. */
  readonly fireAt: Date | null;
  /** To so few users that it is expanded and handed over together with others like it. */
  readonly small: boolean;
}

/** Exported for the bench, whose yardstick does the same. */
export const INSERT_MESSAGE = prepared(`
  INSERT INTO message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                       reserve_time, reserve_time_zone, schedule_id, fire_at, small)
  VALUES ($1, $2, $3, CASE WHEN $3 = 'scheduled' THEN 'ATTACHED' ELSE 'READY' END, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (dedupe_hash) DO NOTHING RETURNING 1`);

/**
 * Its schedule's row is held until the message is there: a schedule that is being deleted is waited for, and there is
 * no message under one that is gone. Whoever deletes one waits in turn, and then sees the message.
 */
const INSERT_SCHEDULED = prepared(`
  INSERT INTO message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                       schedule_id, small)
  SELECT $1::uuid, $2::text, 'scheduled', 'ATTACHED', $3::text, $4::text, $5::bytea, $6::bytea, $7::timestamptz, s.id,
         $9::bool
  FROM schedule s WHERE s.id = $8::uuid FOR KEY SHARE
  ON CONFLICT (dedupe_hash) DO NOTHING RETURNING 1`);

/**
 * Returns false when a request of the same dedupe hash was taken before, or is being taken: the unique index waits for
 * the other transaction to end, so of two at once exactly one inserts. And when the message's schedule is gone.
 */
export async function insertMessage(sql: Sql, message: NewMessage): Promise<boolean> {
  if (message.scheduleId !== null) return insertScheduled(sql, message);
  const rows = await rowsOf(sql, INSERT_MESSAGE, [
    message.id,
    message.serviceId,
    message.kind,
    message.messageType,
    message.request,
    message.dedupeHash,
    message.bodyHash,
    message.requestedAt,
    message.reserveTime,
    message.reserveTimeZone,
    message.scheduleId,
    message.fireAt,
    message.small,
  ]);
  return rows.length > 0;
}

async function insertScheduled(sql: Sql, message: NewMessage): Promise<boolean> {
  const rows = await rowsOf(sql, INSERT_SCHEDULED, [
    message.id,
    message.serviceId,
    message.messageType,
    message.request,
    message.dedupeHash,
    message.bodyHash,
    message.requestedAt,
    message.scheduleId,
    message.small,
  ]);
  return rows.length > 0;
}

export interface TakenMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly bodyHash: Buffer;
  readonly requestedAt: Date;
}

const FIND_TAKEN = prepared(`
  SELECT id, kind, body_hash AS "bodyHash", requested_at AS "requestedAt" FROM message WHERE dedupe_hash = $1`);

export async function findTaken(sql: Sql, dedupeHash: Buffer): Promise<TakenMessage | undefined> {
  const [row] = await rowsOf<TakenMessage>(sql, FIND_TAKEN, [dedupeHash]);
  return row;
}

/** Frees an Idempotency-Key whose 30 days are over; the message keeps a hash of its own. */
export async function releaseDedupe(sql: Sql, dedupeHash: Buffer): Promise<void> {
  await sql.query(
    `UPDATE message SET dedupe_hash = sha256(dedupe_hash || id::text::bytea) WHERE dedupe_hash = $1`,
    [dedupeHash],
  );
}

export interface ResultRow {
  readonly id: string;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly messageType: MessageType;
  readonly request: string;
  readonly requestedAt: Date;
  readonly completeAt: Date | null;
  /** bigint: comes as text. */
  readonly targetCount: string;
  readonly sentCount: string;
}

/** Exported for the bench, whose yardstick does the same. */
export const FIND_RESULT = prepared(`
  SELECT id, kind, state, message_type AS "messageType", request, requested_at AS "requestedAt",
         complete_at AS "completeAt", target_count AS "targetCount", sent_count AS "sentCount"
  FROM message WHERE id = $1 AND service_id = $2`);

export async function findResult(sql: Sql, serviceId: string, id: string): Promise<ResultRow | undefined> {
  const [row] = await rowsOf<ResultRow>(sql, FIND_RESULT, [id, serviceId]);
  const wentOut = row?.kind === 'scheduled' && row.state === 'CANCELED' && row.targetCount !== '0';
  if (!wentOut) return row;
  const [canceled] = await rowsOf<ResultRow>(sql, FIND_CANCELED, [id, serviceId]);
  return canceled;
}

/**
 * A scheduled message that went out before it was cancelled is final with the last of its firings that are on their way.
 * A READY one is none of these: the cancellation waited for those that were being expanded, and the others find it.
 */
const FIND_CANCELED = prepared(`
  SELECT m.id, m.kind, CASE WHEN f.sending THEN 'ATTACHED' ELSE m.state END AS state, m.message_type AS "messageType",
         m.request, m.requested_at AS "requestedAt", greatest(m.complete_at, f.complete_at) AS "completeAt",
         m.target_count AS "targetCount", m.sent_count AS "sentCount"
  FROM message m CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(state = 'SENDING'), false) AS sending,
           max(complete_at) FILTER (WHERE state = 'FINISHED') AS complete_at
    FROM firing WHERE message_id = m.id) f
  WHERE m.id = $1 AND m.service_id = $2`);

// §4.3: takes a message, or finds that it was taken before. One insert; firing does the rest. Never sends.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '../../push-contract/limits.js';
import type { SendStatusName } from '../../push-contract/statuses.js';
import type { Clock } from '../../platform/clock.js';
import { randomBits } from '../../platform/random-bits.js';
import type { Sql } from '../../platform/database.js';
import type { Caller } from '../gateway/authenticate.js';
import { readJson, type RawBody } from '../gateway/body.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { badRequest, notFound, PushError } from '../gateway/push-error.js';
import { validate } from '../gateway/validate.js';
import { instantOf, readingOf } from '../reservations/wall-clock.js';
import { findAttachable } from '../schedules/schedule.store.js';
import { DEFAULT_RESERVE_TIME_ZONE } from '../../push-contract/limits.js';
import { MessageRequest } from './message-request.js';
import { isSmall } from './small-message.js';
import { checkOptions } from './check-options.js';
import {
  findTaken,
  insertMessage,
  releaseDedupe,
  type MessageKind,
  type TakenMessage,
} from './message.store.js';

export interface IncomingMessage {
  readonly caller: Caller;
  readonly service: ServiceFacts;
  readonly body: RawBody | undefined;
  /** Extension `idempotency-key`; undefined when absent or empty. */
  readonly idempotencyKey: string | undefined;
}

export interface AcceptedMessage {
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly statusName: SendStatusName;
  /** When it goes out; null for a scheduled message, and for one that was taken before. */
  readonly fireAt: number | null;
}

const STATUS_NAMES = {
  immediate: 'success',
  reserved: 'reserved',
  scheduled: 'scheduled',
} as const satisfies Record<MessageKind, SendStatusName>;

const MINUTE_MS = 60_000;
const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Throws PushError; then nothing was taken and the Idempotency-Key is free. */
export async function acceptMessage(
  sql: Sql,
  clock: Clock,
  incoming: IncomingMessage,
): Promise<AcceptedMessage> {
  const bodyHash = sha256(incoming.body?.bytes ?? '');
  const dedupeHash = dedupeHashOf(incoming, bodyHash);
  // A key is looked up before the body is checked; a plain request only once its insert, or its check, has failed:
  // the common case costs one statement.
  if (incoming.idempotencyKey !== undefined) {
    const taken = await takenBefore(sql, clock, incoming, dedupeHash, bodyHash);
    if (taken !== undefined) return taken;
  }
  try {
    return await takeNew(sql, clock, incoming, dedupeHash, bodyHash);
  } catch (error) {
    // Re-sent after its reserveTime has passed, it is still the same request.
    if (!(error instanceof PushError) || incoming.idempotencyKey !== undefined) throw error;
    const taken = await takenBefore(sql, clock, incoming, dedupeHash, bodyHash);
    if (taken === undefined) throw error;
    return taken;
  }
}

async function takeNew(
  sql: Sql,
  clock: Clock,
  incoming: IncomingMessage,
  dedupeHash: Buffer,
  bodyHash: Buffer,
): Promise<AcceptedMessage> {
  const request = validate(MessageRequest, readJson(incoming.body));
  if (incoming.service.strictOptions) checkOptions(request.message);
  const now = clock.now();
  const fireAt = fireInstant(request, now);
  const scheduleId =
    request.scheduleCode === undefined
      ? null
      : await attachableId(sql, incoming.service.id, request.scheduleCode);
  const kind: MessageKind =
    scheduleId !== null ? 'scheduled' : request.reserveTime === undefined ? 'immediate' : 'reserved';
  const id = v7({ msecs: now, random: randomBits() });
  const requestedAt = new Date(now);
  const text = JSON.stringify(request);
  const inserted = await insertMessage(sql, {
    id,
    serviceId: incoming.service.id,
    kind,
    messageType: request.messageType,
    request: text,
    dedupeHash,
    bodyHash,
    requestedAt,
    reserveTime: request.reserveTime ?? null,
    reserveTimeZone:
      request.reserveTime === undefined ? null : (request.reserveTimeZone ?? DEFAULT_RESERVE_TIME_ZONE),
    scheduleId,
    fireAt: scheduleId === null ? new Date(fireAt) : null,
    small: isSmall(request, text),
  });
  if (inserted) {
    return {
      requestId: id,
      requestedAt,
      statusName: STATUS_NAMES[kind],
      fireAt: scheduleId === null ? fireAt : null,
    };
  }
  const taken = await takenBefore(sql, clock, incoming, dedupeHash, bodyHash);
  if (taken !== undefined) return taken;
  // Deleted since it was looked up: then it is not there now.
  if (request.scheduleCode !== undefined) await attachableId(sql, incoming.service.id, request.scheduleCode);
  throw new PushError('endpointTimeout');
}

/** The first answer of the same request. Throws conflict when its key came with another body. */
async function takenBefore(
  sql: Sql,
  clock: Clock,
  incoming: IncomingMessage,
  dedupeHash: Buffer,
  bodyHash: Buffer,
): Promise<AcceptedMessage | undefined> {
  const taken: TakenMessage | undefined = await findTaken(sql, dedupeHash);
  if (taken === undefined) return undefined;
  if (incoming.idempotencyKey !== undefined) {
    if (clock.now() - taken.requestedAt.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS) {
      await releaseDedupe(sql, dedupeHash);
      return undefined;
    }
    if (!taken.bodyHash.equals(bodyHash)) {
      throw new PushError('conflict', 'Idempotency-Key: was used with another body');
    }
  }
  return {
    requestId: taken.id,
    requestedAt: taken.requestedAt,
    statusName: STATUS_NAMES[taken.kind],
    fireAt: null,
  };
}

/** What makes two requests one: the Idempotency-Key in its service, or key, timestamp, signature and body alike. */
function dedupeHashOf({ caller, service, idempotencyKey }: IncomingMessage, bodyHash: Buffer): Buffer {
  if (idempotencyKey === undefined) {
    return sha256(
      JSON.stringify([
        'signed',
        caller.accessKey,
        caller.timestamp,
        caller.signature,
        bodyHash.toString('hex'),
      ]),
    );
  }
  if (idempotencyKey.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    throw badRequest(`Idempotency-Key: must have at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  }
  return sha256(JSON.stringify(['key', service.id, idempotencyKey]));
}

function sha256(data: Buffer | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Decisions page: a reserveTime in the past by more than its own minute is refused. */
function fireInstant(request: MessageRequest, now: number): number {
  if (request.reserveTime === undefined) return now;
  const at = instantOf(readingOf(request.reserveTime), request.reserveTimeZone ?? DEFAULT_RESERVE_TIME_ZONE);
  if (now - at >= MINUTE_MS) throw badRequest('reserveTime: is in the past');
  return at;
}

async function attachableId(sql: Sql, serviceId: string, scheduleCode: string): Promise<string> {
  const schedule = await findAttachable(sql, serviceId, scheduleCode);
  if (schedule === undefined) throw notFound('scheduleCode: there is no such schedule');
  if (schedule.ended) throw badRequest('scheduleCode: the schedule has ended');
  return schedule.id;
}

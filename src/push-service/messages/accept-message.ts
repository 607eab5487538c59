// push-interface.md §4.3: takes a message, or finds that it was taken before. It needs one insert, which it shares with messages
// that arrive at the same time. Firing and expanding do the rest. Never sends.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import {
  DEFAULT_RESERVE_TIME_ZONE,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  LOCALTIME,
} from '../../push-contract/limits.js';
import type { SendResponse } from '../gateway/answers.js';
import type { Clock } from '../../platform/clock.js';
import { randomBits } from '../../platform/random-bits.js';
import { MINUTE_MS, parseLocal } from '../../zone-rules/civil.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import type { Sql } from '../../platform/database/database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { Caller } from '../gateway/authenticate.js';
import { readJson, type RawBody } from '../gateway/body.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { badRequest, notFound, PushError } from '../gateway/push-error.js';
import { validate } from '../gateway/validate.js';
import { requireTable, UNKNOWN_ZONE } from '../wall-clock.js';
import { nextFiring, type ScheduleTimes } from '../schedules/occurrences.js';
import { findSchedule } from '../schedules/schedule.store.js';
import { MessageRequest } from './message-request.js';
import { keptRequest } from './kept-request.js';
import { checkOptions, warningsOf } from './check-message.js';
import {
  findTaken,
  insertScheduled,
  releaseDedupe,
  type MessageKind,
  type NewMessage,
} from './message.store.js';

export interface IncomingMessage {
  readonly caller: Caller;
  readonly service: ServiceFacts;
  readonly body: RawBody | undefined;
  /** Extension `idempotency-key`; undefined when absent or empty. */
  readonly idempotencyKey: string | undefined;
  /** The trace that the request belongs to. It is kept with the message. */
  readonly trace?: TraceContext | undefined;
}

export interface AcceptedMessage {
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly statusName: SendResponse['statusName'];
  /** What a provider refuses in the message. */
  readonly warnings: readonly string[];
  /** The message that was taken now; null when it was taken before. */
  readonly taken: Pick<NewMessage, 'serviceId' | 'kind' | 'fireAt' | 'small'> | null;
}

export interface AcceptContext {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  /** insertMessages() for one message that is not scheduled. */
  readonly take: (message: NewMessage) => Promise<boolean>;
}

export const STATUS_NAMES = {
  immediate: 'success',
  reserved: 'reserved',
  scheduled: 'scheduled',
} as const satisfies Record<MessageKind, SendResponse['statusName']>;

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** If it throws a PushError, nothing was taken and the Idempotency-Key is free. */
export async function acceptMessage(
  context: AcceptContext,
  incoming: IncomingMessage,
): Promise<AcceptedMessage> {
  const hashes = hashesOf(incoming);
  // An Idempotency-Key is looked up before the body is checked. A request without one is looked up only once its insert or its
  // check has failed, so that the common case costs one statement.
  if (incoming.idempotencyKey !== undefined) {
    const taken = await takenBefore(context, incoming, hashes);
    if (taken !== undefined) return taken;
  }
  try {
    return await takeNew(context, incoming, hashes);
  } catch (error) {
    // A request that is sent again after its reserveTime has passed is still the same request.
    if (!(error instanceof PushError) || incoming.idempotencyKey !== undefined) throw error;
    const taken = await takenBefore(context, incoming, hashes);
    if (taken === undefined) throw error;
    return taken;
  }
}

async function takeNew(
  context: AcceptContext,
  incoming: IncomingMessage,
  hashes: Hashes,
): Promise<AcceptedMessage> {
  const { clock, rules } = context;
  const request = validate(MessageRequest, readJson(incoming.body));
  if (incoming.service.strictOptions) checkOptions(request.message);
  const warnings = warningsOf(request);
  const now = clock.now();
  const fireAt = fireInstant(request, now, rules);
  const schedule =
    request.scheduleCode === undefined
      ? undefined
      : await findAttachable(context, incoming.service.id, request.scheduleCode, now);
  const kind: MessageKind =
    schedule !== undefined ? 'scheduled' : request.reserveTime === undefined ? 'immediate' : 'reserved';
  const text = keptRequest(request, incoming.trace);
  const { messageType, reserveTime = null, reserveTimeZone = DEFAULT_RESERVE_TIME_ZONE } = request;
  const message: NewMessage = {
    id: v7({ msecs: now, random: randomBits() }),
    serviceId: incoming.service.id,
    kind,
    messageType,
    request: text,
    ...hashes,
    idempotencyKey: incoming.idempotencyKey ?? null,
    accessKey: incoming.caller.accessKey,
    requestedAt: new Date(now),
    reserveTime,
    reserveTimeZone: reserveTime === null ? null : reserveTimeZone,
    scheduleId: schedule?.id ?? null,
    fireAt: schedule === undefined ? new Date(fireAt) : null,
    small: isSmall(request, text),
  };
  const requestedAt = await insert(context, message, schedule);
  if (requestedAt !== undefined) {
    return {
      requestId: message.id,
      requestedAt,
      statusName: STATUS_NAMES[kind],
      warnings,
      taken: message,
    };
  }
  const taken = await takenBefore(context, incoming, hashes);
  if (taken !== undefined) return taken;
  // The schedule may have ended, or may have been deleted, since it was looked up. Then this refuses.
  if (request.scheduleCode !== undefined)
    await findAttachable(context, incoming.service.id, request.scheduleCode, now);
  throw new PushError('endpointTimeout');
}

/**
 * Returns when the message counts as requested; undefined when it was taken before, or when its schedule is gone or has ended.
 */
async function insert(
  { sql, take }: AcceptContext,
  message: NewMessage,
  schedule: AttachableSchedule | undefined,
): Promise<Date | undefined> {
  if (schedule !== undefined) return insertScheduled(sql, message, schedule.nextFireAt);
  return (await take(message)) ? message.requestedAt : undefined;
}

/**
 * Returns the first answer to the same request. Throws conflict when the key came with another body. Throws conflict also when
 * the signed request came before with another key or without one: then somebody who intercepted it sends it again
 * (docs/decisions/0069). A request without a key that is the same byte by byte gets the first answer, because it is a client's
 * retry.
 */
async function takenBefore(
  { sql, clock }: AcceptContext,
  incoming: IncomingMessage,
  hashes: Hashes,
): Promise<AcceptedMessage | undefined> {
  const found = await findTaken(sql, hashes);
  if (found === undefined) return undefined;
  const { by, message: taken } = found;
  if (taken === null || (by === 'signed request' && incoming.idempotencyKey !== undefined)) {
    throw new PushError('conflict', 'Idempotency-Key: this signed request came with another one');
  }
  if (incoming.idempotencyKey !== undefined) {
    if (clock.now() - taken.requestedAt.getTime() >= IDEMPOTENCY_KEY_LIFETIME_MS) {
      await releaseDedupe(sql, taken.id, hashes.dedupeHash);
      return undefined;
    }
    if (taken.kind === 'closed') throw new PushError('conflict', 'Idempotency-Key: was closed');
    if (!taken.bodyHash.equals(hashes.bodyHash)) {
      throw new PushError('conflict', 'Idempotency-Key: was used with another body');
    }
  }
  if (taken.kind === 'closed') return undefined;
  return {
    requestId: taken.id,
    requestedAt: taken.requestedAt,
    statusName: STATUS_NAMES[taken.kind],
    warnings: warningsAgain(incoming.body),
    taken: null,
  };
}

/** The warnings of the first answer: its body was the same. */
function warningsAgain(body: RawBody | undefined): readonly string[] {
  const request = MessageRequest.safeParse(readJson(body));
  return request.success ? warningsOf(request.data) : [];
}

type Hashes = Pick<NewMessage, 'dedupeHash' | 'signedHash' | 'bodyHash'>;

/** Two requests are the same by Idempotency-Key and service, or by access key, timestamp, signature and body together. */
function hashesOf(incoming: IncomingMessage): Hashes {
  const { accessKey, timestamp, signature } = incoming.caller;
  const bodyHash = sha256(incoming.body?.bytes ?? '');
  const signedHash = sha256(
    JSON.stringify(['signed', accessKey, timestamp, signature, bodyHash.toString('hex')]),
  );
  return { bodyHash, signedHash, dedupeHash: keyHashOf(incoming) ?? signedHash };
}

function keyHashOf({ service, idempotencyKey }: IncomingMessage): Buffer | undefined {
  return idempotencyKey === undefined ? undefined : hashOfKey(service.id, idempotencyKey);
}

/** The dedupe hash of what comes under this Idempotency-Key. Throws badRequest for a key that is too long. */
export function hashOfKey(serviceId: string, idempotencyKey: string): Buffer {
  if (idempotencyKey.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    throw badRequest(`Idempotency-Key: must have at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  }
  return sha256(JSON.stringify(['key', serviceId, idempotencyKey]));
}

function sha256(data: Buffer | string): Buffer {
  return hash('sha256', data, 'buffer');
}

/** The most users and characters of a small message. Some hundred small messages are worked on together. */
const MOST_USERS = 20;
const MOST_TEXT = 8_192;

/** `kept`: the request in its stored form. */
function isSmall({ target }: Pick<MessageRequest, 'target'>, kept: string): boolean {
  return target.type === 'USER' && (target.to?.length ?? 0) <= MOST_USERS && kept.length <= MOST_TEXT;
}

/** push-decisions.md, "Messages": refuses a reserveTime whose minute is over. */
function fireInstant(
  { reserveTime, reserveTimeZone }: MessageRequest,
  now: number,
  rules: ZoneRules,
): number {
  if (reserveTimeZone !== undefined && !rules.has(reserveTimeZone))
    throw badRequest(`reserveTimeZone: ${UNKNOWN_ZONE}`);
  const local = reserveTime === undefined ? undefined : parseLocal(reserveTime.replace(' ', 'T'));
  if (local === undefined) return now;
  const at = requireTable(rules, reserveTimeZone ?? DEFAULT_RESERVE_TIME_ZONE).instantOf(local);
  if (now - at >= MINUTE_MS) throw badRequest('reserveTime: is in the past');
  return at;
}

interface AttachableSchedule {
  readonly id: string;
  readonly nextFireAt: Date;
}

/** `now`: when the message is requested. */
async function findAttachable(
  { sql, rules }: AcceptContext,
  serviceId: string,
  scheduleCode: string,
  now: number,
): Promise<AttachableSchedule> {
  const schedule = await findSchedule(sql, serviceId, scheduleCode);
  if (schedule === undefined) throw notFound('scheduleCode: there is no such schedule');
  const { id, nextFireAt } = schedule;
  if (nextFireAt === null || isOver(schedule, now, rules))
    throw badRequest('scheduleCode: the schedule has ended');
  return { id, nextFireAt };
}

/**
 * The last time of the schedule has passed. It may not have been fired yet: that takes a moment, and longer when the schedule was
 * put off. A message that is requested after its last time would never go out.
 */
function isOver(schedule: ScheduleTimes, now: number, rules: ZoneRules): boolean {
  const isKnown = schedule.timeZone === LOCALTIME || rules.has(schedule.timeZone);
  // A message that is requested at that very instant still goes out.
  return isKnown && nextFiring(schedule, now - 1, rules) === null;
}

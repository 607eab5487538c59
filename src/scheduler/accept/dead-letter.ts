// A rejected event as it goes to campaign.events.dead: a CloudEvent with every reason and, up to a size, the bytes and
// headers as they came. A larger letter names the rejection, which keeps the bytes. A key that no campaign can have is cut,
// because publishing it would block the process. A letter always has a key, because compacted topics take no other records.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/zod-schemas.js';
import { storable } from '../../platform/http/storable-text.js';
import { traceAttributes } from '../../platform/tracing/trace-attributes.js';
import { traceMembers } from '../../platform/tracing/trace-context.js';
import type { NewOutboxRow } from '../store/outbox.store.js';
import type { ArrivedEvent } from './judge-batch.js';
import { SeenEnvelope } from './parse/parse-event.js';
import { placeOf, sizeOf, type RawEvent } from './parse/raw-event.js';
import { Reason } from './parse/reason.js';

/** The most bytes of body and headers that a dead letter carries; more go by reference. In base64 it stays below the topic's 2 MiB. */
const MAX_DEAD_LETTER_BYTES = 900 * 1024;
/** The same as the letter encodes them: a control character of a header takes six bytes there. */
const MAX_ENCODED_BYTES = 1536 * 1024;
/**
 * A campaign's key has at most 257 characters. kafkajs blocks the process while it finds the partition of a key: a quarter of
 * a second for 100 000 bytes, minutes for 2 MB.
 */
const MAX_KEY_BYTES = 1_024;
const DEAD_LETTER_TYPE = 'carillon.event.rejected.v1';

const text = z.string().nullable();
/** The dead letter of a rejected event. */
export const RejectedEvent = z
  .object({
    specversion: z.literal('1.0'),
    id: z.uuid().describe("The rejection's"),
    source: z.string(),
    type: z.literal(DEAD_LETTER_TYPE),
    subject: z.string().optional().describe('The campaignId, where it could be read'),
    time: z.iso.datetime(),
    datacontenttype: z.literal('application/json'),
    ...traceAttributes,
    data: z.object({
      rejectionId: z.uuid(),
      serviceId: text.describe('null where it could not be read, or the token did not hold it'),
      reasons: listOf(Reason),
      seen: SeenEnvelope.describe('The envelope, as far as it could be read; time in epoch milliseconds'),
      via: z.enum(['kafka', 'http']),
      topic: text,
      partition: z.int().nullable(),
      offset: text,
      key: text.describe(`The record's key; only its beginning if it has more than ${MAX_KEY_BYTES} bytes`),
      bytes: count.describe('Of its body'),
      byReference: z.boolean().describe('The event is too large for a record: the rejection keeps its bytes'),
      headers: z.record(z.string(), z.string()).nullable(),
      bodyBase64: text,
    }),
  })
  .meta({ id: 'RejectedEvent' });

interface Rejected {
  /** The rejection's id. */
  readonly id: string;
  readonly arrived: ArrivedEvent;
  /** The service that it counts for; null where there is none. */
  readonly serviceId: string | null;
  readonly reasons: readonly Reason[];
  readonly at: Date;
}

export function deadLetter(
  { id, arrived, serviceId, reasons, at }: Rejected,
  topic: string,
): Omit<NewOutboxRow, 'id'> {
  const { raw, parsed } = arrived;
  const { subject } = parsed.seen;
  const byReference = sizeOf(raw) > MAX_DEAD_LETTER_BYTES || encodedBytes(raw) > MAX_ENCODED_BYTES;
  const key = raw.key ? storable(raw.key.toString('utf8', 0, MAX_KEY_BYTES)) : null;
  const isWholeKey = key !== null && (raw.key?.length ?? 0) <= MAX_KEY_BYTES;
  const campaign = serviceId === null || subject === null ? null : `${serviceId}/${subject}`;
  const letter = {
    specversion: '1.0',
    id,
    source: serviceId === null ? '/carillon' : `/carillon/${encodeURIComponent(serviceId)}`,
    type: DEAD_LETTER_TYPE,
    ...(subject !== null && { subject }),
    time: at.toISOString(),
    datacontenttype: 'application/json',
    ...traceMembers(arrived.trace),
    data: {
      rejectionId: id,
      serviceId,
      reasons,
      seen: parsed.seen,
      via: raw.via,
      ...placeOf(raw),
      key,
      bytes: raw.body.length,
      byReference,
      headers: byReference ? null : raw.headers,
      bodyBase64: byReference ? null : raw.body.toString('base64'),
    },
  };
  return {
    topic,
    key: isWholeKey ? key : (campaign ?? id),
    headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    value: Buffer.from(JSON.stringify(letter)),
    created_at: at,
  };
}

function encodedBytes({ headers, body }: RawEvent): number {
  return (body.length * 4) / 3 + Buffer.byteLength(JSON.stringify(headers));
}

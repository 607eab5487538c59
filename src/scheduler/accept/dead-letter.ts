// A rejected event as it goes to campaign.events.dead: a CloudEvent with every reason and, up to a size, the bytes and
// headers as they came. Larger ones name the rejection, where the bytes are kept.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { traceAttributes } from '../../platform/tracing/trace-attributes.js';
import { traceMembers } from '../../platform/tracing/trace-context.js';
import type { NewOutboxRow } from '../store/outbox.store.js';
import type { ArrivedEvent } from './judge-batch.js';
import { placeOf, sizeOf } from './parse/raw-event.js';
import { Reason, storable } from './parse/reason.js';

/** Bytes and headers of a dead letter; above it goes by reference. In base64 it stays below the topic's 2 MiB. */
export const MAX_DEAD_LETTER_BYTES = 900 * 1024;
export const DEAD_LETTER_TYPE = 'carillon.event.rejected.v1';

const text = z.string().nullable();
/** What is published of a rejected event. */
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
      serviceId: text,
      reasons: listOf(Reason),
      seen: z
        .object({
          source: text,
          id: text,
          type: text,
          subject: text,
          serviceId: text,
          time: z.number().nullable(),
        })
        .describe('Of its envelope, as far as it could be read; time in epoch milliseconds'),
      via: z.enum(['kafka', 'http']),
      topic: text,
      partition: z.int().nullable(),
      offset: text,
      key: text,
      bytes: count.describe('Of its body'),
      byReference: z.boolean().describe('It is too large for a record: the rejection keeps its bytes'),
      headers: z.record(z.string(), z.string()).nullable(),
      bodyBase64: text,
    }),
  })
  .meta({ id: 'RejectedEvent' });

export interface Rejected {
  /** The rejection's id. */
  readonly id: string;
  readonly arrived: ArrivedEvent;
  readonly reasons: readonly Reason[];
  readonly at: Date;
}

export function deadLetter({ id, arrived, reasons, at }: Rejected, topic: string): Omit<NewOutboxRow, 'id'> {
  const { raw, parsed } = arrived;
  const { serviceId, subject } = parsed.seen;
  const byReference = sizeOf(raw) > MAX_DEAD_LETTER_BYTES;
  const key = raw.key ? storable(raw.key.toString('utf8')) : null;
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
    key: key ?? (serviceId === null || subject === null ? null : `${serviceId}/${subject}`),
    headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    value: Buffer.from(JSON.stringify(letter)),
    created_at: at,
  };
}

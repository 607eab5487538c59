// The outcome of a command that waits for its campaign: a publisher over Kafka has no other way to learn of it. Pure.
import { z } from 'zod';
import { traceAttributes } from '../../platform/tracing/trace-attributes.js';
import { traceMembers } from '../../platform/tracing/trace-context.js';
import { ACT_NAMES } from '../decide/lifecycle/campaign-act.js';
import type { NewOutboxRow } from '../store/outbox.store.js';
import type { ArrivedEvent, ParkedCommand } from './judge-batch.js';

const PARKED_TYPE = 'carillon.outcome.command.parked.v1';

/** The outcome event of a command that arrived before its campaign. */
export const CommandOutcome = z
  .object({
    specversion: z.literal('1.0'),
    id: z.uuid().describe('The same however often one is published'),
    source: z.string().describe('/carillon/{serviceId}'),
    type: z.literal(PARKED_TYPE),
    subject: z.string().describe('The campaignId'),
    time: z.iso.datetime(),
    datacontenttype: z.literal('application/json'),
    ...traceAttributes,
    data: z.object({
      serviceId: z.string(),
      campaignId: z.string(),
      occurrence: z.string().nullable(),
      command: z.enum(ACT_NAMES),
      state: z.literal('parked'),
      event: z
        .object({ eventId: z.uuid().describe('Ours'), source: z.string(), id: z.string() })
        .describe('The event that waits'),
      at: z.iso.datetime(),
      until: z.iso
        .datetime()
        .describe(
          'When it becomes a rejection, unless a scheduled event of the same or an earlier time has come',
        ),
    }),
  })
  .meta({ id: 'CommandOutcome' });

export function parkedOutcome(
  { serviceId, campaignId, act, occurrence, event: eventId, source, id }: ParkedCommand,
  { topic, at, until, trace }: { topic: string; at: Date; until: Date } & Pick<ArrivedEvent, 'trace'>,
): NewOutboxRow {
  const outcome = {
    specversion: '1.0',
    id: eventId,
    source: `/carillon/${serviceId}`,
    type: PARKED_TYPE,
    subject: campaignId,
    time: at.toISOString(),
    datacontenttype: 'application/json',
    ...traceMembers(trace),
    data: {
      serviceId,
      campaignId,
      occurrence,
      command: act,
      state: 'parked',
      event: { eventId, source, id },
      at: at.toISOString(),
      until: until.toISOString(),
    },
  };
  return {
    id: eventId,
    topic,
    key: `${serviceId}/${campaignId}`,
    headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    value: Buffer.from(JSON.stringify(outcome)),
    created_at: at,
  };
}

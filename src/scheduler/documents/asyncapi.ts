// The AsyncAPI 3 document of the topics: what may be published to campaign.events, and what comes back. Made from the schemas with
// which the intake reads events and the publisher writes outcomes.
import { z } from 'zod';
import type { Json } from '../../platform/http/json-schema.js';
import { RejectedEvent } from '../accept/dead-letter.js';
import { CommandOutcome } from '../accept/parked-outcome.js';
import { CanceledEvent, PausedEvent, ResumedEvent, ScheduledEvent } from '../accept/parse/campaign-event.js';
import { RecipientZoneEvent } from '../accept/parse/zone-event.js';
import { CampaignOutcome, OccurrenceOutcome, SendOutcome } from '../outcomes/publish/outcome-event.js';
import { Components } from './components.js';

export interface TopicNames {
  readonly events: string;
  readonly outcomes: string;
  readonly dead: string;
  readonly zones: string;
}

const CLOUD_EVENT = 'application/cloudevents+json';
const KEY = "serviceId/campaignId: one campaign's events stay in order";

interface Channel {
  /** From our side: we receive what others send. */
  readonly action: 'receive' | 'send';
  readonly title: string;
  readonly messages: Readonly<Record<string, z.ZodType>>;
  /** Of its records [KEY]. */
  readonly key?: string;
}

const CHANNELS: Readonly<Record<keyof TopicNames, Channel>> = {
  events: {
    action: 'receive',
    title: 'Events of campaigns, from publishers',
    messages: { ScheduledEvent, CanceledEvent, PausedEvent, ResumedEvent },
  },
  outcomes: {
    action: 'send',
    title: 'What became of campaigns, occurrences, sends and commands; at least once each',
    messages: { CampaignOutcome, OccurrenceOutcome, SendOutcome, CommandOutcome },
  },
  dead: {
    action: 'send',
    title: 'Events that cannot be taken, with every reason',
    messages: { RejectedEvent },
  },
  zones: {
    action: 'receive',
    title: 'Zones of users, from publishers; read where KAFKA_ZONES_TOPIC names the topic',
    messages: { RecipientZoneEvent },
    key: 'serviceId/userId',
  },
};

export function asyncApi(topics: TopicNames): Json {
  const components = new Components();
  const channels: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  const messages: Record<string, Json> = {};
  for (const [name, channel] of Object.entries(CHANNELS) as [keyof TopicNames, Channel][]) {
    const { action, title, key = KEY } = channel;
    const io = action === 'receive' ? 'input' : 'output';
    const references = Object.keys(channel.messages).map((message) => [
      message,
      { $ref: `#/components/messages/${message}` },
    ]);
    channels[name] = { address: topics[name], title, messages: Object.fromEntries(references) };
    operations[name] = { action, title, channel: { $ref: `#/channels/${name}` } };
    for (const [message, schema] of Object.entries(channel.messages)) {
      const { schema: payload, example } = components.media(schema, io);
      messages[message] = {
        name: message,
        contentType: CLOUD_EVENT,
        payload,
        examples: [{ payload: example }],
        bindings: { kafka: { key: { type: 'string', description: key } } },
      };
    }
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Carillon',
      version: '1',
      description:
        'The topics of the Carillon scheduler: CloudEvents 1.0, structured or, for those taken, binary (ce_ headers).',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: CLOUD_EVENT,
    channels,
    operations,
    components: { messages, schemas: components.schemas },
  };
}

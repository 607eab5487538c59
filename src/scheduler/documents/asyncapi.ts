// The AsyncAPI 3 document of the topics: what may be published to campaign.events, and what comes back. Made of the schemas
// that events are read by and outcomes are written by.
import { z } from 'zod';
import type { Json } from '../../platform/http/json-schema.js';
import { RejectedEvent } from '../accept/dead-letter.js';
import { CanceledEvent, ScheduledEvent } from '../accept/parse/campaign-event.js';
import { CampaignOutcome, OccurrenceOutcome, SendOutcome } from '../publish/outcome-event.js';
import { Components } from './components.js';

export interface TopicNames {
  readonly events: string;
  readonly outcomes: string;
  readonly dead: string;
}

/** As they are called unless the environment says otherwise. */
export const USUAL_TOPICS: TopicNames = {
  events: 'campaign.events',
  outcomes: 'campaign.outcomes',
  dead: 'campaign.events.dead',
};

const KEY = "serviceId/campaignId: one campaign's events stay in order";

interface Channel {
  /** As a reader of the document sees us: we receive what others send. */
  readonly action: 'receive' | 'send';
  readonly title: string;
  readonly messages: Readonly<Record<string, z.ZodType>>;
}

const CHANNELS: Readonly<Record<keyof TopicNames, Channel>> = {
  events: {
    action: 'receive',
    title: 'Events of campaigns, from publishers',
    messages: { ScheduledEvent, CanceledEvent },
  },
  outcomes: {
    action: 'send',
    title: 'What became of campaigns, occurrences and sends; at least once each',
    messages: { CampaignOutcome, OccurrenceOutcome, SendOutcome },
  },
  dead: {
    action: 'send',
    title: 'Events that cannot be taken, with every reason',
    messages: { RejectedEvent },
  },
};

export function asyncApi(topics: TopicNames): Json {
  const components = new Components();
  const channels = Object.entries(CHANNELS) as [keyof TopicNames, Channel][];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Carillon',
      version: '1',
      description:
        'The topics of the Carillon scheduler: CloudEvents 1.0, structured or, for those taken, binary (ce_ headers).',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(
      channels.map(([name, { title, messages }]) => [
        name,
        {
          address: topics[name],
          title,
          messages: Object.fromEntries(
            Object.keys(messages).map((message) => [message, { $ref: `#/components/messages/${message}` }]),
          ),
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.map(([name, { action, title }]) => [
        name,
        { action, title, channel: { $ref: `#/channels/${name}` } },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        channels.flatMap(([, { action, messages }]) =>
          Object.entries(messages).map(([name, schema]) => [
            name,
            messageOf(name, schema, action, components),
          ]),
        ),
      ),
      schemas: components.schemas,
    },
  };
}

function messageOf(name: string, schema: z.ZodType, action: Channel['action'], components: Components): Json {
  const { schema: payload, example } = components.media(schema, action === 'receive' ? 'input' : 'output');
  return {
    name,
    contentType: 'application/cloudevents+json',
    payload,
    examples: [{ payload: example }],
    bindings: { kafka: { key: { type: 'string', description: KEY } } },
  };
}

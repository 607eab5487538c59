// Publishes campaign events as another service would: to Kafka's campaign.events under the campaign's key, or, where
// there is no Kafka, over HTTP.
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { TOPICS } from '../kafka/topics.js';
import { callWithToken } from './push-client.js';

export interface CampaignEventJson {
  subject: string;
  data: { serviceId: string };
}

export interface PublishTo {
  kafkaBrokers: readonly string[];
  schedulerUrl: string;
  tokens: { publisher: string };
}

/** Returns how they went, for people. Throws when the broker or the scheduler does not take one. */
export async function publishEvents(to: PublishTo, events: readonly CampaignEventJson[]): Promise<string> {
  if (to.kafkaBrokers.length === 0) {
    const publisher = { url: to.schedulerUrl, token: to.tokens.publisher };
    for (const event of events) await callWithToken(publisher, 'POST', '/v1/events', event);
    return 'POST /v1/events';
  }
  const kafka = new Kafka({
    clientId: 'demo-publisher',
    brokers: [...to.kafkaBrokers],
    logLevel: logLevel.NOTHING,
  });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    await producer.send({
      topic: TOPICS.events,
      messages: events.map((event) => ({
        key: `${event.data.serviceId}/${event.subject}`,
        headers: { 'content-type': 'application/cloudevents+json' },
        value: JSON.stringify(event),
      })),
    });
  } finally {
    await producer.disconnect();
  }
  return `Kafka, topic ${TOPICS.events}`;
}

// The events that everybody reads: 1 KB each, of campaigns of their own that one send carries out next week, on a topic of
// six partitions.
import { Kafka, logLevel, Partitioners, type Message } from 'kafkajs';
import { v7 } from 'uuid';
import { makeMissingTopics } from '../../src/platform/kafka/kafkajs-topics.js';
import { EVENT_TYPES } from '../../src/scheduler/accept/parse/campaign-event.js';
import { SERVICE } from '../dispatch/settings.js';

export const SOURCE = '/bench/accept';
export const PARTITIONS = 6;
const BYTES = 1_024;
/** The events of one request to the broker. */
const PAGE = 500;

export function bareClient(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: logLevel.NOTHING });
}

export async function makeTopics(brokers: readonly string[], names: readonly string[]): Promise<void> {
  const admin = bareClient(brokers).admin();
  await admin.connect();
  try {
    await makeMissingTopics(admin, names, { partitions: PARTITIONS, replicas: 1 });
  } finally {
    await admin.disconnect();
  }
}

/** Fills a topic that is there. */
export async function publish(brokers: readonly string[], topic: string, count: number): Promise<void> {
  const producer = bareClient(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    const at = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16);
    for (let from = 0; from < count; from += PAGE) {
      const length = Math.min(PAGE, count - from);
      const messages = Array.from({ length }, (_, index) => messageOf(`c-${from + index}`, at));
      await producer.send({ topic, messages });
    }
  } finally {
    await producer.disconnect();
  }
}

function messageOf(subject: string, at: string): Message {
  const event = {
    specversion: '1.0',
    id: v7(),
    source: SOURCE,
    type: EVENT_TYPES.scheduled,
    subject,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: {
      serviceId: SERVICE,
      messageType: 'NOTIF',
      audience: { type: 'CHANNEL', to: ['vip'] },
      message: { default: { content: '' } },
      delivery: { at, zone: 'Asia/Seoul' },
      // The gateway of the benches takes no reservations.
      policy: { handoff: 'hold' },
    },
  };
  const missing = BYTES - JSON.stringify(event).length;
  event.data.message.default.content = 'x'.repeat(missing);
  return {
    key: `${SERVICE}/${subject}`,
    value: JSON.stringify(event),
    headers: { 'content-type': 'application/cloudevents+json' },
  };
}

// The intake from a real topic to a real database and back out to the dead letters, put together as the modules do it.
import { CompressionTypes, Kafka, logLevel, Partitioners, type Message } from 'kafkajs';
import { SystemClock, type Clock } from '../../../src/platform/clock.js';
import type { BatchHandler, KafkaConnection } from '../../../src/platform/kafka/kafka.js';
import { KafkajsConnection } from '../../../src/platform/kafka/kafkajs-connection.js';
import { createLog, type Log } from '../../../src/platform/logging/log.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { AcceptEvents } from '../../../src/scheduler/accept/accept-events.js';
import { EventsConsumer } from '../../../src/scheduler/accept/events.consumer.js';
import { PublishOutbox } from '../../../src/scheduler/outcomes/publish/publish-outbox.js';

export const log = createLog('spec', 'silent');
const real = new SystemClock();

export function connect(
  brokers: readonly string[],
  topics: readonly string[],
  clientLog: Log = log,
): KafkaConnection {
  const newTopic = { partitions: 1, replicas: 1 };
  return new KafkajsConnection({ brokers, tls: false, topics, newTopic }, { clock: real, log: clientLog });
}

export function handlerOf(intake: AcceptEvents): BatchHandler {
  // Its handler alone: it never begins anew.
  const sql = { query: () => Promise.reject(new Error('not asked')) };
  const consumer = new EventsConsumer({ intake, sql, log });
  return (batch) => consumer.handle(batch);
}

export function publisherOf(
  dataSource: PooledDatabase,
  kafka: Pick<KafkaConnection, 'send'>,
  {
    clock = real,
    deadTopic = 'campaign.events.dead',
    allows = () => true,
  }: { clock?: Clock; deadTopic?: string; allows?: (topic: string) => boolean } = {},
): PublishOutbox {
  return new PublishOutbox({
    inTransaction: (work) => dataSource.transaction(work),
    kafka,
    clock,
    log,
    ownTopics: [deadTopic, 'campaign.outcomes'],
    allows,
    keptMs: 3_600_000,
  });
}

/** Publishes in order; the key chooses the partition. */
export async function produce(
  brokers: readonly string[],
  topic: string,
  messages: readonly Message[],
  compression = CompressionTypes.None,
): Promise<void> {
  const producer = client(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    await producer.send({ topic, compression, messages: [...messages] });
  } finally {
    await producer.disconnect();
  }
}

export interface ReadMessage {
  key: string | null;
  value: string;
  headers: Record<string, string>;
}

/** Everything in a topic from its beginning, as it comes. */
export function readAll(
  brokers: readonly string[],
  topic: string,
): { messages: ReadMessage[]; close(): Promise<void> } {
  const messages: ReadMessage[] = [];
  const kafka = connect(brokers, [topic]);
  kafka.consume({
    groupId: `reader-${topic}-${performance.now()}`,
    topics: [topic],
    handle: async (batch) => {
      for (const record of batch.records) {
        const { key, value, headers } = record.read();
        messages.push({
          key: key?.toString() ?? null,
          value: value?.toString() ?? '',
          headers: Object.fromEntries([...headers].map(([name, bytes]) => [name, bytes.toString()])),
        });
        await batch.done(record);
      }
    },
  });
  return { messages, close: () => kafka.close() };
}

/** The offset a group would go on from, or -1. */
export async function committedOffset(
  brokers: readonly string[],
  groupId: string,
  topic: string,
): Promise<number> {
  const admin = client(brokers).admin();
  await admin.connect();
  try {
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return Number(found?.partitions[0]?.offset ?? -1);
  } finally {
    await admin.disconnect();
  }
}

/** Messages in a topic, over all its partitions. */
export async function endOf(brokers: readonly string[], topic: string): Promise<number> {
  const admin = client(brokers).admin();
  await admin.connect();
  try {
    return (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
  } finally {
    await admin.disconnect();
  }
}

function client(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: 'spec', logLevel: logLevel.NOTHING });
}

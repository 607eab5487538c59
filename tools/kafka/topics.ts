// The topics of Carillon, and the way a broker of ours gets them. Never changes a topic that is there.
import type { Admin } from 'kafkajs';
import { schedulerEnvironment } from '../../src/scheduler/scheduler.config.js';

const { KAFKA_EVENTS_TOPIC, KAFKA_DEAD_TOPIC, KAFKA_OUTCOMES_TOPIC } = schedulerEnvironment.shape;

/** By what they carry; the names are the scheduler's own defaults. */
export const TOPICS = {
  events: KAFKA_EVENTS_TOPIC.parse(undefined),
  dead: KAFKA_DEAD_TOPIC.parse(undefined),
  outcomes: KAFKA_OUTCOMES_TOPIC.parse(undefined),
  recipientZones: 'recipient.zones',
} as const;

/** Bytes. An event may be 1 MiB, and campaign.events.dead carries it with its reasons. */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** Makes the topics that are missing and returns once each partition has a leader. */
export async function createTopics(admin: Admin, names: readonly string[], partitions = 6): Promise<void> {
  const present = new Set(await admin.listTopics());
  const missing = names.filter((name) => !present.has(name));
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map((topic) => ({
      topic,
      numPartitions: partitions,
      replicationFactor: 1,
      configEntries: [{ name: 'max.message.bytes', value: String(MAX_MESSAGE_BYTES) }],
    })),
  });
}

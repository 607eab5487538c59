// Makes the topics that are missing. Never changes one that exists.
import { scheduler } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { TOPIC_MAX_MESSAGE_BYTES, type NewTopic } from './kafka.js';

const ASK_EVERY_MS = 100;
/** How often to ask: 10 s in all where brokers answer at once. */
const MOST_ASKED = 100;
/** Brokers answer this for a topic that they have accepted, and that not every broker knows yet or that has no leader yet. */
const NOT_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

/**
 * Returns the topics that it made, once each of their partitions has a leader that answers. Rejects if a partition has no leader
 * after a hundred questions.
 */
export async function makeMissingTopics(
  admin: Admin,
  names: readonly string[],
  { partitions, replicas }: NewTopic,
): Promise<string[]> {
  const present = new Set(await admin.listTopics());
  const missing = names.filter((name) => !present.has(name));
  if (missing.length === 0) return [];
  await admin.createTopics({
    // The client's own wait fails if a broker does not know the topic yet.
    waitForLeaders: false,
    topics: missing.map((topic) => ({
      topic,
      numPartitions: partitions,
      replicationFactor: replicas,
      configEntries: [{ name: 'max.message.bytes', value: String(TOPIC_MAX_MESSAGE_BYTES) }],
    })),
  });
  for (let asked = 1; !(await areLed(admin, missing)); asked += 1) {
    if (asked === MOST_ASKED) throw new Error(`new topics have no leaders yet: ${missing.join(', ')}`);
    await scheduler.wait(ASK_EVERY_MS);
  }
  return missing;
}

/**
 * The broker that is named as the leader of a partition may not know it yet. If we sent at that moment, the client would send the
 * whole request again, and messages to partitions that are ready would be doubled (67 of 150 new topics on a loaded machine).
 */
async function areLed(admin: Admin, topics: string[]): Promise<boolean> {
  try {
    const found = await admin.fetchTopicMetadata({ topics });
    const named = found.topics.every(
      ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
    );
    // Only leaders answer this. It asks one topic after another, because each call refreshes what the client knows about all
    // topics.
    if (named) for (const topic of topics) await admin.fetchTopicOffsets(topic);
    return named;
  } catch (error) {
    const { type, cause } = error as { type?: string; cause?: { type?: string } };
    if (NOT_YET.has(type ?? cause?.type ?? '')) return false;
    throw error;
  }
}

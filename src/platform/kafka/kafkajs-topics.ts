// Makes the topics that are missing. Never changes one that exists.
import { scheduler } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { TOPIC_MAX_MESSAGE_BYTES, type NewTopic } from './kafka.js';

const ASK_EVERY_MS = 100;
/** 10 s where brokers answer at once. */
const MOST_ASKED = 100;
/** Answered for a topic that the brokers have accepted, but not yet told one another of, or not begun to lead. */
const NOT_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);

/**
 * Returns the topics it made, once each of their partitions has a leader that answers for it. Rejects where a partition has
 * none after asking a hundred times.
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
    // The client's own wait fails where a broker has not heard of the topic yet.
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
 * A broker that is named as the leader of a partition may not know it yet. Sending at that moment would double what went to
 * ready partitions of the same request, for the client sends all of it again (67 of 150 new topics on a loaded machine).
 */
async function areLed(admin: Admin, topics: string[]): Promise<boolean> {
  try {
    const found = await admin.fetchTopicMetadata({ topics });
    const named = found.topics.every(
      ({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0),
    );
    // Only leaders answer this. One topic after the other: each call refreshes what the client knows of all topics.
    if (named) for (const topic of topics) await admin.fetchTopicOffsets(topic);
    return named;
  } catch (error) {
    const { type, cause } = error as { type?: string; cause?: { type?: string } };
    if (NOT_YET.has(type ?? cause?.type ?? '')) return false;
    throw error;
  }
}

// The one Kafka broker of the run, and topics of a spec file's own on it. A spec that stops, pauses or kills a broker
// starts its own (tools/kafka.ts): this one is everybody's.
import { Kafka, logLevel } from 'kafkajs';
import { v7 } from 'uuid';
import { z } from 'zod';
import { makeMissingTopics } from '../../../src/platform/kafka/kafkajs-topics.js';
import { askServer } from '../runner/ask-server.js';
import { eventually } from '../eventually.js';

export interface TestKafka {
  brokers: string[];
  /** Makes topics that no other spec file has, one for each label, and returns their names in that order. */
  newTopics: (
    labels: readonly string[],
    partitions?: number,
    settings?: Readonly<Record<string, string>>,
  ) => Promise<string[]>;
}

const Answer = z.object({ brokers: z.array(z.string()).min(1) });

/** The broker of the run, which starts if nobody asked before. */
export async function testKafka(): Promise<TestKafka> {
  const { brokers } = Answer.parse(await askServer('kafka'));
  return {
    brokers,
    newTopics: async (labels, partitions = 1, settings = {}) => {
      const names = labels.map((label) => `${label}.${v7()}`);
      const admin = new Kafka({ brokers, clientId: 'spec', logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      try {
        const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
        const topics = names.map((topic) => ({ topic, numPartitions: partitions, configEntries }));
        // The client's own wait fails if a broker does not know the topic yet.
        if (configEntries.length > 0) await admin.createTopics({ topics, waitForLeaders: false });
        else await makeMissingTopics(admin, names, { partitions, replicas: 1 });
        // Only leaders answer this.
        for (const name of names) await eventually(() => admin.fetchTopicOffsets(name));
      } finally {
        await admin.disconnect();
      }
      return names;
    },
  };
}

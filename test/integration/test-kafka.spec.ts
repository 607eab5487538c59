import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { expect, it } from 'vitest';
import { TOPIC_MAX_MESSAGE_BYTES } from '../../src/platform/kafka/kafka.js';
import { TOPICS } from '../../tools/kafka/topics.js';
import { eventually } from '../support/eventually.js';
import { testKafka } from '../support/kafka/kafka.js';

it("the run's broker has the topics of Carillon, with room for the largest event", async () => {
  const { brokers } = await testKafka();
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    expect(await admin.listTopics()).toEqual(expect.arrayContaining(Object.values(TOPICS)));
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPICS.events] });
    expect(topics[0]?.partitions).toHaveLength(6);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: TOPICS.events, configNames: ['max.message.bytes'] }],
    });
    expect(resources[0]?.configEntries[0]?.configValue).toBe(String(TOPIC_MAX_MESSAGE_BYTES));
  } finally {
    await admin.disconnect();
  }
});

it('a topic of its own takes a record and gives it back', async () => {
  const { brokers, newTopics } = await testKafka();
  const [topic = ''] = await newTopics(['mark']);
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({ groupId: topic });
  const received: (string | undefined)[] = [];
  try {
    await producer.connect();
    await producer.send({ topic, messages: [{ value: 'ding' }] });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void received.push(message.value?.toString()) });
    await eventually(() => expect(received).toEqual(['ding']));
  } finally {
    await Promise.all([producer.disconnect(), consumer.disconnect()]);
  }
});

it('new topics take what is sent to all of their partitions at once, each once', async () => {
  const { brokers, newTopics } = await testKafka();
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const [admin, producer] = [
    kafka.admin(),
    kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner }),
  ];
  const messages = Array.from({ length: 50 }, (_, key) => ({ key: `${key}`, value: 'ding' }));
  try {
    await Promise.all([admin.connect(), producer.connect()]);
    for (let turn = 0; turn < 8; turn += 1) {
      const [topic = ''] = await newTopics([`turn-${turn}`], 4);
      await producer.send({ topic, messages });
      const ends = await admin.fetchTopicOffsets(topic);
      expect(ends.reduce((sum, { high }) => sum + Number(high), 0)).toBe(messages.length);
    }
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
});

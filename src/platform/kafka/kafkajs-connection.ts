// The connection of a whole process to Kafka, with kafkajs: one set of settings, one producer that is made anew after a failure,
// and consumers that restart themselves (kafkajs-consumer.ts). It makes missing topics. Holds no business words.
import kafkajs, {
  type Admin,
  type ICustomPartitioner,
  type Kafka,
  type KafkaConfig,
  type Producer,
  type SASLOptions,
} from 'kafkajs';
import type { Clock } from '../clock.js';
import type { Log } from '../logging/log.js';
import {
  TOPIC_MAX_MESSAGE_BYTES,
  type Consumption,
  type KafkaConnection,
  type KafkaMessage,
  type KafkaClientHealth,
  type KafkaSettings,
  type PartitionEnds,
} from './kafka.js';
import { KafkajsConsumer } from './kafkajs-consumer.js';
import { decodeFetchesOurselves } from './kafkajs-fetch.js';
import { explained, KafkaOutage, kafkaReason } from './kafkajs-outage.js';
import { makeMissingTopics } from './kafkajs-topics.js';

/** For how many keys the partition is remembered. */
const MOST_KEYS = 10_000;

export class KafkajsConnection implements KafkaConnection {
  readonly #kafka: Kafka;
  readonly #consumers: KafkajsConsumer[] = [];
  readonly #outage: KafkaOutage;
  #producer: Promise<Producer> | undefined;
  #producerError: string | undefined;
  #topicsReady: Promise<void> | undefined;

  constructor(
    private readonly settings: KafkaSettings,
    private readonly deps: { readonly clock: Clock; readonly log: Log },
  ) {
    decodeFetchesOurselves();
    this.#outage = new KafkaOutage({ clients: () => this.health(), ...deps });
    this.#kafka = new kafkajs.Kafka(clientConfig(settings, deps.log));
  }

  consume(consumption: Consumption): void {
    const consumer = new KafkajsConsumer({
      ...consumption,
      ...this.deps,
      kafka: this.#kafka,
      prepare: () => this.ensureTopics(),
    });
    this.#consumers.push(consumer);
    consumer.start();
  }

  beginAnew(): void {
    for (const consumer of this.#consumers) consumer.beginAnew();
  }

  async send(messages: readonly KafkaMessage[]): Promise<void> {
    const { topics } = this.settings;
    if (messages.some(({ topic }) => !topics.includes(topic))) return this.#sendElsewhere(messages);
    try {
      await this.ensureTopics();
      this.#producer ??= this.#connectProducer();
      await sendBy(await this.#producer, messages);
      this.#producerError = undefined;
    } catch (error) {
      this.#producerError = kafkaReason(error);
      const broken = this.#producer;
      this.#producer = undefined;
      // The next try makes a new producer: the old one may be stuck.
      broken?.then((producer) => producer.disconnect()).catch(() => undefined);
      throw explained(error);
    }
  }

  /**
   * Sends to topics that are not this process's own, with a producer that is used once. A producer asks for the metadata of all
   * topics to which it ever sent, and fails for all if one is gone. health() does not show what such topics refuse.
   */
  async #sendElsewhere(messages: readonly KafkaMessage[]): Promise<void> {
    try {
      const producer = await this.#connectProducer();
      try {
        await sendBy(producer, messages);
      } finally {
        await producer.disconnect().catch(() => undefined);
      }
    } catch (error) {
      throw explained(error);
    }
  }

  async ensureTopics(): Promise<void> {
    this.#topicsReady ??= this.#makeMissingTopics();
    try {
      await this.#topicsReady;
    } catch (error) {
      this.#topicsReady = undefined;
      throw explained(error);
    }
  }

  async describe(): Promise<{ brokers: number; missingTopics: string[] }> {
    return this.#withAdmin(async (admin) => {
      const { brokers } = await admin.describeCluster();
      const present = new Set(await admin.listTopics());
      const missingTopics = this.settings.topics.filter((topic) => !present.has(topic));
      return { brokers: brokers.length, missingTopics };
    });
  }

  offsets(topic: string): Promise<readonly PartitionEnds[]> {
    return this.#withAdmin(async (admin) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
        topic,
        partition,
        first: low,
        next: high,
      })),
    );
  }

  health(): KafkaClientHealth[] {
    const fault = this.#producerError;
    const producer = { name: 'kafka producer', ok: fault === undefined, detail: fault ?? 'ok' };
    return [...this.#consumers.map((consumer) => consumer.health()), producer];
  }

  judge(error: unknown): Promise<boolean> | undefined {
    return this.#outage.judge(error);
  }

  async close(): Promise<void> {
    this.#outage.stop();
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()));
    const producer = await this.#producer?.catch(() => undefined);
    await producer?.disconnect().catch(() => undefined);
  }

  async #withAdmin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.#kafka.admin();
    await admin.connect().catch((error: unknown) => {
      throw explained(error);
    });
    try {
      return await work(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  async #connectProducer(): Promise<Producer> {
    const producer = this.#kafka.producer({
      createPartitioner: partitionerThatRemembers,
      allowAutoTopicCreation: false,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    return producer;
  }

  async #makeMissingTopics(): Promise<void> {
    const { topics, newTopic } = this.settings;
    await this.#withAdmin(async (admin) => {
      const made = await makeMissingTopics(admin, topics, newTopic);
      if (made.length > 0) this.deps.log.info({ topics: made }, 'made the Kafka topics that were missing');
      const others = topics.filter((topic) => !made.includes(topic));
      await this.#warnOfSmallTopics(admin, others);
    });
  }

  /** Topics of others may refuse our largest messages. Who runs the brokers should know before that happens. */
  async #warnOfSmallTopics(admin: Admin, topics: readonly string[]): Promise<void> {
    if (topics.length === 0) return;
    const wanted = 'max.message.bytes';
    const { TOPIC } = kafkajs.ConfigResourceTypes;
    try {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: topics.map((name) => ({ type: TOPIC, name, configNames: [wanted] })),
      });
      for (const { resourceName: topic, configEntries } of resources) {
        const bytes = Number(configEntries[0]?.configValue);
        const facts = { topic, bytes, wanted: TOPIC_MAX_MESSAGE_BYTES };
        if (bytes < TOPIC_MAX_MESSAGE_BYTES) this.deps.log.warn(facts, `raise the topic's ${wanted}`);
      }
    } catch (error) {
      // Describing needs a right that consuming and producing do not need.
      this.deps.log.debug({ err: error }, `could not read the topics' ${wanted}`);
    }
  }
}

function clientConfig(settings: KafkaSettings, log: Log): KafkaConfig {
  return {
    clientId: 'carillon',
    brokers: [...settings.brokers],
    ssl: settings.tls && settings.ca !== undefined ? { ca: settings.ca } : settings.tls,
    ...(settings.sasl !== undefined && {
      sasl: { ...settings.sasl, password: settings.sasl.password.reveal() } as SASLOptions,
    }),
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    // The consumer's supervisor and the loops retry without end. The client gives up early, so that they know.
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
    // What the client calls an error is often a step of its own recovery. The supervisor logs what matters.
    logCreator:
      () =>
      ({ namespace, log: { message, error } }) => {
        log.debug({ namespace, error: error as unknown }, message);
      },
  };
}

/**
 * The client's own partitioner, so that every producer uses the same partition for a key. It has a cache, because a hash takes 3
 * µs.
 */
const partitionerThatRemembers: ICustomPartitioner = () => {
  const partitionOf = kafkajs.Partitioners.DefaultPartitioner();
  const known = new Map<string, number>();
  return (asked) => {
    const { topic, partitionMetadata, message } = asked;
    const name = `${topic} ${partitionMetadata.length} ${message.key?.toString()}`;
    const partition = message.key === null || message.key === undefined ? undefined : known.get(name);
    if (partition !== undefined) return partition;
    if (known.size >= MOST_KEYS) known.clear();
    const found = partitionOf(asked);
    known.set(name, found);
    return found;
  };
};

async function sendBy(producer: Producer, messages: readonly KafkaMessage[]): Promise<void> {
  await producer.sendBatch({
    acks: -1,
    compression: kafkajs.CompressionTypes.GZIP,
    topicMessages: byTopic(messages),
  });
}

function byTopic(messages: readonly KafkaMessage[]) {
  const topics = new Map<string, KafkaMessage[]>();
  for (const message of messages) {
    const others = topics.get(message.topic);
    if (others === undefined) topics.set(message.topic, [message]);
    else others.push(message);
  }
  return [...topics].map(([topic, ofTopic]) => ({ topic, messages: ofTopic }));
}

// The way to Kafka by kafkajs, for a whole process: settings once, topics made when missing, one producer that is rebuilt
// after a failure, and consumers that watch over themselves (kafkajs-consumer.ts). Holds no business words.
import kafkajs, {
  type Admin,
  type ICustomPartitioner,
  type Kafka,
  type KafkaConfig,
  type Producer,
  type SASLOptions,
} from 'kafkajs';
import type { Clock } from '../clock.js';
import type { Log } from '../log.js';
import {
  TOPIC_MAX_MESSAGE_BYTES,
  type Consumption,
  type KafkaConnection,
  type KafkaMessage,
  type KafkaPartHealth,
  type KafkaSettings,
} from './kafka.js';
import { KafkajsConsumer } from './kafkajs-consumer.js';
import { decodeFetchesOurselves } from './kafkajs-fetch.js';
import { explained, KafkaOutage, kafkaReason } from './kafkajs-outage.js';
import { makeMissingTopics } from './kafkajs-topics.js';

/** Whose partitions are remembered. */
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
    private readonly parts: { readonly clock: Clock; readonly log: Log },
  ) {
    decodeFetchesOurselves();
    this.#outage = new KafkaOutage({ parts: () => this.health(), ...parts });
    this.#kafka = new kafkajs.Kafka(clientConfig(settings, parts.log));
  }

  consume(consumption: Consumption): void {
    const consumer = new KafkajsConsumer({
      ...consumption,
      ...this.parts,
      kafka: this.#kafka,
      prepare: () => this.ensureTopics(),
    });
    this.#consumers.push(consumer);
    consumer.start();
  }

  async send(messages: readonly KafkaMessage[]): Promise<void> {
    try {
      await this.ensureTopics();
      this.#producer ??= this.#connectProducer();
      const producer = await this.#producer;
      await producer.sendBatch({
        acks: -1,
        compression: kafkajs.CompressionTypes.GZIP,
        topicMessages: byTopic(messages),
      });
      this.#producerError = undefined;
    } catch (error) {
      this.#producerError = kafkaReason(error);
      const broken = this.#producer;
      this.#producer = undefined;
      // A new object for the next try: the old one may be in a state that it never leaves.
      broken?.then((producer) => producer.disconnect()).catch(() => undefined);
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
    const admin = await this.#connectAdmin();
    try {
      const { brokers } = await admin.describeCluster();
      const present = new Set(await admin.listTopics());
      return {
        brokers: brokers.length,
        missingTopics: this.settings.topics.filter((topic) => !present.has(topic)),
      };
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  health(): KafkaPartHealth[] {
    const producer = {
      name: 'kafka producer',
      ok: this.#producerError === undefined,
      detail: this.#producerError ?? 'ok',
    };
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

  async #connectAdmin(): Promise<Admin> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      throw explained(error);
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
    const admin = await this.#connectAdmin();
    try {
      const { topics, newTopic } = this.settings;
      const made = await makeMissingTopics(admin, topics, newTopic);
      if (made.length > 0) this.parts.log.info({ topics: made }, 'made the Kafka topics that were missing');
      await this.#warnOfSmallTopics(
        admin,
        topics.filter((topic) => !made.includes(topic)),
      );
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  /** Topics made by others may refuse what we make room for; whoever runs the brokers must know before it happens. */
  async #warnOfSmallTopics(admin: Admin, topics: readonly string[]): Promise<void> {
    if (topics.length === 0) return;
    const wanted = 'max.message.bytes';
    try {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: topics.map((name) => ({
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name,
          configNames: [wanted],
        })),
      });
      for (const { resourceName: topic, configEntries } of resources) {
        const bytes = Number(configEntries[0]?.configValue);
        if (bytes < TOPIC_MAX_MESSAGE_BYTES) {
          this.parts.log.warn(
            { topic, bytes, wanted: TOPIC_MAX_MESSAGE_BYTES },
            `raise the topic's ${wanted}`,
          );
        }
      }
    } catch (error) {
      // Describing needs a right of its own, which consuming and producing do not.
      this.parts.log.debug({ err: error }, `could not read the topics' ${wanted}`);
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
    // The supervisor and the loops try again for ever; the client's own patience is kept short so that they notice.
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
    // What the client calls an error is often a step of its own recovery; the supervisor reports what matters.
    logCreator:
      () =>
      ({ namespace, log: { message, error } }) => {
        log.debug({ namespace, error: error as unknown }, message);
      },
  };
}

/** The client's own, under which every producer finds the same partition of a key. To hash one takes it 3 µs. */
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

function byTopic(messages: readonly KafkaMessage[]) {
  const topics = new Map<string, KafkaMessage[]>();
  for (const message of messages) {
    const others = topics.get(message.topic);
    if (others === undefined) topics.set(message.topic, [message]);
    else others.push(message);
  }
  return [...topics].map(([topic, itsMessages]) => ({
    topic,
    messages: itsMessages.map(({ key, value, headers }) => ({ key, value, headers })),
  }));
}

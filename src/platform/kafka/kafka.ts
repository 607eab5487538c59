// What Carillon wants of Kafka, whichever client brings it: consume with offsets that we commit, send, topics made where
// they are missing, a description, health, close. test/integration/platform/kafka-conformance.ts says it as tests.
import type { Secret } from '../env.js';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  /** PEM of the authorities that brokers' certificates are checked by; without it those Node comes with. */
  readonly ca?: string | undefined;
  readonly sasl?:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
        readonly username: string;
        readonly password: Secret;
      }
    | undefined;
  /** Topics this process uses; the missing ones are made. */
  readonly topics: readonly string[];
  readonly newTopic: NewTopic;
}

export interface NewTopic {
  readonly partitions: number;
  readonly replicas: number;
}

/** The largest record batch of a topic that we make: an event of 1 MiB with room for what a dead letter adds. */
export const TOPIC_MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

export interface KafkaMessage {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where a record stands, or the last record of a batch that could not be decoded, which comes as one. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Bytes of key, value and headers. */
  readonly size: number;
  /** Decoded at each call: what a batch holds costs memory only while it is worked on. Never throws. */
  read(): RecordContent;
}

export interface RecordContent {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** A header given several times keeps its first value. */
  readonly headers: ReadonlyMap<string, Buffer>;
  /** Why the record or its batch could not be decoded. `value` then holds its bytes as they are, and nothing else is known. */
  readonly fault?: string;
}

/** Records of one partition in order, and what the handler says about them. */
export interface BatchInHand {
  readonly records: readonly KafkaRecord[];
  /** False once the partition is another member's or the consumer stops: what is not done is left to whoever is next. */
  alive(): boolean;
  /** Keeps the membership while the handler waits; call it at least every few seconds. */
  heartbeat(): Promise<void>;
  /** Everything up to and including this record is kept elsewhere: commits the offset after it. */
  done(record: KafkaRecord): Promise<void>;
}
export type BatchHandler = (batch: BatchInHand) => Promise<void>;

export interface Consumption {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly handle: BatchHandler;
}

/** One part of the connection, for /health/ready: `detail` says what is wrong. */
export interface KafkaPartHealth {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface KafkaConnection {
  /**
   * Begins at once and goes on until close(), through every outage and whatever a batch holds. Offsets are committed by
   * done() alone; a handler that throws is given the batch again. One batch of a partition at a time.
   */
  consume(consumption: Consumption): void;
  /**
   * Publishes all messages, in their order per key, acknowledged by every replica in sync. Throws when the brokers do
   * not confirm all of them: each may then have been written or not.
   */
  send(messages: readonly KafkaMessage[]): Promise<void>;
  /** Makes the topics that are missing; leaves those that are there as they are. */
  ensureTopics(): Promise<void>;
  /** What is there, for the doctor: changes nothing. Throws when no broker answers. */
  describe(): Promise<{ brokers: number; missingTopics: string[] }>;
  health(): KafkaPartHealth[];
  /** Whether an error says that Kafka is away, which is told once; as DatabaseOutages.judge(). */
  judge(error: unknown): Promise<boolean> | undefined;
  /** Ends consumers after the batch in hand, then the producer. */
  close(): Promise<void>;
}

// The port to Kafka, whichever client stands behind it: consume with offsets that we commit, send, make missing topics,
// describe, health, close. test/integration/platform/kafka-conformance.ts says it as tests.
import type { Secret } from '../env.js';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  /** The authorities by which brokers' certificates are checked, as PEM; without it those that Node brings. */
  readonly ca?: string | undefined;
  readonly sasl?:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
        readonly username: string;
        readonly password: Secret;
      }
    | undefined;
  /** Topics that this process uses; missing ones are made. */
  readonly topics: readonly string[];
  readonly newTopic: NewTopic;
}

export interface NewTopic {
  readonly partitions: number;
  readonly replicas: number;
}

/** The largest record batch of a topic that we make: an event of 1 MiB, with room for what a dead letter adds. */
export const TOPIC_MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

export interface KafkaMessage {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A record. A batch that could not be decoded comes as one record, at its last offset. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Bytes of key, value and headers. */
  readonly size: number;
  /** Decodes at each call, so that content takes memory only while it is worked on. Never throws. */
  read(): RecordContent;
}

export interface RecordContent {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** If a header is given several times, its first value counts. */
  readonly headers: ReadonlyMap<string, Buffer>;
  /** Why the record or its batch could not be decoded. `value` then holds the raw bytes; nothing else is known. */
  readonly fault?: string;
}

/** Records of one partition in order, and what the handler reports about them. */
export interface BatchInHand {
  readonly records: readonly KafkaRecord[];
  /** False once the partition belongs to another member or the consumer stops: the next member takes what is not done. */
  alive(): boolean;
  /** Keeps the membership while the handler waits; to be called at least every few seconds. */
  heartbeat(): Promise<void>;
  /** Everything up to and including this record is stored elsewhere: commits the offset after it. */
  done(record: KafkaRecord): Promise<void>;
}
export type BatchHandler = (batch: BatchInHand) => Promise<void>;

export interface Partition {
  readonly topic: string;
  readonly partition: number;
}

export interface PartitionOffset extends Partition {
  readonly offset: string;
}

/** What a group has given to this member. */
export interface Assigned {
  readonly partitions: readonly Partition[];
  /** Goes on from there instead. The batches in hand are over. */
  readonly seek: (places: readonly PartitionOffset[]) => void;
  /** False once the group was joined anew or the consumer stops. */
  readonly alive: () => boolean;
}

export interface Consumption {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly handle: BatchHandler;
  /** Called when the group was joined, before any batch, and by beginAnew(); batches do not wait for it. Never rejects. */
  readonly begin?: (assigned: Assigned) => Promise<void>;
}

/** One part of the connection, for /health/ready: `detail` says what is wrong. */
export interface KafkaPartHealth {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface KafkaConnection {
  /**
   * Begins at once and goes on until close(), through every outage and whatever a batch holds. Only done() commits offsets; a
   * handler that throws is given the batch again. One batch of a partition at a time.
   */
  consume(consumption: Consumption): void;
  /** Calls `begin` of every consumer that is a member of its group. */
  beginAnew(): void;
  /**
   * Publishes all messages, in order per key, acknowledged by every replica in sync. Throws when the brokers do not confirm
   * all of them: each one may then have been written or not. What topics that are not this process's own refuse is not in health().
   */
  send(messages: readonly KafkaMessage[]): Promise<void>;
  /** Makes the topics that are missing; never changes one that exists. */
  ensureTopics(): Promise<void>;
  /** What exists, for the doctor; changes nothing. Throws when no broker answers. */
  describe(): Promise<{ brokers: number; missingTopics: string[] }>;
  health(): KafkaPartHealth[];
  /** Whether an error says that Kafka is away, which is logged once; like DatabaseOutages.judge(). */
  judge(error: unknown): Promise<boolean> | undefined;
  /** Ends consumers after the batch in hand, then the producer. */
  close(): Promise<void>;
}

// The port to Kafka, for any client: consume with offsets that we commit, send, make missing topics, describe, health, close. The
// tests of this port are test/integration/platform/kafka-conformance.ts.
import type { Secret } from '../env.js';

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  /** The certificate authorities for brokers, as PEM; without it those of Node. */
  readonly ca?: string | undefined;
  readonly sasl?:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
        readonly username: string;
        readonly password: Secret;
      }
    | undefined;
  /** The topics that this process uses. Missing topics are made. */
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

/** A record. A batch that cannot be decoded comes as one record, at its last offset. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** How many bytes key, value and headers have. */
  readonly size: number;
  /** Decodes at each call, so that content takes memory only while somebody works on it. Never throws. */
  read(): RecordContent;
}

export interface RecordContent {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** If a header is given several times, its first value counts. */
  readonly headers: ReadonlyMap<string, Buffer>;
  /** Why the record or its batch could not be decoded. Then `value` has the raw bytes, and nothing else is known. */
  readonly fault?: string;
}

/** Records of one partition, in order, and the calls by which the handler reports about them. */
export interface BatchInHand {
  readonly records: readonly KafkaRecord[];
  /**
   * False once the partition belongs to another member or the consumer stops. The next member takes the records that are not
   * done.
   */
  alive(): boolean;
  /** Keeps the membership while the handler waits. Call it at least every few seconds. */
  heartbeat(): Promise<void>;
  /** Everything up to this record is stored elsewhere: commits the offset after it. */
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

/** `first`: of the oldest record that is still kept. `next`: of the record that comes next. */
export interface PartitionEnds extends Partition {
  readonly first: string;
  readonly next: string;
}

/** What the group has assigned to this member. */
export interface Assigned {
  readonly partitions: readonly Partition[];
  /** Goes on from other places. The batches in hand are over. */
  readonly seek: (places: readonly PartitionOffset[]) => void;
  /** False once the group was joined anew or the consumer stops. */
  readonly alive: () => boolean;
}

export interface Consumption {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly handle: BatchHandler;
  /** Called after the group was joined, before any batch, and by beginAnew(). Batches do not wait for it. Must never reject. */
  readonly begin?: (assigned: Assigned) => Promise<void>;
}

/** The health of a consumer or the producer, for /health/ready: `detail` says what is wrong. */
export interface KafkaClientHealth {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface KafkaConnection {
  /**
   * Begins at once and goes on until close(), through every outage and whatever a batch contains. Only done() commits offsets. A
   * handler that throws gets the batch again. It handles one batch of a partition at a time.
   */
  consume(consumption: Consumption): void;
  /** Calls `begin` for every consumer that is a member of its group. */
  beginAnew(): void;
  /**
   * Publishes all messages, in order for each key, acknowledged by every replica in sync. Throws when the brokers do not confirm
   * all of them: then each may have been written or not. health() does not show what topics refuse that are not this process's
   * own.
   */
  send(messages: readonly KafkaMessage[]): Promise<void>;
  /** Makes the missing topics. Never changes a topic that exists. */
  ensureTopics(): Promise<void>;
  /** What exists, for the doctor. Changes nothing. Throws when no broker answers. */
  describe(): Promise<{ brokers: number; missingTopics: string[] }>;
  /** The offsets of each partition that stand in Kafka now. Throws when no broker answers. */
  offsets(topic: string): Promise<readonly PartitionEnds[]>;
  health(): KafkaClientHealth[];
  /** Whether an error says that Kafka is away. The outage is logged once. Like DatabaseOutages.judge(). */
  judge(error: unknown): Promise<boolean> | undefined;
  /** Ends consumers after the batch in hand, then the producer. */
  close(): Promise<void>;
}

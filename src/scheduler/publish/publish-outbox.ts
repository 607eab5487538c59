// Outbox (dead letters, rejections) → Kafka: reads what no other publisher holds, publishes it in order, and marks it once the
// brokers have confirmed it. A crash between the two publishes it again; nothing is ever marked without being published.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { KafkaMessage } from '../../platform/kafka/kafka.js';
import type { Log } from '../../platform/logging/log.js';
import { holdShards } from '../store/hold-shards.js';
import { deletePublished, markPublished, nextUnpublished, type OutboxPage } from '../store/outbox.store.js';

export interface PublishParts {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  readonly kafka: { send(messages: readonly KafkaMessage[]): Promise<void> };
  readonly log: Log;
  /** Our own topic. What goes to other topics are copies for projects. */
  readonly deadTopic: string;
  readonly clock: Clock;
  /** How long published rows are kept, milliseconds. */
  readonly keptMs: number;
}

/** What is held in memory at once; a batch must also fit the topic's max.message.bytes of 2 MiB. */
const PAGE: OutboxPage = { rows: 500, bytes: 512 * 1024 };
const DELETE_BATCH = 1_000;
const DELETE_EVERY_MS = 60_000;

export class PublishOutbox {
  #deleteAfter = 0;

  constructor(private readonly parts: PublishParts) {}

  /** Publishes one page. Returns how many rows were published, or, if there were none, deleted. */
  async runOnce(): Promise<number> {
    const published = await this.#publish();
    return published > 0 ? published : this.#deleteOld();
  }

  async #publish(): Promise<number> {
    const { inTransaction, kafka, clock, deadTopic } = this.parts;
    return inTransaction(async (sql) => {
      const shards = await holdShards(sql, 'outbox');
      const rows = shards.length === 0 ? [] : await nextUnpublished(sql, shards, PAGE);
      if (rows.length === 0) return 0;
      const ours = rows.filter(({ topic }) => topic === deadTopic);
      const copies = rows.filter(({ topic }) => topic !== deadTopic);
      if (ours.length > 0) await kafka.send(ours);
      for (const name of new Set(copies.map(({ topic }) => topic))) {
        const ofTopic = copies.filter(({ topic }) => topic === name);
        await this.#sendCopies(name, ofTopic);
      }
      const ids = rows.map(({ id }) => id);
      await markPublished(sql, ids, new Date(clock.now()));
      return rows.length;
    });
  }

  /** A topic that is missing or that we may not write to must not hold up the others: its rejections stay with us. */
  async #sendCopies(topic: string, rows: readonly KafkaMessage[]): Promise<void> {
    try {
      await this.parts.kafka.send(rows);
    } catch (error) {
      const fault = topicFault(error);
      if (fault === undefined) throw error;
      this.parts.log.warn(
        { topic, fault, rejections: rows.length },
        "rejections could not be copied to a project's rejectionsTopic; GET /v1/rejections has them",
      );
    }
  }

  async #deleteOld(): Promise<number> {
    const { inTransaction, clock, keptMs } = this.parts;
    if (clock.elapsed() < this.#deleteAfter) return 0;
    const before = new Date(clock.now() - keptMs);
    const deleted = await inTransaction((sql) => deletePublished(sql, before, DELETE_BATCH));
    if (deleted < DELETE_BATCH) this.#deleteAfter = clock.elapsed() + DELETE_EVERY_MS;
    return deleted;
  }
}

/** Errors of Kafka that concern one topic, as opposed to Kafka being away. */
const FAULTS_OF_A_TOPIC = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
];

function topicFault(error: unknown): string | undefined {
  const { type, cause } = error as { type?: unknown; cause?: unknown };
  const found = FAULTS_OF_A_TOPIC.find((fault) => fault === type);
  return found ?? (typeof cause === 'object' && cause !== null ? topicFault(cause) : undefined);
}

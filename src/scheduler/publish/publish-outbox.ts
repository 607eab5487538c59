// Outbox (dead letters, rejections) → Kafka: reads what no other publisher holds, publishes it in order, marks it after the brokers' word. What was
// published may be published again after a crash between the two, never the other way round.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { KafkaMessage } from '../../platform/kafka/kafka.js';
import { holdShards } from '../store/hold-shards.js';
import { deletePublished, markPublished, nextUnpublished, type OutboxPage } from '../store/outbox.store.js';

export interface PublishParts {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  readonly kafka: { send(messages: readonly KafkaMessage[]): Promise<void> };
  readonly clock: Clock;
  /** How long published rows are kept, milliseconds. */
  readonly keptMs: number;
}

/** What lies in memory at once; a batch must also fit the topic's max.message.bytes of 2 MiB. */
const PAGE: OutboxPage = { rows: 500, bytes: 512 * 1024 };
const DELETE_BATCH = 1_000;
const DELETE_EVERY_MS = 60_000;

export class PublishOutbox {
  #deleteAfter = 0;

  constructor(private readonly parts: PublishParts) {}

  /** One page. Returns how many rows were published, or deleted where there was nothing to publish. */
  async runOnce(): Promise<number> {
    const published = await this.#publish();
    return published > 0 ? published : this.#deleteOld();
  }

  async #publish(): Promise<number> {
    const { inTransaction, kafka, clock } = this.parts;
    return inTransaction(async (sql) => {
      const shards = await holdShards(sql, 'outbox');
      const rows = shards.length === 0 ? [] : await nextUnpublished(sql, shards, PAGE);
      if (rows.length === 0) return 0;
      await kafka.send(rows);
      const ids = rows.map(({ id }) => id);
      await markPublished(sql, ids, new Date(clock.now()));
      return rows.length;
    });
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

// Outcomes → Kafka: holds the shards that no other process publishes, reads a page of them, publishes it in order, and moves
// their cursors once the brokers have confirmed it. A crash between the two publishes outcomes again, under the same ids; no
// cursor ever moves past an outcome that was not published.
import type { Sql } from '../../platform/database/database.js';
import type { Finding } from '../../platform/http/health.js';
import type { KafkaMessage } from '../../platform/kafka/kafka.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import { NO_TRACING, type Span, type Tracing } from '../../platform/tracing/tracing.js';
import { holdShards, SHARDS } from '../store/hold-shards.js';
import { markOutcomes, readOutcomes, type OutcomeRow } from '../store/send/outcome.store.js';
import { outcomeEvent } from './outcome-event.js';
import { OutcomeTraces } from './outcome-traces.js';
import type { PublishParts } from './publish-outbox.js';

export interface PublishOutcomesParts extends Pick<PublishParts, 'inTransaction' | 'kafka' | 'clock'> {
  readonly topic: string;
  /** What is held in memory at once [1 000 rows, 1 MiB]; a batch must also fit the topic's max.message.bytes of 2 MiB. */
  readonly page?: { readonly rows: number; readonly bytes: number };
  /** With more ranges in its cursor a shard waits at its lowest hole [1 000]. */
  readonly ranges?: number;
  /** [off] */
  readonly tracing?: Tracing;
}

/** For this long after an event more are likely, real milliseconds, */
const FLOWS_MS = 1_000;
/** and the loop rests no longer than this. */
const FLOWING_IDLE_MS = 50;

export class PublishOutcomes {
  #round = 0;
  /** How many shards had outcomes lately: they share the rows of a page. */
  #busy = SHARDS;
  #lastAt = -FLOWS_MS;
  #more = false;
  #waiting: readonly number[] = [];
  readonly #traces = new OutcomeTraces();

  constructor(private readonly parts: PublishOutcomesParts) {}

  /** Whether the last page was cut short. */
  get hasMore(): boolean {
    return this.#more;
  }

  /** How long the loop rests until the next round. */
  idleMs(idleMs: number): number {
    const flows = this.parts.clock.elapsed() - this.#lastAt < FLOWS_MS;
    return flows ? Math.min(idleMs, FLOWING_IDLE_MS) : idleMs;
  }

  finding(): Finding {
    if (this.#waiting.length === 0) return undefined;
    return `outcomes of shards ${this.#waiting.join(', ')} wait for a transaction that does not end (pg_stat_activity)`;
  }

  /** Publishes one page. Returns how many outcomes that were. */
  async runOnce(): Promise<number> {
    const { inTransaction, clock } = this.parts;
    const { rows, bytes } = this.parts.page ?? { rows: 1_000, bytes: 1_048_576 };
    this.#round += 1;
    const page = await inTransaction(async (sql) => {
      const shards = this.#inTurn(await holdShards(sql, 'outcomes'));
      const rowsOfShard = Math.ceil(rows / Math.max(1, this.#busy));
      const found = await readOutcomes(sql, {
        shards,
        rowsOfShard,
        rows,
        bytes,
        ranges: this.parts.ranges ?? 1_000,
      });
      await this.#send(sql, found.outcomes, bytes);
      await markOutcomes(sql, found);
      return found;
    });
    this.#busy = page.busy;
    this.#more = page.more;
    this.#waiting = page.waiting;
    if (page.outcomes.length > 0) this.#lastAt = clock.elapsed();
    return page.outcomes.length;
  }

  async #send(sql: Sql, outcomes: readonly OutcomeRow[], bytes: number): Promise<void> {
    if (outcomes.length === 0) return;
    const { kafka, topic } = this.parts;
    const traces = await this.#traces.of(sql, outcomes);
    const messages = outcomes.map((outcome, at) => outcomeEvent(outcome, topic, traces[at]));
    const spans = this.#spansOf(outcomes, traces);
    for (const batch of inBatches(messages, bytes)) await kafka.send(batch);
    for (const span of spans) span.end();
  }

  /** No spans where none are recorded; the events carry the trace all the same. */
  #spansOf(outcomes: readonly OutcomeRow[], traces: readonly (TraceContext | undefined)[]): Span[] {
    const { tracing = NO_TRACING, topic } = this.parts;
    if (!tracing.isOn) return [];
    return outcomes.flatMap(({ id, kind, campaign }, at) => {
      const parent = traces[at];
      if (parent === undefined) return [];
      const facts = {
        'carillon.outcome': kind,
        'carillon.outcome.id': id,
        'carillon.campaign.id': campaign,
        'messaging.destination.name': topic,
      };
      return [tracing.begin({ name: 'outcome published', kind: 'producer', parent, facts })];
    });
  }

  /** Begins with another shard in each round, so that all have their turn although pages are full. */
  #inTurn(shards: readonly number[]): number[] {
    const first = shards.length === 0 ? 0 : this.#round % shards.length;
    return [...shards.slice(first), ...shards.slice(0, first)];
  }
}

/** In order, at least one event in each: with what a plan warns of, events may be larger than their rows were counted. */
function inBatches(events: readonly KafkaMessage[], bytes: number): KafkaMessage[][] {
  const batches: KafkaMessage[][] = [];
  let filled = Infinity;
  for (const event of events) {
    const size = Buffer.byteLength(event.value);
    if (filled + size > bytes) {
      batches.push([]);
      filled = 0;
    }
    batches.at(-1)?.push(event);
    filled += size;
  }
  return batches;
}

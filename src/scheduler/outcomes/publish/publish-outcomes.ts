// Publishes a page of the log of outcomes to Kafka, in order. The cursors move after the brokers have confirmed it
// (log/log-reader.ts): after a crash in between, outcomes are published again, under the same ids.
import type { Sql } from '../../../platform/database/database.js';
import type { KafkaMessage } from '../../../platform/kafka/kafka.js';
import type { TraceContext } from '../../../platform/tracing/trace-context.js';
import { NO_TRACING, type Span, type Tracing } from '../../../platform/tracing/tracing.js';
import type { LogAsk, LogConsumer, TakenPage } from '../log/log-reader.js';
import { outcomeEvent } from './outcome-event.js';
import { OutcomeTraces } from './outcome-traces.js';
import { readOutcomes, type OutcomeRow } from './outcome.store.js';
import type { PublishDeps } from './publish-outbox.js';

export interface PublishOutcomesDeps extends Pick<PublishDeps, 'kafka' | 'clock'> {
  readonly topic: string;
  /** The most bytes in memory at once [1 MiB]; a batch must also fit the topic's max.message.bytes of 2 MiB. */
  readonly bytes?: number;
  /** [off] */
  readonly tracing?: Tracing;
}

/** For this long after an outcome more are likely, real milliseconds, */
const FLOWS_MS = 1_000;
/** and the loop rests at most this long, real milliseconds. */
const FLOWING_IDLE_MS = 50;

export class PublishOutcomes implements LogConsumer {
  readonly name = 'publish';
  #lastAt = -FLOWS_MS;
  readonly #traces = new OutcomeTraces();

  constructor(private readonly deps: PublishOutcomesDeps) {}

  /** How long the loop rests until the next round, real milliseconds. */
  idleMs(idleMs: number): number {
    const flows = this.deps.clock.elapsed() - this.#lastAt < FLOWS_MS;
    return flows ? Math.min(idleMs, FLOWING_IDLE_MS) : idleMs;
  }

  async take(sql: Sql, ask: LogAsk): Promise<TakenPage> {
    const { clock, bytes = 1_048_576 } = this.deps;
    const { outcomes, ...page } = await readOutcomes(sql, { ...ask, bytes });
    await this.#send(sql, outcomes, bytes);
    if (outcomes.length > 0) this.#lastAt = clock.elapsed();
    return { ...page, done: outcomes.length };
  }

  async #send(sql: Sql, outcomes: readonly OutcomeRow[], bytes: number): Promise<void> {
    if (outcomes.length === 0) return;
    const { kafka, topic } = this.deps;
    const traces = await this.#traces.of(sql, outcomes);
    const messages = outcomes.map((outcome, at) => outcomeEvent(outcome, topic, traces[at]));
    const spans = this.#spansOf(outcomes, traces);
    for (const batch of inBatches(messages, bytes)) await kafka.send(batch);
    for (const span of spans) span.end();
  }

  /** No spans where tracing is off; the events have the trace nevertheless. */
  #spansOf(outcomes: readonly OutcomeRow[], traces: readonly (TraceContext | undefined)[]): Span[] {
    const { tracing = NO_TRACING, topic } = this.deps;
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
}

/** In order, at least one event in each. With the warnings of a plan, events may be larger than their rows were counted. */
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

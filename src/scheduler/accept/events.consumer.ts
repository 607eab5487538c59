// The Kafka side of the intake: one transaction for each chunk of records, whose offset is committed only afterwards. While
// the database is away, it keeps the chunk and its place in the group. It never skips or loses a record.
import { setTimeout as pause } from 'node:timers/promises';
import { FaultLines } from '../../platform/logging/fault-lines.js';
import type { BatchInHand, KafkaRecord } from '../../platform/kafka/kafka.js';
import type { Log } from '../../platform/logging/log.js';
import type { AcceptEvents } from './accept-events.js';
import { inBatches } from './parse/in-batches.js';
import { CHUNK, type RawEvent } from './parse/raw-event.js';

/** The rest between two tries while the database is away, doubled each time; real milliseconds. */
const REST_MS = { first: 100, longest: 2_000 };
const HEARTBEAT_MS = 1_000;

export class EventsConsumer {
  constructor(
    private readonly intake: Pick<AcceptEvents, 'accept'>,
    private readonly log: Log,
    /** Called with the number of records or batches that could not be decoded, once they are kept as rejections. */
    private readonly passedOver: (count: number) => void = () => undefined,
  ) {}

  /** One batch of one partition. Returns early, with the rest undone, once the partition is no longer ours. */
  async handle(batch: BatchInHand): Promise<void> {
    for (const chunk of inBatches(batch.records, CHUNK, ({ size }) => size)) {
      const raws = chunk.map(rawFrom);
      const isTaken = await this.#take(raws, batch);
      const last = chunk.at(-1);
      if (!isTaken || last === undefined) return;
      await batch.done(last);
      this.#reportFaults(raws);
      await batch.heartbeat();
    }
  }

  /** One line for each chunk: otherwise anybody who may write to the topic could fill the log. */
  #reportFaults(raws: readonly RawEvent[]): void {
    const faulty = raws.filter(({ fault }) => fault !== undefined);
    const [first] = faulty;
    if (first === undefined) return;
    this.passedOver(faulty.length);
    this.log.warn(
      { ...first.record, fault: first.fault, count: faulty.length },
      'Kafka records that cannot be decoded were rejected and passed over',
    );
  }

  /** false: the partition was taken away before the chunk was kept. */
  async #take(raws: readonly RawEvent[], batch: BatchInHand): Promise<boolean> {
    const lines = new FaultLines(this.log);
    for (let failures = 0; batch.alive();) {
      try {
        await withHeartbeats(batch, this.intake.accept(raws));
        lines.worked({ failures }, 'events are taken again');
        return true;
      } catch (error) {
        failures += 1;
        const facts = { failures, events: raws.length };
        await withHeartbeats(batch, lines.failed(error, facts, 'events cannot be kept now; they wait'));
        const restMs = Math.min(REST_MS.first * 2 ** (failures - 1), REST_MS.longest);
        await withHeartbeats(batch, pause(restMs));
        await batch.heartbeat();
      }
    }
    return false;
  }
}

/** Heartbeats go on meanwhile: a statement may hang for longer than the group waits for a member. */
async function withHeartbeats<Result>(batch: BatchInHand, work: Promise<Result>): Promise<Result> {
  // If a heartbeat fails here, the next one that is awaited fails as well, and is handled there.
  const beat = setInterval(() => void batch.heartbeat().catch(() => undefined), HEARTBEAT_MS);
  try {
    return await work;
  } finally {
    clearInterval(beat);
  }
}

function rawFrom(record: KafkaRecord): RawEvent {
  const { topic, partition, offset } = record;
  const { key, value, headers, fault } = record.read();
  return {
    via: 'kafka',
    record: { topic, partition, offset },
    key,
    headers: Object.fromEntries(
      [...headers].map(([name, bytes]) => [name.toLowerCase(), bytes.toString('utf8')]),
    ),
    body: value ?? Buffer.alloc(0),
    ...(fault !== undefined && { fault }),
  };
}

// Kafka's side of the intake: records in, one transaction a chunk, the offset only after its commit. While the database
// is away it keeps the chunk and its place in the group; it never skips and never loses a record.
import { setTimeout as pause } from 'node:timers/promises';
import { FaultLines } from '../../platform/fault-lines.js';
import type { BatchInHand, KafkaRecord } from '../../platform/kafka/kafka.js';
import type { Log } from '../../platform/log.js';
import type { AcceptEvents } from './accept-events.js';
import { inChunks, type RawEvent } from './parse/raw-event.js';

/** Rests between two tries while the database is away, real milliseconds. */
const REST_MS = { first: 100, longest: 2_000 };
const HEARTBEAT_MS = 1_000;

export class EventsConsumer {
  constructor(
    private readonly intake: Pick<AcceptEvents, 'accept'>,
    private readonly log: Log,
    /** Told how many records or batches could not be decoded, once they are kept as rejections. */
    private readonly passedOver: (count: number) => void = () => undefined,
  ) {}

  /** One batch of one partition. Returns early, with the rest undone, once the partition is no longer ours. */
  async handle(batch: BatchInHand): Promise<void> {
    for (const chunk of inChunks(batch.records, ({ size }) => size)) {
      const raws = chunk.map(rawFrom);
      const taken = await this.#take(raws, batch);
      const last = chunk.at(-1);
      if (!taken || last === undefined) return;
      await batch.done(last);
      this.#tellOfFaults(raws);
      await batch.heartbeat();
    }
  }

  /** One line a chunk: whoever may write to the topic could fill the log. */
  #tellOfFaults(raws: readonly RawEvent[]): void {
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
        const told = lines.failed(
          error,
          { failures, events: raws.length },
          'events cannot be kept now; they wait',
        );
        await withHeartbeats(batch, told);
        const restMs = Math.min(REST_MS.first * 2 ** (failures - 1), REST_MS.longest);
        await withHeartbeats(batch, pause(restMs));
        await batch.heartbeat();
      }
    }
    return false;
  }
}

/** A statement may hang for longer than the group waits for a member. */
async function withHeartbeats<Result>(batch: BatchInHand, work: Promise<Result>): Promise<Result> {
  // A heartbeat that fails here fails again at the next one that is awaited, and is dealt with there.
  const beat = setInterval(() => void batch.heartbeat().catch(() => undefined), HEARTBEAT_MS);
  try {
    return await work;
  } finally {
    clearInterval(beat);
  }
}

export function rawFrom(record: KafkaRecord): RawEvent {
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

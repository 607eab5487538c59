// The Kafka side of the intake: one transaction takes a chunk of records, and only then is their offset committed. While the
// database is away, it keeps the chunk and its place in the group. It never skips or loses a record: where another database
// server answers, which may have lost some, it goes back to the place that this server knows.
import { setTimeout as pause } from 'node:timers/promises';
import { FaultLines } from '../../platform/logging/fault-lines.js';
import type { Assigned, BatchInHand, KafkaRecord } from '../../platform/kafka/kafka.js';
import type { Log } from '../../platform/logging/log.js';
import type { Sql } from '../../platform/database/database.js';
import { inBatches } from './parse/in-batches.js';
import { CHUNK, type RawEvent } from './parse/raw-event.js';
import { keepPlace, PlaceLostError, readPlaces, refuseGap } from './partition-place.store.js';

/** The pause between two tries while the database is away, doubled each time; real milliseconds. */
const REST_MS = { first: 100, longest: 2_000 };
const HEARTBEAT_MS = 1_000;

/** What takes the records of a chunk, all of one partition, in one transaction: AcceptEvents, or another topic's. */
export interface RecordIntake {
  accept(raws: readonly RawEvent[], within: Places): Promise<unknown>;
}

/** What is done in that transaction: before anything of the chunk is looked up, and after all of it is written. */
interface Places {
  before(sql: Sql, raws: readonly RawEvent[]): Promise<void>;
  after(sql: Sql, outcome: unknown, raws: readonly RawEvent[]): Promise<void>;
}

interface ConsumerDeps {
  readonly intake: RecordIntake;
  readonly sql: Sql;
  readonly log: Log;
  /** Called with the number of records or batches that could not be decoded, once they are kept as rejections. */
  readonly passedOver?: (count: number) => void;
  /** Called where the database has lost records that the group has passed: the caller must call begin() again. */
  readonly placeLost?: () => void;
}

export class EventsConsumer {
  /** The identity of the database server on which reading began; undefined: it has not begun yet. */
  #server: string | undefined;

  constructor(private readonly deps: ConsumerDeps) {}

  /**
   * Goes back to the places that the database knows, where another database server wrote them. Waits while the database is away.
   */
  async begin({ partitions, seek, alive }: Assigned): Promise<void> {
    const { sql, log } = this.deps;
    this.#server = undefined;
    for (let failures = 0; alive(); failures += 1) {
      try {
        const { server, toGoBackTo } = await readPlaces(sql, partitions);
        if (!alive()) return;
        if (toGoBackTo.length > 0) {
          log.info(
            { places: toGoBackTo },
            'another database server answers: events are read again from the places that it has',
          );
          seek(toGoBackTo);
        }
        this.#server = server;
        return;
      } catch {
        // Batches meet the same fault and report it.
        await pause(restMs(failures + 1));
      }
    }
  }

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
    this.deps.passedOver?.(faulty.length);
    this.deps.log.warn(
      { ...first.record, fault: first.fault, count: faulty.length },
      'Kafka records that cannot be decoded were rejected and passed over',
    );
  }

  /** false: the partition was taken away before the chunk was kept. */
  async #take(raws: readonly RawEvent[], batch: BatchInHand): Promise<boolean> {
    const { intake, log, placeLost } = this.deps;
    const lines = new FaultLines(log);
    for (let failures = 0; batch.alive();) {
      try {
        await withHeartbeats(batch, intake.accept(raws, placesOn(this.#server)));
        lines.worked({ failures }, 'events are taken again');
        return true;
      } catch (error) {
        failures += 1;
        const facts = { failures, events: raws.length };
        await withHeartbeats(batch, lines.failed(error, facts, 'events cannot be kept now; they wait'));
        if (error instanceof PlaceLostError) placeLost?.();
        await withHeartbeats(batch, pause(restMs(failures)));
        await batch.heartbeat();
      }
    }
    return false;
  }
}

const restMs = (failures: number): number => Math.min(REST_MS.first * 2 ** (failures - 1), REST_MS.longest);

/** Keeps the place in the partition with its events. `server`: the database server on which reading began when Kafka handed these out. */
function placesOn(server: string | undefined): Places {
  return {
    before: async (sql, [first]) => {
      if (first?.record !== undefined) await refuseGap(sql, first.record, server);
    },
    after: async (sql, _outcome, raws) => {
      const last = raws.at(-1)?.record;
      if (last !== undefined) await keepPlace(sql, last);
    },
  };
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

// The batches that one session's handlers have in hand. One that takes long is set aside: its partition is paused until its
// handler ends, and the client goes on with heartbeats, rebalances and the other partitions.
import type { EachBatchPayload } from 'kafkajs';
import { LATE, within } from '../within.js';
import type { BatchHandler, BatchInHand } from './kafka.js';
import type { FetchedRecord } from './record-batch.js';

/** Real milliseconds that the other partitions wait for a batch. */
const SLOW_MS = 1_000;
/** Of records in batches set aside. Beyond it the client waits for the handler, and fetches nothing meanwhile. */
const MAX_ASIDE_BYTES = 64 * 1024 * 1024;
/** How the brokers say that the group has moved on: the client hears it too, and joins again. */
const MOVED_ON = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

export class BatchesInHand {
  /** Rejects with the error of a handler that was set aside, which the client does not see. */
  readonly broken: Promise<never>;
  #break: (error: unknown) => void = () => undefined;
  readonly #running = new Map<string, Promise<void>>();
  #asideBytes = 0;
  #isEnding = false;
  /** Counts joins: what was handed out before the last one is somebody else's, or will be fetched again. */
  #generation = 0;

  constructor(private readonly handle: BatchHandler) {
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => undefined);
  }

  /** Ends with the handler, or before it where that takes long. */
  async take(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const name = `${topic}/${partition}`;
    // One of an earlier generation, which has not yet seen that it is over.
    await this.#running.get(name)?.catch(() => undefined);
    if (this.#isEnding) return;
    const generation = this.#generation;
    const standing: Standing = {
      isAside: false,
      isOver: () => this.#generation !== generation,
      isEnding: () => this.#isEnding,
    };
    const batch = batchInHand(payload, standing);
    const work = this.handle(batch);
    this.#running.set(name, work);
    const over = (): void => void this.#running.delete(name);
    work.then(over, over);
    if ((await within(work, SLOW_MS)) !== LATE) return;
    const bytes = batch.records.reduce((sum, { size }) => sum + size, 0);
    if (this.#asideBytes + bytes > MAX_ASIDE_BYTES) return work;
    standing.isAside = true;
    this.#setAside(bytes, work, payload.pause());
  }

  /** The group was joined anew: the batches in hand are no longer ours. */
  disown(): void {
    this.#generation += 1;
  }

  /** Hands out nothing more, and resolves when every handler has ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#running.values());
  }

  #setAside(bytes: number, work: Promise<void>, resume: () => void): void {
    this.#asideBytes += bytes;
    void work
      .catch((error: unknown) => {
        if (!MOVED_ON.has((error as { type?: string }).type ?? '')) this.#break(error);
      })
      .finally(() => {
        this.#asideBytes -= bytes;
        resume();
      });
  }
}

/** What BatchesInHand knows of a batch it handed out. */
interface Standing {
  /** Set aside: the client's own loop sends the heartbeats. */
  isAside: boolean;
  /** The group was joined anew since: the records are another member's, or will be fetched again. */
  isOver(): boolean;
  isEnding(): boolean;
}

function batchInHand(payload: EachBatchPayload, standing: Standing): BatchInHand {
  const { topic, partition } = payload.batch;
  return {
    // As kafkajs-fetch.ts made them, whatever the client's types say.
    records: payload.batch.messages as unknown as FetchedRecord[],
    alive: () => payload.isRunning() && !payload.isStale() && !standing.isEnding() && !standing.isOver(),
    heartbeat: async () => {
      if (!standing.isAside) await payload.heartbeat();
    },
    done: async ({ offset }) => {
      if (standing.isOver()) return;
      payload.resolveOffset(offset);
      // The client has partitions as texts here.
      const own = payload
        .uncommittedOffsets()
        .topics.filter((one) => one.topic === topic)
        .map(({ partitions }) => ({
          topic,
          partitions: partitions.filter((one) => `${one.partition}` === `${partition}`),
        }));
      await payload.commitOffsetsIfNecessary({ topics: own });
    },
  };
}

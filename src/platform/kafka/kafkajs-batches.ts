// The batches on which the handlers of one session work. A batch that takes long is set aside: its partition is paused until its
// handler ends, and the client goes on with heartbeats, rebalances and other partitions.
import type { EachBatchPayload } from 'kafkajs';
import { LATE, within } from '../with-timeout.js';
import type { BatchHandler } from './kafka.js';
import type { FetchedRecord } from './record-batch.js';

/** How long the other partitions wait for a batch, real milliseconds. */
const SLOW_MS = 1_000;
/**
 * The most bytes of records in batches that are set aside. Beyond this, the client waits for the handler and fetches nothing
 * meanwhile.
 */
const MAX_ASIDE_BYTES = 64 * 1024 * 1024;
/** Error types by which the brokers say that the group has moved on: the client sees them too, and joins again. */
const MOVED_ON = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

export class BatchesInHand {
  /** Rejects with the error of a handler whose batch was set aside, because the client does not get that error. */
  readonly broken: Promise<never>;
  #break: (error: unknown) => void = () => undefined;
  readonly #running = new Map<string, Promise<void>>();
  #asideBytes = 0;
  #isEnding = false;
  #joins = 0;
  /** Counts joins and seeks. Batches from before the last one belong to another member, or will be fetched again. */
  #generation = 0;

  constructor(private readonly handle: BatchHandler) {
    this.broken = new Promise((_, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => undefined);
  }

  /** Resolves when the handler ends, or earlier if the batch is set aside. */
  async take(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const name = `${topic}/${partition}`;
    const generation = this.#generation;
    const isOver = (): boolean => this.#generation !== generation;
    // A handler of an earlier generation may not know yet that its batch is over. Meanwhile the group may be joined anew.
    await this.#running.get(name)?.catch(() => undefined);
    if (this.#isEnding || isOver()) return;
    let isAside = false;
    // kafkajs-fetch.ts made them, whatever the client's types say.
    const records = payload.batch.messages as unknown as FetchedRecord[];
    const work = this.handle({
      records,
      alive: () => payload.isRunning() && !payload.isStale() && !this.#isEnding && !isOver(),
      heartbeat: async () => {
        // For a batch set aside, the client's own loop sends the heartbeats.
        if (!isAside) await payload.heartbeat();
      },
      done: async ({ offset }) => {
        if (isOver()) return;
        payload.resolveOffset(offset);
        const partitions = [{ partition, offset: String(BigInt(offset) + 1n) }];
        await payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
      },
    });
    this.#running.set(name, work);
    const forget = (): void => void this.#running.delete(name);
    work.then(forget, forget);
    if ((await within(work, SLOW_MS)) !== LATE) return;
    const bytes = records.reduce((sum, { size }) => sum + size, 0);
    if (this.#asideBytes + bytes > MAX_ASIDE_BYTES) return work;
    isAside = true;
    this.#setAside(bytes, work, payload.pause());
  }

  /** The group was joined anew: the batches in hand are no longer ours. */
  disown(): void {
    this.#joins += 1;
    this.#generation += 1;
  }

  /** The consumer goes on from other places: the batches in hand are over. */
  handOutAnew(): void {
    this.#generation += 1;
  }

  /** Returns a function: whether this is still the same membership of the group. */
  member(): () => boolean {
    const joins = this.#joins;
    return () => this.#joins === joins && !this.#isEnding;
  }

  /** Hands out no more batches, and resolves when every handler has ended. */
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

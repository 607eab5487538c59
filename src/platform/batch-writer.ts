// Writes what comes one by one in batches: while one statement runs, the next batch gathers; the first may be asked to
// wait for others. While the database is away everything waits here and is tried again until it is back; who adds
// bounds how much that can be.
import { scheduler } from 'node:timers/promises';
import { passesByItself } from './database-away.js';
import type { Log } from './log.js';

export interface BatchWriterOptions<Item> {
  /** For the log: what waits. */
  readonly name: string;
  readonly write: (items: readonly Item[]) => Promise<unknown>;
  /** Items in one statement. */
  readonly batch: number;
  readonly log: Log;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
}

/** Real milliseconds between two tries. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export class BatchWriter<Item> {
  #waiting: Waiting<Item>[] = [];
  #running: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(private readonly options: BatchWriterOptions<Item>) {}

  /**
   * `done` is called once the item is in the database, or has proved impossible to write, which is logged. It may wait
   * `gatherMs`, real milliseconds, for others to go with.
   */
  add(item: Item, done: () => void, gatherMs = 0): void {
    this.#waiting.push({ item, done });
    if (this.#running !== undefined) return;
    if (gatherMs === 0 || this.#waiting.length >= this.options.batch) this.#start();
    else this.#gathering ??= setTimeout(() => this.#start(), gatherMs);
  }

  /** Ends when nothing waits any more. */
  async idle(): Promise<void> {
    if (this.#gathering !== undefined) this.#start();
    while (this.#running !== undefined) await this.#running;
  }

  #start(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    // What ends in the same turn of the event loop goes together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.options.batch);
      await this.#write(batch);
      for (const { done } of batch) done();
    }
    this.#running = undefined;
  }

  async #write(batch: readonly Waiting<Item>[]): Promise<void> {
    const { name, write, log } = this.options;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await write(batch.map(({ item }) => item));
        return;
      } catch (error) {
        if (!passesByItself(error)) return this.#writeApart(batch, error);
        if (wait === FIRST_WAIT_MS)
          log.error({ err: error, items: batch.length }, `${name} wait for the database`);
        await scheduler.wait(wait);
      }
    }
  }

  /** One item the database will not have must not take its neighbours with it. */
  async #writeApart(batch: readonly Waiting<Item>[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      const { name, log } = this.options;
      log.error({ err: error, item: batch[0]?.item }, `one of the ${name} cannot be written and is dropped`);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await this.#write(batch.slice(0, half));
    await this.#write(batch.slice(half));
  }
}

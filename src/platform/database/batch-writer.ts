// Writes items that come one by one in batches: while one statement runs, the next batch gathers; the first item may be told to
// wait for others. While the database is away, everything waits here and is tried again until it is back; the caller limits
// how much that can be.
import { scheduler } from 'node:timers/promises';
import { passesByItself } from './database-away.js';
import { inHalves } from './isolate-refused.js';
import { asError, errorCode } from '../logging/error-code.js';
import { faultFields, type Log } from '../logging/log.js';

export interface BatchWriterOptions<Item> {
  /** What the items are, for the log. */
  readonly name: string;
  readonly write: (items: readonly Item[]) => Promise<unknown>;
  /** Stores what can be stored of an item that cannot be written, and logs it. It is tried again like a write. */
  readonly refused: (item: Item, error: unknown) => Promise<unknown>;
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

/**
 * Whether the same write may succeed later: the error passes by itself, or is of class 42, a fault of the statement whatever
 * the rows (a function or column that an upgrade removed, a right withdrawn), which somebody will repair.
 */
export function waitsForMend(error: unknown): boolean {
  return passesByItself(error) || errorCode(error).startsWith('42');
}

export class BatchWriter<Item> {
  #waiting: Waiting<Item>[] = [];
  #running: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(private readonly options: BatchWriterOptions<Item>) {}

  /**
   * `done` is called once the item is in the database, or was refused because it cannot be written. It may wait `gatherMs`,
   * real milliseconds, for others to go with it.
   */
  add(item: Item, done: () => void, gatherMs = 0): void {
    this.#waiting.push({ item, done });
    if (this.#running !== undefined) return;
    if (gatherMs === 0 || this.#waiting.length >= this.options.batch) this.#start();
    else this.#gathering ??= setTimeout(() => this.#start(), gatherMs);
  }

  /** Resolves when nothing waits any more. */
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
    // Items that are added in the same turn of the event loop go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.options.batch);
      await this.#write(batch.map(({ item }) => item));
      for (const { done } of batch) done();
    }
    this.#running = undefined;
  }

  async #write(batch: readonly Item[]): Promise<void> {
    const { name, write, refused, log } = this.options;
    await inHalves(
      batch,
      (items) => this.#tried(items, () => write(items)),
      (item, error) =>
        this.#tried([item], () => refused(item, error)).catch((second: unknown) => {
          const faults = { fault: faultFields(error), keeping: faultFields(second) };
          log.fatal(faults, `one of the ${name} can neither be written nor kept`);
        }),
      (error): error is Error => error instanceof Error,
    );
  }

  /** Tries until it succeeds, however long the database is away; rejects where the database refuses it. */
  async #tried(batch: readonly unknown[], work: () => Promise<unknown>): Promise<void> {
    const { name, log } = this.options;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        await work();
        if (wait > FIRST_WAIT_MS) log.info({ items: batch.length }, `${name} wait no more`);
        return;
      } catch (error) {
        if (!waitsForMend(error)) throw asError(error);
        if (wait === FIRST_WAIT_MS)
          log.error({ err: error, items: batch.length }, `${name} wait for the database`);
        await scheduler.wait(wait);
      }
    }
  }
}

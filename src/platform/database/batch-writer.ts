// Writes what comes one by one in batches: while one statement runs, the next batch gathers; the first may be asked to
// wait for others. While the database is away everything waits here and is tried again until it is back; who adds
// bounds how much that can be.
import { scheduler } from 'node:timers/promises';
import { passesByItself } from './database-away.js';
import { inHalves } from './in-halves.js';
import { asError, errorCode } from '../error-code.js';
import { faultFields, type Log } from '../log.js';

export interface BatchWriterOptions<Item> {
  /** For the log: what waits. */
  readonly name: string;
  readonly write: (items: readonly Item[]) => Promise<unknown>;
  /** Keeps what can be kept of an item that cannot be written, and says so. Waits and is tried again as a write is. */
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
 * Whether the same may succeed later: it passes by itself, or is of class 42, the statement's own fault whatever the rows
 * (a function or column that an upgrade removed, a right withdrawn), which somebody mends.
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
   * `done` is called once the item is in the database, or has proved impossible to write and is refused. It may wait
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

  /** Until it is done, however long the database is away; rejects with what it was refused with. */
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

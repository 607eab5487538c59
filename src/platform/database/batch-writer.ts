// Writes items that come one by one in batches: while one statement runs, the next batch gathers. The first item may have to wait
// for others. While the database is away, everything waits here and is tried again until it is back; the caller limits how much
// that can be. No item is dropped: an item that can neither be written nor stored as refused is set aside and tried again and
// again.
import { scheduler } from 'node:timers/promises';
import { passesByItself } from './database-away.js';
import { inHalves } from './isolate-refused.js';
import { asError, errorCode } from '../logging/error-code.js';
import { faultFields, type Log } from '../logging/log.js';

export interface BatchWriterOptions<Item> {
  /** The name of the items, for the log. */
  readonly name: string;
  readonly write: (items: readonly Item[]) => Promise<unknown>;
  /** Stores what can be stored of an item that cannot be written, and logs it. It is tried again like a write. */
  readonly refused: (item: Item, error: unknown) => Promise<unknown>;
  /** The most items of one statement. */
  readonly batch: number;
  readonly log: Log;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly setAside: () => void;
}

/** Real milliseconds between two tries. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;
/** Real milliseconds between two tries with an item that was set aside: doubled from the first to the longest. */
const ASIDE_WAIT_MS = { first: 1_000, longest: 60_000 };

/**
 * Whether the same write may succeed later: the error passes by itself, or it has class 42. Class 42 is a fault of the statement
 * whatever the rows are, which somebody will repair: an upgrade removed a function or a column, or a right was withdrawn.
 */
export function maySucceedLater(error: unknown): boolean {
  return passesByItself(error) || errorCode(error).startsWith('42');
}

export class BatchWriter<Item> {
  #waiting: Waiting<Item>[] = [];
  #running: Promise<void> | undefined;
  #gathering: NodeJS.Timeout | undefined;
  /** The tries with items that were set aside. */
  readonly #aside = new Set<Promise<void>>();

  constructor(private readonly options: BatchWriterOptions<Item>) {}

  /**
   * Calls `done` once the item is in the database, or once `refused` has stored it. The item may wait `gatherMs`, real
   * milliseconds, so that others go with it. Where neither succeeds for now, calls `setAside` once, before `done`.
   */
  add(item: Item, done: () => void, gatherMs = 0, setAside: () => void = () => undefined): void {
    this.#waiting.push({ item, done, setAside });
    if (this.#running !== undefined) return;
    if (gatherMs === 0 || this.#waiting.length >= this.options.batch) this.#start();
    else this.#gathering ??= setTimeout(() => this.#start(), gatherMs);
  }

  /** Resolves when nothing waits any more, and nothing is set aside. */
  async idle(): Promise<void> {
    if (this.#gathering !== undefined) this.#start();
    while (this.#running !== undefined || this.#aside.size > 0)
      await (this.#running ?? Promise.all(this.#aside));
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
      const aside = new Set<Waiting<Item>>();
      await this.#write(batch, aside);
      for (const one of batch) if (!aside.has(one)) one.done();
    }
    this.#running = undefined;
  }

  async #write(batch: readonly Waiting<Item>[], aside: Set<Waiting<Item>>): Promise<void> {
    const { name, write, refused, log } = this.options;
    await inHalves(
      batch,
      (some) => this.#tried(some, () => write(some.map(({ item }) => item))),
      (one, error) =>
        this.#tried([one], () => refused(one.item, error)).catch((second: unknown) => {
          const faults = { fault: faultFields(error), keeping: faultFields(second) };
          log.fatal(
            faults,
            `one of the ${name} can neither be written nor stored as refused: it stays in memory and is tried again`,
          );
          aside.add(one);
          this.#setAside(one);
        }),
      (error): error is Error => error instanceof Error,
    );
  }

  /** Holds up no other item. Until it succeeds, the item is in the memory of this process alone. */
  #setAside(one: Waiting<Item>): void {
    const trying = this.#tryOn(one).finally(() => this.#aside.delete(trying));
    this.#aside.add(trying);
    one.setAside();
  }

  async #tryOn({ item, done }: Waiting<Item>): Promise<void> {
    const { name, write, refused, log } = this.options;
    const { first, longest } = ASIDE_WAIT_MS;
    for (let wait = first; ; wait = Math.min(2 * wait, longest)) {
      await new Promise<void>((resolve) => setTimeout(resolve, wait));
      try {
        await write([item]).catch((error: unknown) => refused(item, error));
        break;
      } catch {
        // The fault was logged when the item was set aside.
      }
    }
    log.warn(`one of the ${name} that was set aside is stored now`);
    done();
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
        if (!maySucceedLater(error)) throw asError(error);
        if (wait === FIRST_WAIT_MS)
          log.error({ err: error, items: batch.length }, `${name} wait for the database`);
        await scheduler.wait(wait);
      }
    }
  }
}

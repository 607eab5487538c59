// One statement for what comes side by side: while some run, the next group gathers, as a group commit does. What comes
// alone goes at once and waits for nobody. Unlike BatchWriter it never tries again: whoever asks is told.
import { asError } from '../error-code.js';
import { isRefused } from './database-away.js';
import { inHalves } from './in-halves.js';

export interface GroupedStatementOptions<Item, Answer> {
  /** Asks for a whole group; one answer an item, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Groups under way at once. */
  readonly workers: number;
  /** Of one item. Default 1. */
  readonly weightOf?: (item: Item) => number;
  /** Of one group; an item that is heavier goes alone. */
  readonly groupWeight: number;
  /** Of all that wait. */
  readonly waitingWeight: number;
}

/** Rejects what came when too much waited already: nothing was asked. */
export class GroupsFullError extends Error {
  readonly code = 'ENOBUFS';
}

/** Rejects what was not answered in its time: what the database did with it is not known. */
export class GroupLateError extends Error {
  readonly code = 'ETIMEDOUT';
}

interface Asked<Item, Answer> {
  readonly item: Item;
  readonly weight: number;
  readonly answer: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
  /** Whoever asked waits no more. */
  isOver: boolean;
}

export class GroupedStatement<Item, Answer> {
  readonly #waiting = new Set<Asked<Item, Answer>>();
  #weight = 0;
  #running = 0;
  #isBeginning = false;

  constructor(private readonly options: GroupedStatementOptions<Item, Answer>) {}

  /**
   * The item's answer within so many real milliseconds. What the database refuses fails alone, its group being asked in
   * halves; any other failure is the whole group's. An item whose time is up before its group begins is never asked for.
   */
  ask(item: Item, withinMs: number): Promise<Answer> {
    const { weightOf = () => 1, waitingWeight } = this.options;
    const weight = weightOf(item);
    if (this.#waiting.size > 0 && this.#weight + weight > waitingWeight)
      return Promise.reject(new GroupsFullError('too much waits for the database already'));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        asked.isOver = true;
        clearTimeout(timer);
      };
      const asked: Asked<Item, Answer> = {
        item,
        weight,
        isOver: false,
        answer: (answer) => {
          end();
          resolve(answer);
        },
        fail: (error) => {
          end();
          reject(asError(error));
        },
      };
      const timer = setTimeout(() => {
        this.#forget(asked);
        asked.fail(new GroupLateError(`the database did not answer within ${withinMs} ms`));
      }, withinMs);
      this.#waiting.add(asked);
      this.#weight += weight;
      this.#beginSoon();
    });
  }

  /** What has been read off the sockets in the same turn of the event loop goes together. */
  #beginSoon(): void {
    if (this.#isBeginning || this.#running === this.options.workers) return;
    this.#isBeginning = true;
    setImmediate(() => {
      this.#isBeginning = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#running < this.options.workers && this.#waiting.size > 0) {
      this.#running += 1;
      void this.#run(this.#nextGroup()).then(() => {
        this.#running -= 1;
        this.#begin();
      });
    }
  }

  /** The oldest that together are not too heavy; at least one. */
  #nextGroup(): Asked<Item, Answer>[] {
    const group: Asked<Item, Answer>[] = [];
    let weight = 0;
    for (const asked of this.#waiting) {
      if (group.length > 0 && weight + asked.weight > this.options.groupWeight) break;
      group.push(asked);
      weight += asked.weight;
      this.#forget(asked);
    }
    return group;
  }

  #forget(asked: Asked<Item, Answer>): void {
    if (this.#waiting.delete(asked)) this.#weight -= asked.weight;
  }

  /** Never rejects. */
  async #run(group: readonly Asked<Item, Answer>[]): Promise<void> {
    await inHalves(
      group,
      async (part) => {
        const left = part.filter(({ isOver }) => !isOver);
        if (left.length === 0) return;
        try {
          const answers = await this.options.run(left.map(({ item }) => item));
          for (const [index, answer] of answers.entries()) left[index]?.answer(answer);
        } catch (error) {
          if (isRefused(error)) throw error;
          for (const asked of left) asked.fail(error);
        }
      },
      (asked, error) => Promise.resolve(asked.fail(error)),
    );
  }
}

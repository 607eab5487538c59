// Asks for items that come at the same time in one statement: while statements run, the next group gathers, like a group commit.
// A single item goes at once. Unlike BatchWriter it never tries again: the caller gets the error.
import { asError } from '../logging/error-code.js';
import { isRefused } from './database-away.js';
import { inHalves } from './isolate-refused.js';

export interface GroupedStatementOptions<Item, Answer> {
  /** Asks for a whole group. Returns one answer for each item, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** How many groups run at once. */
  readonly workers: number;
  /** The weight of one item [1]. */
  readonly weightOf?: (item: Item) => number;
  /** The greatest weight of one group. A heavier item goes alone. */
  readonly groupWeight: number;
  /** The greatest weight of all waiting items together. */
  readonly waitingWeight: number;
}

/** Rejects an item that comes when too much waits already. Nothing was asked for it. */
export class GroupsFullError extends Error {
  readonly code = 'ENOBUFS';
}

/** Rejects an item that was not answered in time. Nobody knows whether the database did it. */
export class GroupLateError extends Error {
  readonly code = 'ETIMEDOUT';
}

interface Asked<Item, Answer> {
  readonly item: Item;
  readonly weight: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** Its time is over, and the caller has its error. */
  isLate: boolean;
}

export class GroupedStatement<Item, Answer> {
  readonly #waiting = new Set<Asked<Item, Answer>>();
  #weight = 0;
  #running = 0;
  #isBeginning = false;

  constructor(private readonly options: GroupedStatementOptions<Item, Answer>) {}

  /**
   * Resolves to the item's answer, within `withinMs` real milliseconds. If the database refuses an item, the group is asked again
   * in halves, so that the item fails alone. Any other failure fails the whole group. An item whose time is over before its group
   * begins is never asked for.
   */
  ask(item: Item, withinMs: number): Promise<Answer> {
    const { weightOf = () => 1, waitingWeight } = this.options;
    const weight = weightOf(item);
    if (this.#waiting.size > 0 && this.#weight + weight > waitingWeight)
      return Promise.reject(new GroupsFullError('too much waits for the database already'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        asked.isLate = true;
        this.#forget(asked);
        reject(new GroupLateError(`the database did not answer within ${withinMs} ms`));
      }, withinMs);
      const asked: Asked<Item, Answer> = { item, weight, resolve, reject, timer, isLate: false };
      this.#waiting.add(asked);
      this.#weight += weight;
      this.#beginSoon();
    });
  }

  /** Items that were read from sockets in the same turn of the event loop go together. */
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

  /** The oldest items that together are not too heavy. It has at least one item. */
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
    const fail = ({ timer, reject }: Asked<Item, Answer>, error: unknown): void => {
      clearTimeout(timer);
      reject(asError(error));
    };
    await inHalves(
      group,
      async (some) => {
        const left = some.filter(({ isLate }) => !isLate);
        if (left.length === 0) return;
        try {
          const answers = await this.options.run(left.map(({ item }) => item));
          for (const [index, answer] of answers.entries()) {
            clearTimeout(left[index]?.timer);
            left[index]?.resolve(answer);
          }
        } catch (error) {
          if (isRefused(error)) throw error;
          for (const asked of left) fail(asked, error);
        }
      },
      async (asked, error) => fail(asked, error),
    );
  }
}

// Sends of one project in the order they leave: by instant, then first chunks of every cell before second
// ones, then by id. A sorted list: they come nearly in that order, so that most are added at its end.

export interface Due {
  readonly id: string;
  readonly chunk: number;
  /** When it is to be fired. */
  readonly at: number;
}

/** Entries that were taken stand before the head until there are so many of them. */
const MOST_TAKEN = 1_024;

function before(a: Due, b: Due): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.chunk !== b.chunk) return a.chunk < b.chunk;
  return a.id < b.id;
}

export class DueQueue<Entry extends Due> {
  readonly #entries: Entry[] = [];
  #head = 0;

  get size(): number {
    return this.#entries.length - this.#head;
  }

  peek(): Entry | undefined {
    return this.#entries[this.#head];
  }

  push(entry: Entry): void {
    const last = this.#entries.at(-1);
    if (this.size === 0 || last === undefined || !before(entry, last)) this.#entries.push(entry);
    else this.#entries.splice(this.#placeOf(entry), 0, entry);
  }

  pop(): Entry | undefined {
    const entry = this.peek();
    if (entry === undefined) return undefined;
    this.#head += 1;
    if (this.#head === MOST_TAKEN || this.size === 0) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return entry;
  }

  /** Behind all that leave no later. */
  #placeOf(entry: Entry): number {
    let [low, high] = [this.#head, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#entries[middle];
      if (there !== undefined && before(entry, there)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

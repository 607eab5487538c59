// Who is before all others goes first: a binary heap, so that thousands of cells or sends are still put in order while some
// come back into it.

export class Heap<Entry> {
  readonly #entries: Entry[] = [];

  /** Of two entries that are before neither, either goes first. */
  constructor(private readonly isBefore: (a: Entry, b: Entry) => boolean) {}

  get size(): number {
    return this.#entries.length;
  }

  peek(): Entry | undefined {
    return this.#entries[0];
  }

  push(entry: Entry): void {
    const entries = this.#entries;
    let at = entries.length;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = entries[parent];
      if (above === undefined || !this.isBefore(entry, above)) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  /** Undefined when it is empty. */
  pop(): Entry | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return first;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      const below = entries[child];
      if (below === undefined || !this.isBefore(below, last)) break;
      entries[at] = below;
      at = child;
    }
    entries[at] = last;
    return first;
  }

  #earlierChild(parent: number): number {
    const left = 2 * parent + 1;
    const [one, other] = [this.#entries[left], this.#entries[left + 1]];
    return one !== undefined && other !== undefined && this.isBefore(other, one) ? left + 1 : left;
  }
}

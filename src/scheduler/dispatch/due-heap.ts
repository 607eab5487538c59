// The claimed sends of one project in the order they leave: by instant, then first chunks of every cell before second
// ones, then by id. A binary heap: claims come in any order, and only the head is ever wanted.

export interface Due {
  readonly id: string;
  readonly chunk: number;
  /** When it is to be fired. */
  readonly at: number;
}

function before(a: Due, b: Due): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.chunk !== b.chunk) return a.chunk < b.chunk;
  return a.id < b.id;
}

export class DueHeap<Entry extends Due> {
  #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): Entry | undefined {
    return this.#entries[0];
  }

  push(entry: Entry): void {
    const entries = this.#entries;
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = entries[up];
      if (parent === undefined || !before(entry, parent)) break;
      entries[index] = parent;
      index = up;
    }
    entries[index] = entry;
  }

  pop(): Entry | undefined {
    const head = this.#entries[0];
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) this.#sink(last);
    return head;
  }

  /** Takes out every entry that `test` holds of. */
  remove(test: (entry: Entry) => boolean): Entry[] {
    const removed: Entry[] = [];
    const kept: Entry[] = [];
    for (const entry of this.#entries) (test(entry) ? removed : kept).push(entry);
    if (removed.length > 0) {
      this.#entries = [];
      for (const entry of kept) this.push(entry);
    }
    return removed;
  }

  #sink(entry: Entry): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      const left = index * 2 + 1;
      let child = entries[left];
      if (child === undefined) break;
      let at = left;
      const right = entries[left + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        at = left + 1;
      }
      if (!before(child, entry)) break;
      entries[index] = child;
      index = at;
    }
    entries[index] = entry;
  }
}

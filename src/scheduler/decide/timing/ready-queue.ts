// Who is ready first goes first: a binary heap, so that a plan of a thousand occurrences over all zones is still put in
// order while cells that were deferred come back into it.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface Ready {
  readonly readyAt: EpochMs;
  /** Ties on one instant go in order of key, then of `position`. */
  readonly key: string;
  readonly position: number;
}

export class ReadyQueue<Entry extends Ready> {
  readonly #heap: Entry[] = [];

  push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Undefined when it is empty. */
  shift(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      const below = heap[child];
      if (below === undefined || !isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  #earlierChild(parent: number): number {
    const left = 2 * parent + 1;
    const [one, other] = [this.#heap[left], this.#heap[left + 1]];
    return one !== undefined && other !== undefined && isBefore(other, one) ? left + 1 : left;
  }
}

function isBefore(a: Ready, b: Ready): boolean {
  if (a.readyAt !== b.readyAt) return a.readyAt < b.readyAt;
  return a.key === b.key ? a.position < b.position : a.key < b.key;
}

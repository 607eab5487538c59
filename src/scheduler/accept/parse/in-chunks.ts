// Cuts a row of events into pieces that one transaction takes at a time, so that memory and locks stay bounded.
import { sizeOf, type RawEvent } from './raw-event.js';

/** A chunk's events, and its bytes unless a single event is larger. */
export const CHUNK = { events: 500, bytes: 4 * 1024 * 1024 } as const;

export function inChunks<Item>(items: readonly Item[], rawOf: (item: Item) => RawEvent): Item[][] {
  const chunks: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(rawOf(item));
    const open = chunks.at(-1);
    if (open === undefined || open.length === CHUNK.events || bytes + size > CHUNK.bytes) {
      chunks.push([item]);
      bytes = size;
    } else {
      open.push(item);
      bytes += size;
    }
  }
  return chunks;
}

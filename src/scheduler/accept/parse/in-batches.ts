// Cuts a list into batches of bounded size, in order: transactions of the intake, requests and Kafka sends of publishers.

/** The bounds of one batch. A single item of more bytes is a batch of its own. */
interface BatchBounds {
  readonly count: number;
  readonly bytes: number;
}

export function inBatches<Item>(
  items: readonly Item[],
  most: BatchBounds,
  bytesOf: (item: Item) => number,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    bytes += size;
    const open = batches.at(-1);
    if (open === undefined || open.length === most.count || bytes > most.bytes) {
      batches.push([item]);
      bytes = size;
    } else open.push(item);
  }
  return batches;
}

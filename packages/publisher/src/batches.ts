// Cuts what is to be sent into requests or record batches of bounded size, in order.

export interface Bounds {
  readonly count: number;
  /** A single larger item stands alone. */
  readonly bytes: number;
}

export function inBatches<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  most: Bounds,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const open = batches.at(-1);
    bytes += item.bytes;
    if (open === undefined || open.length === most.count || bytes > most.bytes) {
      batches.push([item]);
      ({ bytes } = item);
    } else open.push(item);
  }
  return batches;
}

// If the database refuses one row, the other rows of the statement do not fail with it.
import { isRefused } from './database-away.js';

/**
 * Does `work` for all items at once. If that is refused, does it for each half, and so on, until each refused item is alone and
 * `refused` gets it. Returns the results of all groups, in order. Any other failure rejects at once.
 */
export async function inHalves<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<Result>,
  refused: (item: Item, error: Error) => Promise<Result>,
  isRefusal: (error: unknown) => error is Error = isRefused,
): Promise<Result[]> {
  try {
    return [await work(items)];
  } catch (error) {
    const [first] = items;
    if (!isRefusal(error) || first === undefined) throw error;
    if (items.length === 1) return [await refused(first, error)];
    const half = Math.ceil(items.length / 2);
    const done = await inHalves(items.slice(0, half), work, refused, isRefusal);
    return [...done, ...(await inHalves(items.slice(half), work, refused, isRefusal))];
  }
}

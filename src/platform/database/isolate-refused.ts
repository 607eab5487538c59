// Keeps one row that the database refuses from failing its neighbours.
import { isRefused } from './database-away.js';

/**
 * Does `work` for all items at once; where that is refused, for each half of them, and so on, until each item that is refused
 * stands alone and is given to `refused`. Returns the results of all parts, in order; any other failure rejects at once.
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

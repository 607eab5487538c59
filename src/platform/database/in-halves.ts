// One row that the database refuses must not take its neighbours with it.
import { isRefused } from './database-away.js';

/**
 * Does `work` for all items with one statement; where that is refused, for each half of them, and so on, until each of those
 * that it is refused for stands alone and is given to `refused`. Gives what came of each part, in their order; any other
 * failure rejects at once.
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

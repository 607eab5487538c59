// Cursor paging, the same everywhere: `?cursor=&limit=` in, `{ items, nextCursor }` out. A cursor is the place after the last row
// that was shown or examined. It is opaque to callers, and contains only the row's place.
import { z } from 'zod';
import { Problem } from './problem.js';

/** Members to spread into a query schema: limit 1 to 500 [50]. */
export const pageQuery = {
  cursor: z.string().max(500).optional().describe('The nextCursor of the page before'),
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Rows of a page'),
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** null on the last page. */
  readonly nextCursor: string | null;
}

/** The schema of a page. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  const nextCursor = z.string().nullable().describe('Where the next page begins; null on the last');
  return z.object({ items: z.array(item).readonly(), nextCursor });
}

/**
 * Makes a page from rows that were read with a limit of `limit + 1`. `placeOf` returns the place of a row in the order. `show`
 * turns a row into an item; without it, rows are items.
 */
export function pageOf<Row, Item = Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => readonly string[],
  show: (row: Row) => Item = (row) => row as unknown as Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(show),
    nextCursor: rows.length > limit && last !== undefined ? writeCursor(placeOf(last)) : null,
  };
}

/** A number of rows, which may be a lower bound. */
export const Counted = z
  .object({ value: z.int().min(0), atLeast: z.boolean().describe('There may be more') })
  .meta({ id: 'Counted' });

/**
 * As pageOf(), for a list that examines a bounded number of rows for each page (database/bounded-pages.ts). The next page begins
 * where this one stopped, even if this page is short.
 */
export function pageOfLooked<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  stoppedAt: string | undefined,
): Page<Row> {
  const page = pageOf(rows, limit, ({ id }) => [id]);
  if (page.nextCursor !== null || stoppedAt === undefined) return page;
  return { ...page, nextCursor: writeCursor([stoppedAt]) };
}

export function writeCursor(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/**
 * The place that a cursor names, or undefined for the first page. Throws a 400 BAD_CURSOR for a cursor that we did not write.
 * `shape` checks each element: they go into SQL, where a wrong uuid would count as a fault of the server.
 */
export function readCursor<Shape extends z.ZodType<readonly string[]>>(
  cursor: string | undefined,
  shape: Shape,
): z.output<Shape> | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new Problem(400, 'BAD_CURSOR', 'the cursor is not one that this list has given');
  }
}

/** The usual place: the id of the last row. */
export const idPlace = z.tuple([z.uuid()]);

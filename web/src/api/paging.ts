// Lists come by pages, each with the cursor of the next.
import type { InfiniteData } from '@tanstack/react-query';

export const PAGE_SIZE = 50;

interface Page {
  readonly nextCursor: string | null;
}

export const nextPage = (page: Page): string | undefined => page.nextCursor ?? undefined;

/** The rows of all pages that were read, in their order. */
export function rowsOf<Row>(
  data: InfiniteData<{ readonly items: readonly Row[] }> | undefined,
): readonly Row[] | undefined {
  return data?.pages.flatMap(({ items }) => items);
}

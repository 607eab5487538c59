// Under a list: how much is shown, and the way to more.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';

/** As much of a query by pages as its foot needs. */
export interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

export interface ListFootProps {
  readonly query: PagedQuery;
  readonly shown: number;
  readonly children?: ReactNode;
}

export function ListFoot({ query, shown, children }: ListFootProps) {
  const text = useTexts();
  return (
    <>
      <span>{text('list.shown', { count: shown })}</span>
      {query.hasNextPage && (
        <Button
          size="xs"
          variant="subtle"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {text('list.more')}
        </Button>
      )}
      {children}
    </>
  );
}

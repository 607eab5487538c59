// Under a list: what waits at its head, how much is shown, and the way to more.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';

export interface ListFootProps {
  readonly shown: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly more: () => void;
  readonly children?: ReactNode;
}

export function ListFoot({ shown, hasMore, isLoading, more, children }: ListFootProps) {
  const text = useTexts();
  return (
    <>
      <span>{text('list.shown', { count: shown })}</span>
      {hasMore && (
        <Button size="xs" variant="subtle" loading={isLoading} onClick={more}>
          {text('list.more')}
        </Button>
      )}
      {children}
    </>
  );
}

// What needs a person or did: open and ended alerts, and who has taken one up.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

export type Alert = components['schemas']['Alert'];

type ListQuery = NonNullable<paths['/v1/alerts']['get']['parameters']['query']>;
export type AlertFilter = Omit<ListQuery, 'cursor' | 'limit'>;

export const alertsQuery = (filter: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: ['alerts', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/alerts', {
          params: {
            query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

/** `key`: one for a button. */
export const acknowledge = (id: string, key: string): Promise<Alert> =>
  answerOf(
    api.POST('/v1/alerts/{id}/acknowledge', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    }),
  );

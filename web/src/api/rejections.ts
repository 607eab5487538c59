// Events that were refused: the list, one of them with its text, and the two ways to settle it.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

export type Rejection = components['schemas']['Rejection'];
export type WholeRejection = components['schemas']['RejectionWithBody'];
export type SettledRejection = components['schemas']['SettledRejection'];

type ListQuery = NonNullable<paths['/v1/rejections']['get']['parameters']['query']>;
export type RejectionFilter = Omit<ListQuery, 'cursor' | 'limit'>;
export type RejectionCode = NonNullable<ListQuery['code']>;

export const rejectionsQuery = (filter: RejectionFilter) =>
  infiniteQueryOptions({
    queryKey: ['rejections', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/rejections', {
          params: {
            query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

export const rejectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['rejections', id],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/rejections/{id}', { params: { path: { id } }, signal })),
  });

/** `event`: an edited one, whole; left out: as it came. `key`: one for a sheet. */
export const replayRejection = (
  { id, event }: { readonly id: string; readonly event?: Readonly<Record<string, unknown>> },
  key: string,
): Promise<SettledRejection> =>
  answerOf(
    api.POST('/v1/rejections/{id}/replay', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
      body: event === undefined ? {} : { event },
    }),
  );

export const discardRejection = (id: string, reason: string, key: string): Promise<SettledRejection> =>
  answerOf(
    api.POST('/v1/rejections/{id}/discard', {
      params: { path: { id }, header: { 'Idempotency-Key': key } },
      body: reason === '' ? {} : { reason },
    }),
  );

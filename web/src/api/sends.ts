// Sends by any filter, one of them with its history, and the calls that were made for it.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

export type Send = components['schemas']['Send'];
export type WholeSend = components['schemas']['SendWithHistory'];
export type Attempt = components['schemas']['Attempt'];
export type SendState = Send['state'];

type ListQuery = NonNullable<paths['/v1/sends']['get']['parameters']['query']>;
export type SendFilter = Omit<ListQuery, 'cursor' | 'limit' | 'newest' | 'order'>;

/** What a word of a filter stands for. */
export const SEND_SETS = {
  open: 'planned,sending,accepted,reserved,canceling,held',
  reserved: 'reserved',
  uncertain: 'uncertain',
  failed: 'failed,stale,rejected',
  expired: 'expired',
  sent: 'sent',
  empty: 'empty',
  leftOut: 'skipped,canceled,expired',
  standing: 'scheduled',
} as const;
export type SendSetName = keyof typeof SEND_SETS;

/** The newest send of each chunk, newest first. */
export const sendsQuery = (filter: SendFilter) =>
  infiniteQueryOptions({
    queryKey: ['sends', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/sends', {
          params: {
            query: {
              ...filter,
              order: 'newest',
              limit: PAGE_SIZE,
              ...(pageParam !== undefined && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

export const sendQuery = (id: string) =>
  queryOptions({
    queryKey: ['send', id],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/sends/{id}', { params: { path: { id } }, signal })),
  });

export const attemptsQuery = (id: string) =>
  queryOptions({
    queryKey: ['send', id, 'attempts'],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/v1/sends/{id}/attempts', { params: { path: { id } }, signal })),
  });

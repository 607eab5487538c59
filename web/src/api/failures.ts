// Sends that need attention, in groups; and the retries of many of them, which are previewed before they are done.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

export type FailureGroup = components['schemas']['FailureGroup'];
export type Retries = components['schemas']['Retries'];

type ListQuery = NonNullable<paths['/v1/failures']['get']['parameters']['query']>;
export type FailureFilter = Omit<ListQuery, 'cursor' | 'limit'>;
type RetryFilter = paths['/v1/retries/preview']['post']['requestBody']['content']['application/json'];

export const failuresQuery = (filter: FailureFilter) =>
  infiniteQueryOptions({
    queryKey: ['failures', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/failures', {
          params: {
            query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

/** The preview holds exactly these sends from now on, whatever fails later. `filter`: of a group, as GET /v1/failures answers it. */
export const previewRetries = (filter: Readonly<Record<string, string>>, key: string): Promise<Retries> => {
  const { state, ...rest } = filter;
  const body = { ...rest, states: (state ?? '').split(',') } as unknown as RetryFilter;
  return answerOf(api.POST('/v1/retries/preview', { params: { header: { 'Idempotency-Key': key } }, body }));
};

export const retriesQuery = (token: string) =>
  queryOptions({
    queryKey: ['retries', token],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/v1/retries/{token}', { params: { path: { token } }, signal })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isWorking(data) ? 1_000 : 15_000),
  });

/** Whether the server is still at it. */
export const isWorking = ({ state }: Retries): boolean =>
  state === 'gathering' || state === 'asking' || state === 'retrying';

export const confirmRetries = (token: string, key: string): Promise<Retries> =>
  answerOf(api.POST('/v1/retries', { params: { header: { 'Idempotency-Key': key } }, body: { token } }));

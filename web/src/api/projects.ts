// Push projects: where their gateway is, what blocks them, and the two acts by which a person stops and starts one.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage } from './paging.ts';
import type { components } from './schema.gen.ts';

export type Project = components['schemas']['Project'];
export type GatewayReport = components['schemas']['GatewayReport'];

export const projectsQuery = infiniteQueryOptions({
  queryKey: ['projects'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam, signal }) =>
    answerOf(
      api.GET('/v1/projects', {
        params: { query: { limit: 200, ...(pageParam !== undefined && { cursor: pageParam }) } },
        signal,
      }),
    ),
  getNextPageParam: nextPage,
});

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/projects/{id}', { params: { path: { id } }, signal })),
  });

export const checkProject = (id: string): Promise<GatewayReport> =>
  answerOf(api.POST('/v1/projects/{id}/check', { params: { path: { id } } }));

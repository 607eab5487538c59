// Push projects: where their gateway is, what blocks them, and the two acts by which a person stops and starts one.
import { infiniteQueryOptions } from '@tanstack/react-query';
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

export const checkProject = (id: string): Promise<GatewayReport> =>
  answerOf(api.POST('/v1/projects/{id}/check', { params: { path: { id } } }));

export type StoppedProject = components['schemas']['StoppedProject'];

export interface StopOrder {
  readonly project: string;
  readonly act: 'stop' | 'start';
  /** Of a stop: also asks the push service to give back what it holds. */
  readonly recall?: boolean;
  readonly reason?: string;
}

/** Changes nothing, and counts what waits here and what the push service holds. */
export const previewStop = (order: StopOrder): Promise<StoppedProject> =>
  stop(order, { preview: 'true' }, {});

/** `key`: one for a sheet. */
export const doStop = (order: StopOrder, key: string): Promise<StoppedProject> =>
  stop(order, {}, { 'Idempotency-Key': key });

function stop(
  { project, act, recall, reason }: StopOrder,
  query: { preview?: 'true' },
  header: { 'Idempotency-Key'?: string },
): Promise<StoppedProject> {
  const params = { path: { id: project }, query, header };
  const why = reason !== undefined && reason !== '' && { reason };
  return act === 'start'
    ? answerOf(api.POST('/v1/projects/{id}/start', { params, body: { ...why } }))
    : answerOf(api.POST('/v1/projects/{id}/stop', { params, body: { recall: recall === true, ...why } }));
}

// Whether all is well, and what needs a person: one answer for the page, the command line and the alerts.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type Status = components['schemas']['Status'];
export type Need = components['schemas']['StatusCause'];
export type ProjectStatus = components['schemas']['ProjectStatus'];

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => answerOf(api.GET('/v1/status', { signal })),
});

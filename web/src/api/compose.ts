// What somebody who writes a campaign needs: the projects that they may name, and the dry run of what they wrote.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components } from './schema.gen.ts';

export type DryRun = components['schemas']['DryRun'];
export type PreviewedCell = components['schemas']['PreviewedCell'];
type CampaignData = components['schemas']['ScheduledData'];

export const servicesQuery = queryOptions({
  queryKey: ['services'],
  queryFn: ({ signal }) => answerOf(api.GET('/v1/services', { params: { query: { limit: 200 } }, signal })),
});

/** `data`: whatever somebody typed; the server says what is wrong with it. Zones that are not known are asked for. */
export const dryRunQuery = (data: unknown, json: string) =>
  queryOptions({
    queryKey: ['plan-preview', json],
    enabled: data !== undefined,
    staleTime: 60_000,
    refetchInterval: false,
    retry: false,
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/v1/plans', {
          params: { query: { lookUp: 'true', limit: 100 } },
          body: data as CampaignData,
          signal,
        }),
      ),
  });

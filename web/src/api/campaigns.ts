// Campaigns as the API answers them: the list, one of them, its plan, its sends, its history and its report.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage, PAGE_SIZE } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

type Schemas = components['schemas'];
export type Campaign = Schemas['Campaign'];
export type WholeCampaign = Schemas['CampaignWithRevisions'];
export type CampaignState = Campaign['state'];
export type PlanCell = Schemas['StoredCell'];
export type Plan = Schemas['StoredPlan'];
export type Report = Schemas['CampaignReport'];
export type ReportRow = Schemas['ReportRow'];
export type ReportTotals = Schemas['ReportTotals'];
export type Change = Schemas['Change'];

type ListQuery = NonNullable<paths['/v1/campaigns']['get']['parameters']['query']>;
export type CampaignFilter = Omit<ListQuery, 'cursor' | 'limit'>;

export const campaignsQuery = (filter: CampaignFilter) =>
  infiniteQueryOptions({
    queryKey: ['campaigns', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/campaigns', {
          params: {
            query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/campaigns/{id}', { params: { path: { id } }, signal })),
  });

export const planQuery = (id: string, filter: { readonly occurrence?: string; readonly state?: string }) =>
  infiniteQueryOptions({
    queryKey: ['campaign', id, 'plan', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/campaigns/{id}/plan', {
          params: {
            path: { id },
            query: { ...filter, limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

export const historyQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['campaign', id, 'history'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/v1/campaigns/{id}/history', {
          params: {
            path: { id },
            query: { limit: PAGE_SIZE, ...(pageParam !== undefined && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    getNextPageParam: nextPage,
  });

export const reportQuery = (id: string, occurrence: string | undefined) =>
  queryOptions({
    queryKey: ['campaign', id, 'report', occurrence ?? ''],
    queryFn: async ({ signal }): Promise<Report> => {
      const params = { path: { id }, query: occurrence === undefined ? {} : { occurrence } };
      const answer = await answerOf(api.GET('/v1/reports/campaigns/{id}', { params, signal }));
      if (typeof answer === 'string') throw new Error('a report came as CSV');
      return answer;
    },
  });

/** The same report as a file for spreadsheets, which need the mark of UTF-8. */
export const reportCsvUrl = (id: string, occurrence: string | undefined): string => {
  const query = new URLSearchParams({ format: 'csv', bom: 'true' });
  if (occurrence !== undefined) query.set('occurrence', occurrence);
  return `/v1/reports/campaigns/${encodeURIComponent(id)}?${query.toString()}`;
};

// Reports over many campaigns: sends and devices, how late they were, and the ledger that accounts for all of them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import { nextPage } from './paging.ts';
import type { components, paths } from './schema.gen.ts';

type Schemas = components['schemas'];
export type SummaryReport = Schemas['SummaryReport'];
export type SummaryRow = Schemas['SummaryRow'];
export type LatenessReport = Schemas['LatenessReport'];
export type LatenessRow = Schemas['LatenessRow'];
export type Lengths = Schemas['Lengths'];
export type LedgerAnswer = Schemas['LedgerAnswer'];
export type GroupKey = SummaryReport['groupBy'][number];

type SummaryAsk = paths['/v1/reports/summary']['get']['parameters']['query'];
type LatenessAsk = paths['/v1/reports/lateness']['get']['parameters']['query'];
export type ReportAsk = Omit<SummaryAsk & LatenessAsk, 'cursor' | 'limit' | 'format' | 'bom' | 'reported'>;
export type LedgerAsk = NonNullable<paths['/v1/ledger']['get']['parameters']['query']>;

/** The most that the API answers at once: a chart draws them all. */
const ROWS = 500;

/** A report adds up much: it is asked for anew less often than a list. */
const REPORT_MS = 60_000;

export const summaryQuery = (ask: ReportAsk) =>
  infiniteQueryOptions({
    queryKey: ['reports', 'summary', ask],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<SummaryReport> => {
      const query = { ...ask, limit: ROWS, ...(pageParam !== undefined && { cursor: pageParam }) };
      return asJson(await answerOf(api.GET('/v1/reports/summary', { params: { query }, signal })));
    },
    getNextPageParam: nextPage,
    refetchInterval: REPORT_MS,
  });

export const latenessQuery = (ask: ReportAsk) =>
  infiniteQueryOptions({
    queryKey: ['reports', 'lateness', ask],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<LatenessReport> => {
      const query = { ...ask, limit: ROWS, ...(pageParam !== undefined && { cursor: pageParam }) };
      return asJson(await answerOf(api.GET('/v1/reports/lateness', { params: { query }, signal })));
    },
    getNextPageParam: nextPage,
    refetchInterval: REPORT_MS,
  });

export const ledgerQuery = (ask: LedgerAsk) =>
  queryOptions({
    queryKey: ['reports', 'ledger', ask],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/ledger', { params: { query: ask }, signal })),
    refetchInterval: REPORT_MS,
  });

function asJson<Report>(answer: Report | string): Report {
  if (typeof answer === 'string') throw new Error('a report came as CSV');
  return answer;
}

/** The same report as a file for spreadsheets, which need the mark of UTF-8. */
export function reportsCsvUrl(of: 'summary' | 'lateness', ask: ReportAsk): string {
  const query = new URLSearchParams({ ...ask, format: 'csv', bom: 'true' });
  return `/v1/reports/${of}?${query.toString()}`;
}

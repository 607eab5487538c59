// Planned load against the rates of projects, and what is expected to be late.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './client.ts';
import type { components, paths } from './schema.gen.ts';

export type Forecast = components['schemas']['Forecast'];
export type ForecastStep = Forecast['steps'][number];
export type ForecastProject = Forecast['projects'][number];
export type LateCampaign = components['schemas']['LateCampaign'];
export type ForecastAsk = NonNullable<paths['/v1/forecast']['get']['parameters']['query']>;

/** It reads all that waits, so it is asked for anew less often than a list. */
const FORECAST_MS = 60_000;

export const forecastQuery = (ask: ForecastAsk) =>
  queryOptions({
    queryKey: ['forecast', ask],
    queryFn: ({ signal }) => answerOf(api.GET('/v1/forecast', { params: { query: ask }, signal })),
    refetchInterval: FORECAST_MS,
  });

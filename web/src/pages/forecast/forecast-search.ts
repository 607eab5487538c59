// What a forecast is asked for, as it stands in the address.
import type { ForecastAsk } from '../../api/forecast.ts';
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const AHEAD = ['2h', '24h', '48h', '7d'] as const;
export const FORECAST_KEYS = ['project', 'zone', 'campaign'] as const;

export interface ForecastSearch {
  /** Left out: the next 24 hours. */
  readonly ahead?: (typeof AHEAD)[number] | undefined;
  readonly by?: (typeof FORECAST_KEYS)[number] | undefined;
  readonly service?: string | undefined;
  /** The hash of a previewed plan whose load is added. */
  readonly with?: string | undefined;
}

export function searchOfForecast(given: Record<string, unknown>): ForecastSearch {
  return chosen({
    ahead: wordIn(given, 'ahead', AHEAD),
    by: wordIn(given, 'by', FORECAST_KEYS),
    service: textIn(given, 'service'),
    with: textIn(given, 'with', 64),
  });
}

const HOUR_MS = 3_600_000;
const HOURS = { '2h': 2, '24h': 24, '48h': 48, '7d': 168 } as const;

/** Two hours are shown by the minute, more by the hour. `now`: the server's, epoch milliseconds; steps begin at a whole one. */
export function forecastAsk(
  { ahead = '24h', by = 'project', service, with: plan }: ForecastSearch,
  now: number,
): ForecastAsk {
  const step = ahead === '2h' ? 'minute' : 'hour';
  const stepMs = step === 'minute' ? HOUR_MS / 60 : HOUR_MS;
  const from = Math.floor(now / stepMs) * stepMs;
  return {
    step,
    by,
    from: new Date(from).toISOString(),
    to: new Date(from + HOURS[ahead] * HOUR_MS).toISOString(),
    ...(service !== undefined && { serviceId: service }),
    ...(plan !== undefined && { with: plan }),
  };
}

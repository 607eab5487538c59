// The loop `forecast`: once a minute one process makes the forecast of what is planned soon, and keeps what will miss a bound of its
// campaign for whoever judges alerts. Changes no send.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { groupBy } from '../../decide/forecast/group-by.js';
import type { LateCampaign } from '../../decide/forecast/forecast.js';
import { beginRound, keepRound, type ForecastFacts } from '../../store/alert-round.store.js';
import type { ForecastReader } from './read-forecast.js';

/** Real milliseconds between two rounds of all processes together. */
export const WATCH_FORECAST_MS = 60_000;
/** A process comes a little early, or it would miss every other round. */
const EARLY_MS = 5_000;
/** In the fair order of reports it is nobody's: no token or service has this name. */
const OWNER = ['alerts'] as const;

export interface WatchForecastDeps {
  readonly sql: Sql;
  readonly clock: Pick<Clock, 'now'>;
  readonly reader: Pick<ForecastReader, 'read'>;
  /** How far ahead it looks, milliseconds. */
  readonly aheadMs: number;
}

export class WatchForecast {
  constructor(private readonly deps: WatchForecastDeps) {}

  /** Returns 0: there is never more to do at once. */
  async runOnce(): Promise<number> {
    const { sql, clock, reader, aheadMs } = this.deps;
    const mark = await beginRound(sql, 'forecast', WATCH_FORECAST_MS - EARLY_MS);
    if (mark === undefined) return 0;
    const from = clock.now();
    const to = from + aheadMs;
    const ask = { services: null, from, to, stepMs: aheadMs, by: 'project', with: undefined } as const;
    const found = await reader.read(ask, OWNER);
    await keepRound(sql, 'forecast', mark, factsOf(found?.late ?? []));
    return 0;
  }
}

function factsOf(late: readonly LateCampaign[]): ForecastFacts {
  const projects = [...groupBy(late, ({ serviceId }) => serviceId)].map(([serviceId, own]) => {
    const misses = own.flatMap(({ missesLateness, missesDeadline }) => [missesLateness, missesDeadline]);
    return {
      serviceId,
      requests: own.reduce((sum, one) => sum + requestsOf(one), 0),
      byMs: misses.reduce((most, miss) => Math.max(most, miss?.byMs ?? 0), 0),
      campaigns: new Set(own.map(({ campaign }) => campaign)).size,
    };
  });
  return { projects };
}

/** A request may miss both bounds. */
const requestsOf = ({ missesLateness, missesDeadline }: LateCampaign): number =>
  Math.max(missesLateness?.requests ?? 0, missesDeadline?.requests ?? 0);

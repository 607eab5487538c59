// Metrics of how far the sums of reports are behind the outcomes of sends. Read at each scrape; left out while the database is away.
import type { Registry } from 'prom-client';
import type { Sql } from '../../../platform/database/database.js';
import { scrapedGauges, sharedWhileAsking } from '../../../platform/http/scraped-gauges.js';
import { rollUpBehind } from './roll-up.store.js';

export function addRollupMetrics(registry: Registry, { sql, now }: { sql: Sql; now: () => Date }): void {
  const gauge = scrapedGauges(registry);
  const asked = sharedWhileAsking(() => rollUpBehind(sql, now()));
  const waiting = 'outcomes that are not rolled up yet, at most 100 000: reports read them one by one';
  gauge('carillon_rollup_waiting', waiting, [], async (to) => to.set((await asked()).events));
  gauge(
    'carillon_rollup_behind_seconds',
    'age of the oldest of them, 0 where there is none',
    [],
    async (to) => to.set(Math.max(0, (await asked()).ageMs ?? 0) / 1_000),
  );
}

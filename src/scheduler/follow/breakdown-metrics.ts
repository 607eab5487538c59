// Metrics of the breakdowns that are still to be asked for. They are read when they are scraped, and left out while the database is
// away.
import type { Registry } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { scrapedGauges, sharedWhileAsking } from '../../platform/http/scraped-gauges.js';
import { waitingBreakdowns } from '../store/rollup/breakdown.store.js';

export function addBreakdownMetrics(registry: Registry, { sql, now }: { sql: Sql; now: () => Date }): void {
  const gauge = scrapedGauges(registry);
  const asked = sharedWhileAsking(() => waitingBreakdowns(sql, now()));
  const waiting =
    'ended sends whose breakdown is still to be asked for, at most 100 000: until then reports show their devices under all';
  gauge('carillon_breakdowns_waiting', waiting, [], async (to) => to.set((await asked()).waiting));
  gauge(
    'carillon_breakdowns_oldest_seconds',
    'seconds since the oldest of these sends ended, 0 where there is none; after a week its breakdown is given up',
    [],
    async (to) => to.set(Math.max(0, (await asked()).ageMs ?? 0) / 1_000),
  );
}

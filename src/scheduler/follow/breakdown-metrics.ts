// Metrics of how many breakdowns are still to be asked for. Read when they are scraped; while the database is away they are
// left out.
import type { Registry } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { scrapedGauges, sharedWhileAsking } from '../../platform/http/scraped-gauges.js';
import { waitingBreakdowns } from '../store/rollup/breakdown.store.js';

export function addBreakdownMetrics(registry: Registry, { sql, now }: { sql: Sql; now: () => Date }): void {
  const gauge = scrapedGauges(registry);
  const asked = sharedWhileAsking(() => waitingBreakdowns(sql, now()));
  const waiting =
    'ended sends whose breakdown is still to be asked for, at most 100 000: their devices stand under all';
  gauge('carillon_breakdowns_waiting', waiting, [], async (to) => to.set((await asked()).waiting));
  gauge(
    'carillon_breakdowns_oldest_seconds',
    'since when the oldest of them has ended, 0 where there is none; after a week it is given up',
    [],
    async (to) => to.set(Math.max(0, (await asked()).ageMs ?? 0) / 1_000),
  );
}

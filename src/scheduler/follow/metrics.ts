// Metrics of the breakdowns that are still to be asked for, by all processes.
import { gauge, sharedWhileAsking } from '../../platform/metric.js';
import type { Core } from '../core.js';
import { waitingBreakdowns } from '../store/rollup/breakdown.store.js';

export function followMetrics({ database: sql, clock }: Pick<Core, 'database' | 'clock'>) {
  const asked = sharedWhileAsking(() => waitingBreakdowns(sql, new Date(clock.now())));
  return [
    gauge(
      'carillon_breakdowns_waiting',
      'ended sends whose breakdown is still to be asked for, at most 100 000: until then reports show their devices under all',
      async () => (await asked()).waiting,
    ),
    gauge(
      'carillon_breakdowns_oldest_seconds',
      'seconds since the oldest of these sends ended, 0 where there is none; after a week its breakdown is given up',
      async () => Math.max(0, (await asked()).ageMs ?? 0) / 1_000,
    ),
  ];
}

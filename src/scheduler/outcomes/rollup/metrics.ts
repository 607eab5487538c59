// Metrics of how far the sums of reports are behind the outcomes of sends.
import { gauge, sharedWhileAsking } from '../../../platform/metric.js';
import type { Core } from '../../core.js';
import { rollUpBehind } from './roll-up.store.js';

export function rollUpMetrics({ database: sql, clock }: Pick<Core, 'database' | 'clock'>) {
  const asked = sharedWhileAsking(() => rollUpBehind(sql, new Date(clock.now())));
  return [
    gauge(
      'carillon_rollup_waiting',
      'outcomes that are not rolled up yet, at most 100 000: reports read them one by one',
      async () => (await asked()).events,
    ),
    gauge(
      'carillon_rollup_behind_seconds',
      'age of the oldest of them, 0 where there is none',
      async () => Math.max(0, (await asked()).ageMs ?? 0) / 1_000,
    ),
  ];
}

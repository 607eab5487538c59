// Metrics of how much is kept and how fast it grows.
import { daysAhead, goingDays } from '../../../platform/database/day-partitions.js';
import { gauge, sharedWhileAsking } from '../../../platform/metric.js';
import type { Core } from '../../core.js';
import { daysUntilFull, keptBytes } from '../../store/kept-bytes.store.js';

export function retentionMetrics({
  database: sql,
  clock,
  config,
}: Pick<Core, 'database' | 'clock' | 'config'>) {
  const now = (): Date => new Date(clock.now());
  const all = sharedWhileAsking(() => keptBytes(sql, now()));
  const ofDays = async () => (await all()).filter(({ kind }) => kind !== '');
  return [
    gauge('carillon_kept_bytes{kind}', 'bytes with indexes, by kind: a table of days, or rest', async () =>
      (await all()).map(({ kind, bytes }) => [bytes, { kind: kind === '' ? 'rest' : kind }]),
    ),
    gauge('carillon_kept_bytes_a_day{kind}', 'bytes that the last days took, on average', async () =>
      (await ofDays()).map(({ kind, bytesADay }) => [bytesADay, { kind }]),
    ),
    gauge('carillon_kept_days{kind}', 'days that are kept whole', async () =>
      (await ofDays()).map(({ kind, days }) => [days, { kind }]),
    ),
    gauge(
      'carillon_days_until_full',
      'days until the disk is full at this rate, where DATABASE_DISK_GB gives its size',
      async () => daysUntilFull(sql, await all(), config.diskBytes),
    ),
    gauge(
      'carillon_days_ahead',
      'days after today that have their partitions: fewer than 2 is not ready',
      () => daysAhead(sql, now()),
    ),
    gauge(
      'carillon_days_going',
      'detached partitions that are not dropped yet, because somebody may still read them',
      async () => (await goingDays(sql)).length,
    ),
  ];
}

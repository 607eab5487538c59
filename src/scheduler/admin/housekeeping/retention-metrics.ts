// Metrics of how much is kept and how fast it grows. Read at each scrape; left out while the database is away.
import type { Registry } from 'prom-client';
import type { Sql } from '../../../platform/database/database.js';
import { daysAhead, goingDays } from '../../../platform/database/day-partitions.js';
import { scrapedGauges, sharedWhileAsking } from '../../../platform/http/scraped-gauges.js';
import { daysUntilFull, keptBytes } from '../../store/kept-bytes.store.js';

export interface Measured {
  readonly sql: Sql;
  readonly now: () => Date;
  readonly diskBytes: number | undefined;
}

export function addRetentionMetrics(registry: Registry, { sql, now, diskBytes }: Measured): void {
  const gauge = scrapedGauges(registry);
  const asked = sharedWhileAsking(() => keptBytes(sql, now()));

  gauge(
    'carillon_kept_bytes',
    'bytes with indexes, by kind: a table of days, or rest',
    ['kind'],
    async (to) => {
      for (const { kind, bytes } of await asked()) to.set({ kind: kind === '' ? 'rest' : kind }, bytes);
    },
  );
  gauge('carillon_kept_bytes_a_day', 'bytes that the last days took, on average', ['kind'], async (to) => {
    for (const { kind, bytesADay } of await asked()) if (kind !== '') to.set({ kind }, bytesADay);
  });
  gauge('carillon_kept_days', 'days that are kept whole', ['kind'], async (to) => {
    for (const { kind, days } of await asked()) if (kind !== '') to.set({ kind }, days);
  });
  const full = 'days until the disk is full at this rate, where DATABASE_DISK_GB gives its size';
  gauge('carillon_days_until_full', full, [], async (to) => {
    const left = await daysUntilFull(sql, await asked(), diskBytes);
    if (left !== undefined) to.set(left);
  });
  const ahead = 'days after today that have their partitions: fewer than 2 is not ready';
  gauge('carillon_days_ahead', ahead, [], async (to) => to.set(await daysAhead(sql, now())));
  const going = 'detached partitions that are not dropped yet, because somebody may still read them';
  gauge('carillon_days_going', going, [], async (to) => to.set((await goingDays(sql)).length));
}

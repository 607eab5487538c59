// Reads how late immediate sends left, by project, from the sums that the loop `rollup` keeps. Reads only.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { BUCKET_MIDDLE } from '../../store/rollup/counted-sends.js';
import { LATELY_MS } from './project-readings.store.js';

export interface LatenessReading {
  readonly serviceId: string;
  readonly sends: number;
  /** The 99th percentile by nearest rank, at most 2 % off, milliseconds. */
  readonly p99Ms: number;
}

/** The most sums of minutes that are read: the newest. */
const MOST_ROWS = 50_000;
const HOUR_MS = 3_600_000;

/** `rows`: sums with service_id, bucket, sends and max_ms. */
const percentiles = (rows: string): string => `
select distinct on (b.service_id) b.service_id as "serviceId", b.total::float8 as sends,
       least(${BUCKET_MIDDLE('b')}, b.max_ms)::float8 as "p99Ms"
  from (select service_id, bucket, max(max(max_ms)) over (partition by service_id) as max_ms,
               sum(sum(sends)) over (partition by service_id order by bucket) as upto,
               sum(sum(sends)) over (partition by service_id) as total
          from (${rows}) r group by service_id, bucket having sum(sends) > 0) b
 where b.upto >= ceil(0.99 * b.total) order by b.service_id, b.bucket`;

// Index length_rollup_hour_key, which begins with the hour; index length_rollup_minute.
const OF_HOURS = prepared(
  percentiles(
    `select service_id, bucket, sends, max_ms from length_rollup_hour where minute >= $1 and kind = 'immediate'`,
  ),
);
const LATELY = prepared(
  percentiles(`select service_id, bucket, sends, max_ms from length_rollup
                where minute >= $1 and kind = 'immediate' and occurrence not like 'test-%' order by minute desc limit ${MOST_ROWS}`),
);

/** When the hour before the current one began. */
export const lastHourFrom = (now: EpochMs): EpochMs => Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS;

/** Of sends that were due since lastHourFrom(). */
export function latenessOfHour(sql: Sql, now: EpochMs): Promise<LatenessReading[]> {
  return sql.query(OF_HOURS, [new Date(lastHourFrom(now))]);
}

/** Of sends that were due within LATELY_MS. */
export function latenessLately(sql: Sql, now: EpochMs): Promise<LatenessReading[]> {
  return sql.query(LATELY, [new Date(now - LATELY_MS)]);
}

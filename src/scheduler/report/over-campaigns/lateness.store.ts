// GET /v1/reports/lateness in SQL: histograms of lengths by one or two keys and by kind, from the rows of a report. Reads only, in
// the caller's snapshot.
import { LENGTHS } from '../../store/send/measured-send.js';
import {
  BUCKET_RATIO,
  LENGTH_ROLLUP,
  lengthsOf,
  SEND_KEYS,
  type LengthKind,
} from '../../store/rollup/counted-sends.js';
import type { GroupedReport } from './grouped-report.store.js';
import { filtered, keyColumns, rolledUp } from './grouped-rows.js';

export interface Histogram {
  /** Bucket and how many lengths are in it, in order. */
  readonly buckets: readonly (readonly [bucket: number, lengths: number])[];
  /** Exact. */
  readonly maxMs: number;
}
export type Histograms = Partial<Record<LengthKind, Histogram>>;

const KEYS = SEND_KEYS.filter((name) => name !== 'state' && name !== 'code').join(', ');
const COLUMNS = `${KEYS}, kind, bucket, exact_ms, sends, max_ms`;
const LACKING = `select ${COLUMNS}
  from (${lengthsOf(`(${filtered([...SEND_KEYS, ...LENGTHS, 'sends'].join(', '), 'lacking')})`)}) l`;

export const LENGTHS_REPORT: GroupedReport<{ readonly lengths: Histograms }, Histograms> = {
  relationsOf: (ask, laterHours) => `
all_rows as (${rolledUp(COLUMNS, LENGTH_ROLLUP, ask)} union all ${LACKING}),
kept as (
  select grouping(k1) = 1 as whole, k1, k2, kind, bucket, exact_ms, sum(sends) as sends, max(max_ms) as max_ms
    from (select ${keyColumns(ask.by, laterHours)}, m.* from all_rows m) m
   group by grouping sets ((k1, k2, kind, bucket, exact_ms), (kind, bucket, exact_ms)) having sum(sends) <> 0),
buckets as (select whole, k1, k2, kind, bucket, sum(sends) as sends, max(max_ms) as max_ms from kept group by 1, 2, 3, 4, 5),
kinds as (
  select whole, k1, k2, kind, sum(sends) as sends,
         jsonb_build_object('buckets', jsonb_agg(jsonb_build_array(bucket, sends) order by bucket), 'maxMs', max(max_ms)) as histogram
    from buckets group by 1, 2, 3, 4),
counted as (select whole, k1, k2, sum(sends)::float8 as planned, jsonb_object_agg(kind, histogram) as lengths from kinds group by 1, 2, 3)`,
  figuresOf: (found) => found?.lengths ?? {},
};

/** The bounds of a bucket, milliseconds: from … up to. */
export function boundsOf(bucket: number): readonly [fromMs: number, toMs: number] {
  if (bucket === 0) return [0, 0];
  const near = BUCKET_RATIO ** (Math.abs(bucket) - 1);
  const far = near * BUCKET_RATIO;
  return bucket > 0 ? [near, far] : [-far, -near];
}

/** A length that differs by at most 2 % from each length of the bucket. */
export function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.sign(bucket) * BUCKET_RATIO ** (Math.abs(bucket) - 0.5);
}

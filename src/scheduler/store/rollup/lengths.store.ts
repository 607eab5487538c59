// GET /v1/reports/lateness in SQL: histograms of lengths by one or two keys, by kind, from the parts of a report. Reads only, in the
// caller's snapshot.
import type { Sql } from '../../../platform/database/database.js';
import { LENGTHS } from '../send/measured-send.js';
import { BUCKET_RATIO, LENGTH_ROLLUP, lengthsOf, SEND_KEYS, type LengthKind } from './counted-sends.js';
import {
  allRows,
  campaignNames,
  campaignOf,
  placeOf,
  readPage,
  sidesOf,
  type FoundBeside,
  type NamedCampaign,
  type RowPage,
  type RowsOf,
} from './against.js';
import {
  filtered,
  keyColumns,
  keyOf,
  REPORT_PARTS,
  rolledUp,
  type GroupKey,
  type ReportAsk,
  type ReportFilter,
  type RowPlace,
} from './report-parts.js';

export interface Histogram {
  /** Bucket and how many lengths are in it, in order. */
  readonly buckets: readonly (readonly [bucket: number, lengths: number])[];
  /** Exact. */
  readonly maxMs: number;
}
export type Histograms = Partial<Record<LengthKind, Histogram>>;

export interface LengthsRow {
  readonly key: Partial<Record<GroupKey, string | null>>;
  /** Where it is grouped by campaign, as long as that is known. */
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
  readonly lengths: Histograms;
  readonly place: RowPlace;
  /** Where it stands beside another side's. */
  readonly compared?: Histograms;
}
interface Found extends NamedCampaign {
  readonly lengths: Histograms;
}

const KEYS = SEND_KEYS.filter((name) => name !== 'state' && name !== 'code').join(', ');
const ROLLED = `${KEYS}, kind, bucket, exact_ms, sends, max_ms`;
const LACKING = `select ${KEYS}, kind, bucket, exact_ms, sends, max_ms
  from (${lengthsOf(`(${filtered([...SEND_KEYS, ...LENGTHS, 'sends'].join(', '), 'lacking')})`)}) l`;

const rows: RowsOf = (ask, laterHours) => {
  const { by } = ask;
  return `
with ${REPORT_PARTS},
parts as (${rolledUp(ROLLED, LENGTH_ROLLUP, ask)} union all ${LACKING}),
kept as (
  select grouping(k1) = 1 as whole, k1, k2, kind, bucket, exact_ms, sum(sends) as sends, max(max_ms) as max_ms
    from (select ${keyColumns(by, laterHours)}, m.* from parts m) m
   group by grouping sets ((k1, k2, kind, bucket, exact_ms), (kind, bucket, exact_ms)) having sum(sends) <> 0),
buckets as (select whole, k1, k2, kind, bucket, sum(sends) as sends, max(max_ms) as max_ms from kept group by 1, 2, 3, 4, 5),
kinds as (
  select whole, k1, k2, kind, sum(sends) as sends,
         jsonb_build_object('buckets', jsonb_agg(jsonb_build_array(bucket, sends) order by bucket), 'maxMs', max(max_ms)) as histogram
    from buckets group by 1, 2, 3, 4)
select * from (
  select c.*, ${campaignNames(by).columns}
    from (select whole, k1, k2, sum(sends)::float8 as planned, jsonb_object_agg(kind, histogram) as lengths from kinds group by 1, 2, 3) c
         ${campaignNames(by).join}) r`;
};

/** Of all that the filter takes, by no key. */
export async function lengthsTotals(sql: Sql, filter: ReportFilter): Promise<Histograms> {
  return (await lengthsPage(sql, { by: [], filter, order: 'key' }, { after: undefined, limit: 0 })).totals;
}

/** `totals`: of all rows, on the own side. */
export interface LengthsPage {
  readonly totals: Histograms;
  readonly rows: readonly LengthsRow[];
}

export async function lengthsPage(sql: Sql, ask: ReportAsk, page: RowPage): Promise<LengthsPage> {
  const found = await readPage<Found>(sql, ask, rows, page);
  return { totals: found.whole?.lengths ?? {}, rows: found.rows.map((row) => shown(ask.by, row)) };
}

/** All rows, in pages; `sql` is a transaction of one moment. */
export async function* lengthsRows(
  sql: Sql,
  ask: ReportAsk,
): AsyncGenerator<readonly LengthsRow[], void, void> {
  for await (const page of allRows<Found>(sql, ask, rows)) yield page.map((row) => shown(ask.by, row));
}

function shown(by: readonly GroupKey[], row: FoundBeside<Found>): LengthsRow {
  const { own, compared } = sidesOf<Found>(row);
  return {
    key: keyOf(by, row),
    ...campaignOf(own ?? compared),
    lengths: own?.lengths ?? {},
    ...(compared !== undefined && { compared: compared?.lengths ?? {} }),
    place: placeOf(row),
  };
}

/** From … up to, milliseconds. */
export function boundsOf(bucket: number): readonly [fromMs: number, toMs: number] {
  if (bucket === 0) return [0, 0];
  const near = BUCKET_RATIO ** (Math.abs(bucket) - 1);
  const far = near * BUCKET_RATIO;
  return bucket > 0 ? [near, far] : [-far, -near];
}

/** At most 2 % from each length of the bucket. */
export function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.sign(bucket) * BUCKET_RATIO ** (Math.abs(bucket) - 0.5);
}

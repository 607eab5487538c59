// Lengths over many campaigns as they are shown: percentiles of histograms, by kind (http-api.md, "Over many campaigns"). Pure.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { LENGTH_KINDS } from '../store/rollup/counted-sends.js';
import {
  boundsOf,
  middleOf,
  type Histogram,
  type Histograms,
  type LengthsRow,
} from '../store/rollup/lengths.store.js';
import { Spread } from '../store/send/read/report.store.js';
import type { Comparison } from './comparison.js';
import { besideMembers, besideOf, ComparisonShown, key, KEYS, rowCampaign } from './report-rows.js';

const ms = z.number();
const Lengths = Spread.extend({
  buckets: listOf(z.object({ fromMs: ms, toMs: ms, count })).describe('From … up to, in order, none empty'),
})
  .describe('Nearest-rank percentiles at most 2 % off; the longest is exact; null where nothing was measured')
  .meta({ id: 'Lengths' });
type Lengths = z.output<typeof Lengths>;

const LengthKinds = z.object({
  immediate: Lengths.describe('From dueAt until the 202 was received, of sends at once'),
  reserved: Lengths.describe('From dueAt until completeTime, of reservations'),
  deferral: Lengths.describe('dueAt - intendedAt where that is more than 0: a decision, no lateness'),
  recovered: Lengths.describe('From the first due until a retry got through'),
});

const LatenessLine = LengthKinds.extend({
  key,
  campaign: rowCampaign,
  ...besideMembers(LengthKinds.extend({ key }).meta({ id: 'ComparedLatenessRow' })),
}).meta({ id: 'LatenessRow' });
export type LatenessLine = z.output<typeof LatenessLine>;

export const LatenessReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    comparison: ComparisonShown.optional(),
    totals: LengthKinds.extend(besideMembers(LengthKinds.meta({ id: 'ComparedLatenessTotals' })))
      .meta({ id: 'LatenessTotals' })
      .describe('Of all rows, whichever the page shows'),
    rows: listOf(LatenessLine),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'LatenessReport' });
type LengthKinds = z.output<typeof LengthKinds>;

/** `comparison`: where one was asked for. */
export const shownLengthsLine = (row: LengthsRow, comparison: Comparison | undefined): LatenessLine => ({
  key: row.key,
  ...(row.campaign !== undefined && { campaign: row.campaign }),
  ...shownLengths(row.lengths),
  ...(comparison !== undefined &&
    besideOf(row.compared, comparison.notComparedOf(row.key), (lengths) => ({
      key: comparison.keyOf(row.key),
      ...shownLengths(lengths),
    }))),
});

export const shownLengths = (histograms: Histograms): LengthKinds =>
  Object.fromEntries(LENGTH_KINDS.map((kind) => [kind, lengthsOf(histograms[kind])])) as LengthKinds;

function lengthsOf(histogram: Histogram | undefined): Lengths {
  if (histogram === undefined)
    return { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null, buckets: [] };
  const { buckets, maxMs } = histogram;
  const total = buckets.reduce((sum, [, lengths]) => sum + lengths, 0);
  const at = (share: number): number => {
    const rank = Math.ceil(share * total);
    let passed = 0;
    for (const [bucket, lengths] of buckets) {
      passed += lengths;
      if (passed >= rank) return Math.min(rounded(middleOf(bucket)), maxMs);
    }
    return maxMs;
  };
  return {
    count: total,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs,
    buckets: buckets.map(([bucket, lengths]) => {
      const [fromMs, toMs] = boundsOf(bucket);
      return { fromMs: rounded(fromMs), toMs: rounded(toMs), count: lengths };
    }),
  };
}

const rounded = (length: number): number => Math.round(length * 1_000) / 1_000;

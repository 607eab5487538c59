// Figures over many campaigns as they are shown: rates, percentiles of histograms, and whether the sums agree (http-api.md, "Reports").
// Pure.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/operation.js';
import { SEND_STATES } from '../decide/lifecycle/send-state.js';
import { LENGTH_KINDS } from '../store/rollup/counted-sends.js';
import { boundsOf, middleOf, type Histogram, type Histograms } from '../store/rollup/lengths.store.js';
import { GROUP_KEYS, type GroupKey } from '../store/rollup/report-parts.js';
import type { SummaryFigures, SummaryRow } from '../store/rollup/summary.store.js';
import { DEVICE_TERMS } from '../store/send/read/report-figures.js';
import { ReportFigures, REPORT_TERMS, Spread } from '../store/send/read/report.store.js';
import { balancedFigures, Rate, rateOf } from './campaign-report.js';

export const KEYS = Object.keys(GROUP_KEYS) as [GroupKey, ...GroupKey[]];

const key = z
  .partialRecord(z.enum(KEYS), z.string().nullable())
  .describe('By each key of groupBy; null: it has none, as a standing message has no due');

const SummaryShown = ReportFigures.pick({ sends: true, devices: true }).extend({
  sentRate: Rate.describe('Devices a provider took, of those targeted'),
  reasons: listOf(
    z.object({ state: z.enum(SEND_STATES), code: z.string().nullable(), sends: count }),
  ).describe(
    'Why sends came to something else than sent: left out, expired, failed, with nobody who may be told; the most first',
  ),
  final: z.boolean().describe('All of its sends have ended'),
  balanced: z.boolean().describe('Both sides of devices and of sends agree'),
});
type SummaryShown = z.output<typeof SummaryShown>;

const SummaryLine = SummaryShown.extend({
  key,
  campaign: z
    .object({ campaignId: z.string(), name: z.string().nullable() })
    .optional()
    .describe('Where groupBy names the campaign, whose key is our id'),
}).meta({ id: 'SummaryRow' });
export type SummaryLine = z.output<typeof SummaryLine>;

export const SummaryReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    final: z.boolean().describe('No figure moves any more by itself: all sends have ended, and `to` is past'),
    balanced: z.boolean().describe('Of the totals; and on a page with all rows, that these are their sums'),
    totals: SummaryShown.meta({ id: 'SummaryTotals' }).describe('Of all rows, whichever the page shows'),
    rows: listOf(SummaryLine),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SummaryReport' });

export function shownSummary(figures: SummaryFigures): SummaryShown {
  const { sends, devices, reasons, final } = figures;
  return {
    sends,
    devices,
    sentRate: rateOf(devices.sent, devices.target),
    reasons: reasons as SummaryShown['reasons'],
    final,
    balanced: balancedFigures(figures),
  };
}

export const shownLine = (row: SummaryRow): SummaryLine => ({
  key: row.key,
  ...(row.campaign !== undefined && { campaign: row.campaign }),
  ...shownSummary(row),
});

/** Whether these are all of the sums of these rows. */
export const areSums = (totals: SummaryFigures, rows: readonly SummaryFigures[]): boolean =>
  REPORT_TERMS.every((term) => rows.reduce((sum, row) => sum + row.sends[term], 0) === totals.sends[term]) &&
  DEVICE_TERMS.every(
    (term) => rows.reduce((sum, row) => sum + row.devices[term], 0) === totals.devices[term],
  );

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

export const LatenessReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    totals: LengthKinds.meta({ id: 'LatenessTotals' }).describe('Of all rows, whichever the page shows'),
    rows: listOf(LengthKinds.extend({ key }).meta({ id: 'LatenessRow' })),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'LatenessReport' });
type LengthKinds = z.output<typeof LengthKinds>;

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

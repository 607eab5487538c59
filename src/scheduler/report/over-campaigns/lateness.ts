// Lengths over many campaigns as they are shown: percentiles of histograms, by kind (reports.md, "Over many campaigns"). Pure.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { LENGTH_KINDS } from '../../store/rollup/counted-sends.js';
import { boundsOf, LENGTHS_REPORT, middleOf, type Histogram, type Histograms } from './lateness.store.js';
import { Spread, SPREAD_MEMBERS } from '../figures/report-figures.js';
import { ComparisonShown, groupedMembers, KEYS } from './grouped-answer.js';

const ms = z.number();
const Lengths = Spread.extend({
  buckets: listOf(z.object({ fromMs: ms, toMs: ms, count })).describe(
    'The buckets in order, without empty ones',
  ),
})
  .describe('Nearest-rank percentiles at most 2 % off; the longest is exact; null where nothing was measured')
  .meta({ id: 'Lengths' });
type Lengths = z.output<typeof Lengths>;

const LengthsByKind = z.object({
  immediate: Lengths.describe('From dueAt until the 202 was received, of sends at once'),
  reserved: Lengths.describe('From dueAt until completeTime, of reservations'),
  deferral: Lengths.describe('dueAt - intendedAt where that is more than 0: a decision, no lateness'),
  recovered: Lengths.describe('From the first due until a retry got through'),
});
type LengthsByKind = z.output<typeof LengthsByKind>;

export const LatenessReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    comparison: ComparisonShown.optional(),
    ...groupedMembers(LengthsByKind, 'Lateness'),
  })
  .meta({ id: 'LatenessReport' });

export const shownLengths = (histograms: Histograms): LengthsByKind =>
  Object.fromEntries(LENGTH_KINDS.map((kind) => [kind, lengthsOf(histograms[kind])])) as LengthsByKind;

export const LATENESS = {
  name: 'lateness',
  report: LENGTHS_REPORT,
  show: shownLengths,
  columns: LENGTH_KINDS.flatMap((kind) =>
    SPREAD_MEMBERS.map(
      (member) => [`${kind}.${member}`, (shown: LengthsByKind) => shown[kind][member]] as const,
    ),
  ),
};

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

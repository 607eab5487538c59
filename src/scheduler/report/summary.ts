// Sends and devices over many campaigns as they are shown: rates, what they stand beside, and whether the sums agree (http-api.md,
// "Over many campaigns"). Pure.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { SEND_STATES } from '../decide/lifecycle/send-state.js';
import { TOLD_OUTCOMES, type SummaryFigures, type SummaryRow } from '../store/rollup/summary.store.js';
import { DEVICE_TERMS } from '../store/send/read/report-figures.js';
import { ReportFigures, REPORT_TERMS } from '../store/send/read/report.store.js';
import { balancedFigures, Rate, rateOf } from './campaign-report.js';
import type { Comparison } from './comparison.js';
import { besideMembers, besideOf, ComparisonShown, key, KEYS, rowCampaign } from './report-rows.js';

const Told = z
  .object({
    devices: z.record(z.enum(TOLD_OUTCOMES), count),
    reasons: listOf(
      z.object({ outcome: z.enum(TOLD_OUTCOMES), reason: z.string().nullable(), devices: count }),
    ),
  })
  .describe(
    "Of these devices what the push service's breakdowns told, once it is told: `failed` of devices is failed and unknown here, `suppressed` were no targets, and of `notTold` nobody can tell more",
  )
  .meta({ id: 'Told' });

const SummaryShown = ReportFigures.pick({ sends: true, devices: true }).extend({
  sentRate: Rate.describe('Devices a provider took, of those targeted'),
  reasons: listOf(
    z.object({ state: z.enum(SEND_STATES), code: z.string().nullable(), sends: count }),
  ).describe(
    'Why sends came to something else than sent: left out, expired, failed, with nobody who may be told; the most first',
  ),
  final: z.boolean().describe('All of its sends have ended'),
  told: Told.optional().describe('Where groupBy names deviceType, country or language, or told=true'),
  balanced: z.boolean().describe('Both sides of devices and of sends agree'),
});
type SummaryShown = z.output<typeof SummaryShown>;

const SummaryLine = SummaryShown.extend({
  key,
  campaign: rowCampaign,
  ...besideMembers(SummaryShown.extend({ key }).meta({ id: 'ComparedSummaryRow' })),
}).meta({ id: 'SummaryRow' });
export type SummaryLine = z.output<typeof SummaryLine>;

const isFinal = z
  .boolean()
  .describe('No figure moves any more by itself: all sends have ended, and `to` is past');
const isBalanced = z
  .boolean()
  .describe('Of the totals; and on a page with all rows, that these are their sums');

export const SummaryReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    final: isFinal,
    balanced: isBalanced,
    comparison: ComparisonShown.extend({ final: isFinal.nullable(), balanced: isBalanced.nullable() })
      .meta({ id: 'SummaryComparison' })
      .optional(),
    totals: SummaryShown.extend(besideMembers(SummaryShown.meta({ id: 'ComparedSummaryTotals' })))
      .meta({ id: 'SummaryTotals' })
      .describe('Of all rows, whichever the page shows'),
    rows: listOf(SummaryLine),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SummaryReport' });

export function shownSummary(figures: SummaryFigures): SummaryShown {
  const { sends, devices, reasons, final, told } = figures;
  return {
    ...(told !== undefined && { told }),
    sends,
    devices,
    sentRate: rateOf(devices.sent, devices.target),
    reasons: reasons as SummaryShown['reasons'],
    final,
    balanced: balancedFigures(figures),
  };
}

/** `comparison`: where one was asked for. */
export const shownLine = (row: SummaryRow, comparison: Comparison | undefined): SummaryLine => ({
  key: row.key,
  ...(row.campaign !== undefined && { campaign: row.campaign }),
  ...shownSummary(row),
  ...(comparison !== undefined &&
    besideOf(row.compared, comparison.notComparedOf(row.key), (figures) => ({
      key: comparison.keyOf(row.key),
      ...shownSummary(figures),
    }))),
});

/** Whether these are all of the sums of these rows. */
export const areSums = (totals: SummaryFigures, rows: readonly SummaryFigures[]): boolean =>
  REPORT_TERMS.every((term) => rows.reduce((sum, row) => sum + row.sends[term], 0) === totals.sends[term]) &&
  DEVICE_TERMS.every(
    (term) => rows.reduce((sum, row) => sum + row.devices[term], 0) === totals.devices[term],
  ) &&
  TOLD_OUTCOMES.every(
    (outcome) =>
      rows.reduce((sum, row) => sum + (row.told?.devices[outcome] ?? 0), 0) ===
      (totals.told?.devices[outcome] ?? 0),
  );

// Sends and devices over many campaigns as they are shown: rates, and whether the sums agree (reports.md, "Over many
// campaigns"). Pure.
import { z } from 'zod';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { Reasons, summaryReport, Reported, REPORTED_OUTCOMES, type SummaryFigures } from './summary.store.js';
import { COUNT_COLUMNS, isBalanced, ReportFigures } from '../figures/report-figures.js';
import { Rate, sentRateOf } from '../campaign/report-json.js';
import type { Columns } from '../csv.js';
import { ComparisonShown, groupedMembers, KEYS } from './grouped-answer.js';

const SummaryShown = ReportFigures.pick({ sends: true, devices: true }).extend({
  sentRate: Rate.describe('Devices that a provider took, of those targeted'),
  reasons: Reasons,
  final: z.boolean().describe('All of its sends have ended'),
  reported: Reported.optional().describe(
    'Where groupBy names deviceType, country or language, or reported=true',
  ),
  balanced: z.boolean().describe('Both sides of devices and of sends agree'),
});
type SummaryShown = z.output<typeof SummaryShown>;

const isFinal = z
  .boolean()
  .describe('No figure changes any more by itself: all sends have ended, and `to` is past');
const areBalanced = z
  .boolean()
  .describe(
    'Both sides of the totals agree and, on a page with all rows, the totals are the sums of the rows',
  );

export const SummaryReport = z
  .object({
    asOf: z.iso.datetime(),
    groupBy: listOf(z.enum(KEYS)),
    final: isFinal,
    balanced: areBalanced,
    comparison: ComparisonShown.extend({ final: isFinal.nullable(), balanced: areBalanced.nullable() })
      .meta({ id: 'SummaryComparison' })
      .optional(),
    ...groupedMembers(SummaryShown, 'Summary'),
  })
  .meta({ id: 'SummaryReport' });
export type SummaryReport = z.output<typeof SummaryReport>;

const show = ({ reported, sends, devices, reasons, final }: SummaryFigures): SummaryShown => ({
  ...(reported !== undefined && { reported }),
  sends,
  devices,
  sentRate: sentRateOf({ devices }),
  reasons,
  final,
  balanced: isBalanced({ sends, devices }),
});

const COLUMNS: Columns<SummaryShown> = [
  ...COUNT_COLUMNS,
  ['sentRate', ({ sentRate }) => sentRate.rate],
  ...REPORTED_OUTCOMES.map(
    (outcome) => [`reported.${outcome}`, ({ reported }: SummaryShown) => reported?.devices[outcome]] as const,
  ),
  ['final', ({ final }) => final],
  ['balanced', ({ balanced }) => balanced],
];

/** `reported`: with the outcomes of breakdowns. */
export const summaryOf = (reported: boolean) => ({
  name: 'summary',
  report: summaryReport(reported),
  show,
  columns: COLUMNS.filter(([header]) => reported || !header.startsWith('reported.')),
});

/** Whether all of these totals are the sums of these rows. */
export const areSums = (totals: SummaryFigures, rows: readonly SummaryFigures[]): boolean =>
  COUNT_COLUMNS.every(([, of]) => rows.reduce((sum, row) => sum + of(row), 0) === of(totals)) &&
  REPORTED_OUTCOMES.every(
    (outcome) =>
      rows.reduce((sum, row) => sum + (row.reported?.devices[outcome] ?? 0), 0) ===
      (totals.reported?.devices[outcome] ?? 0),
  );

type SummaryPage = Omit<SummaryReport, 'final' | 'balanced' | 'comparison'> & {
  readonly comparison?: ComparisonShown;
};

/** The page with whether each side is final and its sums agree. `to`: the end of the range; `isWhole`: the page has all rows. */
export function checkedSummary(
  { asOf, groupBy, comparison, ...page }: SummaryPage,
  { to, isWhole }: { readonly to: string | null; readonly isWhole: boolean },
): SummaryReport {
  const { totals, rows } = page;
  const { compared } = totals;
  const isOver = (end: string | null): boolean => end !== null && Date.parse(end) <= Date.parse(asOf);
  const areAllCompared = rows.every(({ notCompared }) => notCompared === null);
  const sumsAgree = (
    total: SummaryFigures & Pick<SummaryShown, 'balanced'>,
    summed: readonly SummaryFigures[],
    hasAll: boolean,
  ): boolean => total.balanced && (!hasAll || areSums(total, summed));
  return {
    asOf,
    groupBy,
    final: totals.final && isOver(to),
    balanced: sumsAgree(totals, rows, isWhole),
    ...(comparison !== undefined && {
      comparison: {
        ...comparison,
        final: compared ? compared.final && isOver(comparison.to) : null,
        balanced: compared
          ? sumsAgree(
              compared,
              rows.flatMap((row) => row.compared ?? []),
              isWhole && areAllCompared,
            )
          : null,
      },
    }),
    ...page,
  };
}

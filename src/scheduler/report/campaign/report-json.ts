// A campaign's report as JSON: the database's totals and rows, their rates, and whether every sum agrees (reports.md, "One
// campaign"). Pure, and holds one page at a time: it adds figures up only to check the totals.
import { z } from 'zod';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import { CLOSED_CAMPAIGN } from '../../decide/lifecycle/campaign-state.js';
import { SkippedOccurrence } from '../../store/occurrence.store.js';
import { CampaignRow } from '../../store/read/campaign.store.js';
import { COUNT_COLUMNS, isBalanced, ReportFigures } from '../figures/report-figures.js';
import { Funnel } from './funnel.js';
import { ReportCell, type ReportRow } from './report-rows.store.js';
import { StandingDay } from '../../store/read/standing.store.js';

export const Rate = z
  .object({ numerator: count, denominator: count, rate: z.number().nullable().describe('null for 0/0') })
  .meta({ id: 'Rate' });

const ShownFigures = ReportFigures.extend({
  sentRate: Rate.describe('Devices that a provider took, of those targeted'),
  balanced: z
    .boolean()
    .describe('Both sides of devices and of sends agree; in the totals also: they are the sums of the rows'),
});
export type ShownFigures = z.output<typeof ShownFigures>;
export type ShownRow = ReportCell & ShownFigures;

export const CampaignReport = z
  .object({
    campaign: CampaignRow.pick({
      id: true,
      serviceId: true,
      campaignId: true,
      name: true,
      state: true,
      revision: true,
    }),
    asOf: z.iso.datetime(),
    final: z.boolean().describe('The campaign has ended and no figure changes any more by itself'),
    balanced: z.boolean(),
    rows: listOf(z.object({ ...ReportCell.shape, ...ShownFigures.shape }).meta({ id: 'ReportRow' })),
    totals: ShownFigures.meta({ id: 'ReportTotals' }),
    funnel: Funnel,
    standing: listOf(StandingDay).describe(
      'What its standing messages had come to at the end of each UTC day, cumulative',
    ),
    skipped: listOf(SkippedOccurrence).describe(
      'Occurrences that planning left out; one that could not be planned (PLANNING_FAILED) has no rows',
    ),
  })
  .meta({ id: 'CampaignReport' });
export type CampaignReport = z.output<typeof CampaignReport>;

/** All rows are of one moment. */
export interface CountedRows extends Pick<CampaignReport, 'campaign' | 'asOf'> {
  /** In pages. */
  readonly rows: AsyncIterable<readonly ReportRow[]>;
}
export interface CountedReport extends CountedRows, Pick<CampaignReport, 'funnel' | 'standing' | 'skipped'> {
  readonly totals: ReportFigures;
}

/** CampaignReport as JSON, page by page. */
export async function* reportJson(counted: CountedReport): AsyncGenerator<string, void, void> {
  const { campaign, asOf, rows, totals, funnel, standing, skipped } = counted;
  yield `${JSON.stringify({ campaign, asOf } satisfies Partial<CampaignReport>).slice(0, -1)},"rows":[`;
  let sums = COUNT_COLUMNS.map(() => 0);
  let areBalanced = true;
  let comma = '';
  for await (const page of shownPages(rows)) {
    yield `${comma}${page.map((row) => JSON.stringify(row)).join(',')}`;
    comma = ',';
    areBalanced &&= page.every((row) => row.balanced);
    sums = COUNT_COLUMNS.map(([, of], at) => page.reduce((sum, row) => sum + of(row), sums[at] ?? 0));
  }
  const shownTotals = shown(totals);
  const areSums = COUNT_COLUMNS.every(([, of], at) => of(totals) === sums[at]);
  const balanced = shownTotals.balanced && areBalanced && areSums;
  yield `],${JSON.stringify({
    totals: { ...shownTotals, balanced },
    final: (CLOSED_CAMPAIGN as readonly string[]).includes(campaign.state) && totals.final,
    balanced,
    funnel,
    standing,
    skipped,
  } satisfies Partial<CampaignReport>).slice(1)}`;
}

export async function* shownPages(
  pages: CountedRows['rows'],
): AsyncGenerator<readonly ShownRow[], void, void> {
  for await (const page of pages) yield page.map((row) => ({ ...row, ...shown(row) }));
}

const shown = (figures: ReportFigures): ShownFigures => ({
  ...figures,
  sentRate: sentRateOf(figures),
  balanced: isBalanced(figures),
});

export function sentRateOf({ devices }: Pick<ReportFigures, 'devices'>): z.output<typeof Rate> {
  const { sent: numerator, target: denominator } = devices;
  return { numerator, denominator, rate: denominator === 0 ? null : numerator / denominator };
}

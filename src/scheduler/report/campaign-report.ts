// A campaign's report as it is shown: the database's rows and totals, their rates, and whether every sum agrees
// (http-api.md, "Reports"). Pure: it never counts anything anew but to check.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/operation.js';
import {
  DEVICE_TERMS,
  REPORT_TERMS,
  ReportCell,
  ReportFigures,
  type ReportRows,
} from '../store/send/read/report.store.js';
import { CampaignRow } from '../store/send/read/campaign.store.js';
import { SkippedOccurrence } from '../store/occurrence.store.js';
import { StandingDay } from '../store/send/read/standing.store.js';
import { CLOSED_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';
import { SEND_TERMS } from '../decide/lifecycle/send-state.js';

const Rate = z
  .object({ numerator: count, denominator: count, rate: z.number().nullable().describe('null for 0/0') })
  .meta({ id: 'Rate' });
type Rate = z.output<typeof Rate>;

const ShownFigures = ReportFigures.extend({
  sentRate: Rate.describe('Devices a provider took, of those targeted'),
  balanced: z
    .boolean()
    .describe('Both sides of devices and of sends agree; of the totals: and they are the sums of the rows'),
});
export type ShownFigures = z.output<typeof ShownFigures>;

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
    final: z.boolean().describe('The campaign has ended and no figure moves any more by itself'),
    balanced: z.boolean(),
    rows: listOf(z.object({ ...ReportCell.shape, ...ShownFigures.shape }).meta({ id: 'ReportRow' })),
    totals: ShownFigures.meta({ id: 'ReportTotals' }),
    standing: listOf(StandingDay).describe(
      'What its standing messages had come to at the end of each UTC day, cumulative',
    ),
    skipped: listOf(SkippedOccurrence).describe(
      'Occurrences that planning left out; one that could not be planned (PLANNING_FAILED) has no rows',
    ),
  })
  .meta({ id: 'CampaignReport' });
export type CampaignReport = z.output<typeof CampaignReport>;

export function campaignReport(
  campaign: CampaignReport['campaign'],
  { rows, totals }: ReportRows,
  { standing, skipped }: Pick<CampaignReport, 'standing' | 'skipped'>,
  asOf: string,
): CampaignReport {
  const shownRows = rows.map((row) => ({ ...row, ...shown(row) }));
  const shownTotals = shown(totals);
  const balanced = shownTotals.balanced && shownRows.every((row) => row.balanced) && addsUp(rows, totals);
  return {
    campaign,
    asOf,
    final: (CLOSED_CAMPAIGN as readonly string[]).includes(campaign.state) && totals.final,
    balanced,
    rows: shownRows,
    totals: { ...shownTotals, balanced },
    standing,
    skipped,
  };
}

function shown(figures: ReportFigures): ShownFigures {
  const { sends, devices } = figures;
  const ends = SEND_TERMS.reduce((sum, term) => sum + sends[term], 0);
  const reached = devices.sent + devices.failed + devices.pending + devices.unknown;
  return {
    ...figures,
    sentRate: rateOf(devices.sent, devices.target),
    balanced: sends.planned === ends && devices.target === reached,
  };
}

export function rateOf(numerator: number, denominator: number): Rate {
  return { numerator, denominator, rate: denominator === 0 ? null : numerator / denominator };
}

/** Totals were counted by the database on their own, so this can fail. */
function addsUp(rows: ReportRows['rows'], totals: ReportFigures): boolean {
  return (
    REPORT_TERMS.every(
      (term) => rows.reduce((sum, row) => sum + row.sends[term], 0) === totals.sends[term],
    ) &&
    DEVICE_TERMS.every(
      (term) => rows.reduce((sum, row) => sum + row.devices[term], 0) === totals.devices[term],
    )
  );
}

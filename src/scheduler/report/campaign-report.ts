// A campaign's report as it is shown: the database's totals and rows, their rates, and whether every sum agrees
// (http-api.md, "Reports"). Pure, and holds a page at a time: it never counts anything anew but to check.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { DEVICE_TERMS, type DeviceTerm } from '../store/send/read/report-figures.js';
import {
  REPORT_TERMS,
  ReportCell,
  ReportFigures,
  type ReportRow,
  type ReportTerm,
} from '../store/send/read/report.store.js';
import { CampaignRow } from '../store/send/read/campaign.store.js';
import { SkippedOccurrence } from '../store/occurrence.store.js';
import { StandingDay } from '../store/send/read/standing.store.js';
import { CLOSED_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';
import { SEND_TERMS } from '../decide/lifecycle/send-state.js';

export const Rate = z
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

/** Of one moment. */
export interface CountedRows extends Pick<CampaignReport, 'campaign' | 'asOf'> {
  /** In pages. */
  readonly rows: AsyncIterable<readonly ReportRow[]>;
}
export interface CountedReport extends CountedRows, Pick<CampaignReport, 'standing' | 'skipped'> {
  readonly totals: ReportFigures;
}

/** CampaignReport as JSON, page by page. */
export async function* reportJson(counted: CountedReport): AsyncGenerator<string, void, void> {
  const { campaign, asOf, rows, totals, standing, skipped } = counted;
  yield `${JSON.stringify({ campaign, asOf } satisfies Partial<CampaignReport>).slice(0, -1)},"rows":[`;
  const sums = new RowSums();
  for await (const page of shownPages(rows)) {
    yield `${sums.isEmpty ? '' : ','}${page.map((row) => JSON.stringify(row)).join(',')}`;
    sums.add(page);
  }
  const shownTotals = shown(totals);
  const balanced = shownTotals.balanced && sums.balanced && sums.areThose(totals);
  yield `],${JSON.stringify({
    totals: { ...shownTotals, balanced },
    final: (CLOSED_CAMPAIGN as readonly string[]).includes(campaign.state) && totals.final,
    balanced,
    standing,
    skipped,
  } satisfies Partial<CampaignReport>).slice(1)}`;
}

export async function* shownPages(
  pages: CountedRows['rows'],
): AsyncGenerator<readonly (ReportRow & ShownFigures)[], void, void> {
  for await (const page of pages) yield page.map((row) => ({ ...row, ...shown(row) }));
}

function shown(figures: ReportFigures): ShownFigures {
  const { devices } = figures;
  return {
    ...figures,
    sentRate: rateOf(devices.sent, devices.target),
    balanced: balancedFigures(figures),
  };
}

/** Whether both sides of sends and of devices agree. */
export function balancedFigures({ sends, devices }: Pick<ReportFigures, 'sends' | 'devices'>): boolean {
  const ends = SEND_TERMS.reduce((sum, term) => sum + sends[term], 0);
  const reached = devices.sent + devices.failed + devices.pending + devices.unknown;
  return sends.planned === ends && devices.target === reached;
}

export function rateOf(numerator: number, denominator: number): Rate {
  return { numerator, denominator, rate: denominator === 0 ? null : numerator / denominator };
}

/** Adds rows up as they go by. Totals were counted by the database on their own, so that they may be others. */
class RowSums {
  balanced = true;
  isEmpty = true;
  readonly #sends = new Map<ReportTerm, number>();
  readonly #devices = new Map<DeviceTerm, number>();

  add(rows: readonly ShownFigures[]): void {
    this.isEmpty = false;
    for (const row of rows) {
      this.balanced &&= row.balanced;
      for (const term of REPORT_TERMS) addTo(this.#sends, term, row.sends[term]);
      for (const term of DEVICE_TERMS) addTo(this.#devices, term, row.devices[term]);
    }
  }

  areThose({ sends, devices }: ReportFigures): boolean {
    return (
      REPORT_TERMS.every((term) => (this.#sends.get(term) ?? 0) === sends[term]) &&
      DEVICE_TERMS.every((term) => (this.#devices.get(term) ?? 0) === devices[term])
    );
  }
}

function addTo<Key>(sums: Map<Key, number>, key: Key, value: number): void {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

// A campaign's report as it is shown: the database's rows and totals, their rates, and whether every sum agrees
// (http-api.md, "Reports"). Pure: it never counts anything anew but to check.
import {
  DEVICE_TERMS,
  REPORT_TERMS,
  type ReportCell,
  type ReportFigures,
  type ReportRows,
} from '../store/send/read/report.store.js';
import type { CampaignRow } from '../store/send/read/campaign.store.js';
import type { SkippedOccurrence } from '../store/occurrence.store.js';
import type { StandingDay } from '../store/send/read/standing.store.js';
import { CLOSED_CAMPAIGN } from '../decide/lifecycle/campaign-state.js';
import { SEND_TERMS } from '../decide/lifecycle/send-state.js';

export interface Rate {
  readonly numerator: number;
  readonly denominator: number;
  /** null for 0/0. */
  readonly rate: number | null;
}

export interface ShownFigures extends ReportFigures {
  /** Devices a provider took, of those targeted. */
  readonly sentRate: Rate;
  /** Both sides of devices and of sends agree; of the totals: and they are the sums of the rows. */
  readonly balanced: boolean;
}

export interface CampaignReport {
  readonly campaign: CampaignRow;
  /** ISO instant of the reading. */
  readonly asOf: string;
  /** The campaign has ended and no figure moves any more by itself. */
  readonly final: boolean;
  readonly balanced: boolean;
  readonly rows: readonly (ReportCell & ShownFigures)[];
  readonly totals: ShownFigures;
  /** What its standing messages had come to at the end of each UTC day, cumulative; empty where there is none. */
  readonly standing: readonly StandingDay[];
  /** Occurrences that planning left out, with why; one that could not be planned (PLANNING_FAILED) has no rows. */
  readonly skipped: readonly SkippedOccurrence[];
}

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

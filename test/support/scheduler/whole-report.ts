// A campaign's report with all its rows at once, as it is counted and as it is shown.
import type { Database } from '../../../src/platform/database/database.js';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import { funnelOf } from '../../../src/scheduler/report/campaign/funnel.js';
import { funnelCounts } from '../../../src/scheduler/report/campaign/funnel.store.js';
import { reportJson, type CampaignReport } from '../../../src/scheduler/report/campaign/report-json.js';
import { reportCsv } from '../../../src/scheduler/report/campaign/report-csv.js';
import { campaignById } from '../../../src/scheduler/store/read/campaign.store.js';
import type { ReportFigures } from '../../../src/scheduler/report/figures/report-figures.js';
import {
  reportRows,
  reportTotals,
  type ReportRow,
} from '../../../src/scheduler/report/campaign/report-rows.store.js';
import { csvLines } from './report-figures.js';

export interface WholeReport {
  readonly rows: readonly ReportRow[];
  readonly totals: ReportFigures;
}

export async function wholeReport(database: Database, campaign: string): Promise<WholeReport> {
  return inSnapshot(database, async (sql) => {
    const rows: ReportRow[] = [];
    for await (const page of reportRows(sql, campaign)) rows.push(...page);
    return { rows, totals: await reportTotals(sql, campaign) };
  });
}

export interface ShownReport {
  readonly json: CampaignReport;
  /** By header. */
  readonly csv: readonly Readonly<Record<string, string>>[];
}

/** As the API answers it, both of one moment. */
export async function shownReport(database: Database, id: string): Promise<ShownReport> {
  return inSnapshot(database, async (sql) => {
    const campaign = await campaignById(sql, id);
    if (campaign === undefined) throw new Error(`no campaign ${id}`);
    const totals = await reportTotals(sql, id);
    const counts = await funnelCounts(sql, id);
    const counted = (): Parameters<typeof reportJson>[0] => ({
      campaign,
      asOf: '2027-03-01T00:00:00.000Z',
      rows: reportRows(sql, id),
      totals,
      funnel: funnelOf({ ...counts, campaign: id, devices: totals.devices }),
      standing: [],
      skipped: [],
    });
    let json = '';
    for await (const part of reportJson(counted())) json += part;
    await sql.query('close report_rows');
    let csv = '';
    for await (const part of reportCsv(counted())) csv += part;
    return { json: JSON.parse(json) as CampaignReport, csv: csvLines(csv) };
  });
}

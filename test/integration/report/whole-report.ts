// A campaign's report with all its rows at once.
import type { Database } from '../../../src/platform/database/database.js';
import { inSnapshot } from '../../../src/platform/database/snapshot.js';
import {
  reportRows,
  reportTotals,
  type ReportFigures,
  type ReportRow,
} from '../../../src/scheduler/store/send/read/report.store.js';

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

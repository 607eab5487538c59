// Installs the report views, which are made of the report's own SQL (src/scheduler/report/figures/report-views.ts). A migration
// installs them as that file has them now, so a later migration installs them anew.
import { BREAKDOWN_VIEW } from '../src/scheduler/report/figures/breakdown-view.js';
import { REPORT_VIEWS, viewStatements } from '../src/scheduler/report/figures/report-views.js';

const VIEWS = { ...REPORT_VIEWS, report_breakdown: BREAKDOWN_VIEW };

interface Runner {
  query(statements: string): Promise<unknown>;
}

/** Replaces the views, whatever columns they had, and grants them to their readers. */
export async function installReportViews(runner: Runner): Promise<void> {
  await dropReportViews(runner);
  for (const [name, view] of Object.entries(VIEWS)) await runner.query(viewStatements(name, view));
  await runner.query('select grant_reports()');
}

export async function dropReportViews(runner: Runner): Promise<void> {
  await runner.query(`drop view if exists ${Object.keys(VIEWS).join(', ')}`);
}

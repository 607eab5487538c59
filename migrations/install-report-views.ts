// The report views are made of the report's own SQL (src/scheduler/report/figures/report-views.ts). Each migration installs them as
// they are there at present, so a later migration installs them anew.
import { createHash } from 'node:crypto';
import {
  REPORT_VIEWS,
  viewStatements,
  type ReportView,
} from '../src/scheduler/report/figures/report-views.js';

interface Runner {
  query(statements: string): Promise<unknown>;
}

/** Replaces the views, whatever their columns were, and grants them to their readers. */
export async function installReportViews(runner: Runner): Promise<void> {
  await dropReportViews(runner);
  for (const [name, view] of Object.entries(REPORT_VIEWS)) await runner.query(viewStatements(name, view));
  await runner.query('select grant_reports()');
}

export async function dropReportViews(runner: Runner): Promise<void> {
  await runner.query(`drop view if exists ${Object.keys(REPORT_VIEWS).join(', ')}`);
}

/** A digest of the views' statements. The newest migration that installs them names it, so that no view changes without one. */
export function viewsDigest(views: Readonly<Record<string, ReportView>>): string {
  const statements = Object.entries(views).map(([name, view]) => viewStatements(name, view));
  return createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 16);
}

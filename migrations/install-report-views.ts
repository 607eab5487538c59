// The views of reports are made of the report's own SQL (src/scheduler/store/send/read/report-views.ts). What is installed is
// always what stands there now, so that a later migration installs them anew.
import { createHash } from 'node:crypto';
import { REPORT_VIEWS, viewStatements } from '../src/scheduler/store/send/read/report-views.js';

interface Runner {
  query(statements: string): Promise<unknown>;
}

/** In place of those that are there, whatever their columns were, with the grants of who reads them. */
export async function installReportViews(runner: Runner): Promise<void> {
  await dropReportViews(runner);
  for (const [name, view] of Object.entries(REPORT_VIEWS)) await runner.query(viewStatements(name, view));
  await runner.query('select grant_reports()');
}

export async function dropReportViews(runner: Runner): Promise<void> {
  await runner.query(`drop view if exists ${Object.keys(REPORT_VIEWS).join(', ')}`);
}

/** Of all their statements: the newest migration that installs them names it, so that none changes without one. */
export function reportViewsDigest(): string {
  const statements = Object.entries(REPORT_VIEWS).map(([name, view]) => viewStatements(name, view));
  return createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 16);
}

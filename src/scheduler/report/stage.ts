// Reports, lists and the ledger, read from the database of reports.
import type { Type } from '@nestjs/common';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { CampaignsController } from './lists/campaigns.controller.js';
import { FailuresController } from './lists/failures.controller.js';
import { SendsController } from './lists/sends.controller.js';
import { reportMetrics } from './metrics.js';
import { SummariesController } from './over-campaigns/summaries.controller.js';
import { ReportDatabase } from './report-database.js';
import { WATCH_LEDGER_MS, WatchLedger } from './ledger/watch-ledger.js';
import { SearchController } from './search/search.controller.js';
import { ReportsController } from './reports.controller.js';

export const REPORT_CONTROLLERS: readonly Type[] = [
  CampaignsController,
  FailuresController,
  ReportsController,
  SearchController,
  SendsController,
  SummariesController,
];

export function reportStage({ config, reports, planning: sql, clock }: Core): Stage {
  const watch = new WatchLedger({
    sql,
    reports: reports.for(['alerts']),
    clock,
    backMs: config.alerts.ledgerMs,
  });
  return {
    loops: config.roles.has('follow')
      ? [{ name: 'ledger', idleMs: WATCH_LEDGER_MS, runOnce: () => watch.runOnce() }]
      : [],
    providers: [{ provide: ReportDatabase, useValue: reports }],
    checks:
      config.reportUrl === undefined
        ? []
        : [{ name: 'reports', isNote: true, find: () => reports.finding() }],
    metrics: reportMetrics(reports),
  };
}

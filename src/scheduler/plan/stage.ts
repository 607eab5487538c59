// Planning (role plan), the closing of campaigns (role follow), and previews (every role).
import type { Type } from '@nestjs/common';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import { noteByDatabase, type HealthCheck } from '../../platform/http/health.js';
import type { LoopOptions } from '../../platform/loops/loops.js';
import type { Core } from '../core.js';
import type { DraftReader, LookUps } from '../decide/plan/plan-ports.js';
import { zoneRulesInForce } from '../store/zone-rules-in-force.store.js';
import { CloseFinished } from './close-finished.js';
import { ForecastController } from './forecast/forecast.controller.js';
import { ForecastReader } from './forecast/read-forecast.js';
import { WATCH_FORECAST_MS, WatchForecast } from './forecast/watch-forecast.js';
import { planMetrics } from './metrics.js';
import { PlanDue } from './plan-due.js';
import { PlanMaker } from './plan-maker.js';
import { PlansController } from './plans.controller.js';
import { PreviewPlan } from './preview-plan.js';
import { PreviewRevision } from './revise/preview-revision.js';
import { MoveZoneRules } from './rules/move-zone-rules.js';

export const PLAN_CONTROLLERS: readonly Type[] = [PlansController, ForecastController];

/** How soon the rules in force are noticed, and campaigns that waited for another revision. */
const RULES_IDLE_MS = 1_000;

export function planStage(core: Core, drafts: DraftReader, lookUps: LookUps) {
  const { config, planning: database, clock, log, tracing, rules, projects, loops } = core;
  const { roles, mostCells, offsetCacheMs, planAheadMs, loopIdleMs: idleMs } = config;
  const maker = new PlanMaker({ rules, tzdata: config.tzdataDir, pool: core.workers });
  const metrics = planMetrics(core);
  const common = { clock, rules, plans: maker, projects, offsetCacheMs, mostCells, planAheadMs };
  const reader = forecastReader(core);
  const own: LoopOptions[] = [];
  if (roles.has('plan')) {
    const wrote = (plans: number, cells: number): void => {
      metrics.plans.inc(plans);
      metrics.cells.inc(cells);
    };
    const deps = { ...common, database, log, tracing, givenUp: () => metrics.givenUp.inc(), wrote };
    // Only for a backlog: while one waits for the database, the other plans.
    const beside = new PlanDue(deps);
    own.push({ name: 'plan-beside', idleMs, runOnce: () => beside.runOnce() });
    const plan = new PlanDue({ ...deps, more: () => loops.wake('plan-beside') });
    own.push({ name: 'plan', idleMs, runOnce: () => plan.runOnce() });
    const moves = new MoveZoneRules({ database, clock, log, rules });
    own.push({ name: 'zone-rules', idleMs: RULES_IDLE_MS, runOnce: () => moves.runOnce() });
    const watch = new WatchForecast({ sql: database, clock, reader, aheadMs: config.alerts.deadlineMs });
    own.push({ name: 'forecast', idleMs: WATCH_FORECAST_MS, runOnce: () => watch.runOnce() });
  }
  if (roles.has('follow')) {
    const close = new CloseFinished(database, clock);
    own.push({ name: 'close', idleMs, runOnce: () => close.runOnce() });
  }
  const plans = new PreviewPlan({
    ...common,
    database: new JoinedDatabase(database),
    drafts,
    lookUps,
    mostPreviewBytes: config.budgets.previewBytes,
  });
  const revisions = new PreviewRevision({ ...common, database, plans: maker });
  return {
    plans,
    revisions,
    providers: [
      { provide: PreviewPlan, useValue: plans },
      { provide: PreviewRevision, useValue: revisions },
      { provide: ForecastReader, useValue: reader },
    ],
    loops: own,
    checks: roles.has('plan') ? [zoneRulesCheck(core)] : [],
    metrics: Object.values(metrics),
  };
}

/** A process with other zone rules than those in force does all but plan. */
function zoneRulesCheck({ planning, rules: { version } }: Core): HealthCheck {
  return noteByDatabase('zoneRules', async () => {
    const inForce = await zoneRulesInForce(planning);
    return inForce === undefined || inForce.version === version
      ? undefined
      : `it has zone rules ${version} and plans nothing: ${inForce.version} are in force. Give it these, and restart it`;
  });
}

function forecastReader({ reports, api: previews, clock, workers }: Core): ForecastReader {
  return new ForecastReader({ reports, previews, clock, workers });
}

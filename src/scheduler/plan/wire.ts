// Wires planning (role plan), the closing of campaigns (role follow), and previews (every role).
import { Counter } from 'prom-client';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { Core } from '../core.js';
import type { DraftReader, LookUps } from '../decide/plan/plan-ports.js';
import { CloseFinished } from './close-finished.js';
import { PlanDue } from './plan-due.js';
import { PlanMaker } from './plan-maker.js';
import { PreviewPlan } from './preview-plan.js';

export function wirePlan(core: Core, drafts: DraftReader, lookUps: LookUps): PreviewPlan {
  const { config, planning: database, clock, log, tracing, rules, projects, loops, metrics } = core;
  const { roles, mostCells, offsetCacheMs, planAheadMs, loopIdleMs: idleMs } = config;
  const plans = new PlanMaker({ rules, tzdata: config.tzdataDir, pool: core.workers });
  const givenUp = new Counter({
    name: 'carillon_plannings_given_up_total',
    help: 'plannings that failed too often: a campaign was rejected or an occurrence skipped as PLANNING_FAILED',
    registers: [metrics],
  });
  if (roles.has('plan')) {
    const parts = { database, clock, log, tracing, rules, plans, projects, offsetCacheMs };
    const common = { ...parts, mostCells, planAheadMs, givenUp: () => givenUp.inc() };
    // Only for a backlog: while one waits for the database, the other plans.
    const beside = new PlanDue(common);
    loops.add({ name: 'plan-beside', idleMs, runOnce: () => beside.runOnce() });
    const plan = new PlanDue({ ...common, more: () => loops.wake('plan-beside') });
    loops.add({ name: 'plan', idleMs, runOnce: () => plan.runOnce() });
  }
  if (roles.has('follow')) {
    const close = new CloseFinished(database, clock);
    loops.add({ name: 'close', idleMs, runOnce: () => close.runOnce() });
  }
  const mostPreviewBytes = core.config.budgets.previewBytes;
  return new PreviewPlan({
    database: new JoinedDatabase(database),
    clock,
    rules,
    plans,
    drafts,
    lookUps,
    projects,
    offsetCacheMs,
    mostCells,
    planAheadMs,
    mostPreviewBytes,
  });
}

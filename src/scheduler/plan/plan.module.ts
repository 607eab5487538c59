// Wires planning (role plan) and the closing of campaigns (role follow) to their loops.
import { Module } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG, METRICS, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { CloseFinished } from './close-finished.js';
import { PlanDue } from './plan-due.js';
import { PlansController } from './plans.controller.js';

@Module({
  controllers: [PlansController],
  providers: [
    {
      provide: PlanDue,
      inject: [SCHEDULER_CONFIG, Database, CLOCK, LOG, ZONE_RULES, PROJECTS, Loops, METRICS],
      useFactory: planDueFrom,
    },
    {
      provide: CloseFinished,
      inject: [SCHEDULER_CONFIG, Database, CLOCK, Loops],
      useFactory: closeFinishedFrom,
    },
  ],
})
export class PlanModule {}

function planDueFrom(
  config: SchedulerConfig,
  database: Database,
  clock: Clock,
  log: Log,
  rules: ZoneRules,
  projects: ProjectStore,
  loops: Loops,
  metrics: Registry,
): PlanDue {
  const givenUp = new Counter({
    name: 'carillon_plannings_given_up_total',
    help: 'plannings that failed too often: a campaign was rejected or an occurrence skipped as PLANNING_FAILED',
    registers: [metrics],
  });
  const planDue = new PlanDue({
    database,
    clock,
    log,
    rules,
    projects,
    offsetCacheMs: config.offsetCacheMs,
    givenUp: () => givenUp.inc(),
  });
  if (config.roles.has('plan')) {
    loops.add({ name: 'plan', idleMs: config.loopIdleMs, runOnce: () => planDue.runOnce() });
  }
  return planDue;
}

function closeFinishedFrom(
  config: SchedulerConfig,
  database: Database,
  clock: Clock,
  loops: Loops,
): CloseFinished {
  const close = new CloseFinished(database, clock);
  if (config.roles.has('follow')) {
    loops.add({ name: 'close', idleMs: config.loopIdleMs, runOnce: () => close.runOnce() });
  }
  return close;
}

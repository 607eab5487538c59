// Alerts and status: what needs a person, from what the other stages leave in the database. The loop `alerts` runs in every process,
// and one of them judges at a time.
import type { Type } from '@nestjs/common';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { AlertsController } from './alerts.controller.js';
import { JUDGE_EVERY_MS, JudgeAlerts } from './judge-alerts.js';
import { alertMetrics } from './metrics.js';
import { Readings } from './readings/readings.js';
import { ReadStatus } from './status/read-status.js';
import { StatusController } from './status/status.controller.js';

export const ALERTS_CONTROLLERS: readonly Type[] = [StatusController, AlertsController];

export function alertsStage(core: Core): Stage {
  const { config, api: sql, clock, rules, kafka, loops, log } = core;
  const { alerts: limits, replicaSilentMs, diskBytes } = config;
  const readings = new Readings({
    sql,
    clock,
    rules,
    replicaSilentMs,
    diskBytes,
    consumers: kafka === undefined ? ['rollup'] : ['publish', 'rollup'],
    kafkaLag: undefined,
  });
  const judge = new JudgeAlerts({ database: sql, readings, limits, clock, log });
  return {
    providers: [{ provide: ReadStatus, useValue: new ReadStatus({ sql, readings, limits, loops }) }],
    loops: [{ name: 'alerts', runOnce: () => judge.runOnce(), idleMs: JUDGE_EVERY_MS }],
    metrics: alertMetrics(sql),
  };
}

// Alerts and status: what needs a person, from what the other stages leave in the database. The loop `alerts` runs in every process,
// and one of them judges at a time.
import type { Type } from '@nestjs/common';
import { machineNow } from '../../platform/clock.js';
import { Sealer } from '../../platform/secrets/sealed.js';
import type { Core } from '../core.js';
import { AlertsController } from './alerts.controller.js';
import { JUDGE_EVERY_MS, JudgeAlerts } from './judge-alerts.js';
import { alertMetrics } from './metrics.js';
import { readLag } from './readings/backlog.store.js';
import { Readings } from './readings/readings.js';
import { ReadStatus } from './status/read-status.js';
import { SendWebhooks } from './webhooks/send-webhooks.js';
import { WebhookClient } from './webhooks/webhook-client.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { StatusController } from './status/status.controller.js';

export const ALERTS_CONTROLLERS: readonly Type[] = [StatusController, AlertsController, WebhooksController];

/** Real milliseconds between two looks for webhooks that have something to be told. */
const WEBHOOKS_EVERY_MS = 2_000;

export function alertsStage(core: Core) {
  const { config, api: sql, planning: database, clock, rules, kafka, topics, loops, log, sealer } = core;
  const { alerts: limits, replicaSilentMs, diskBytes } = config;
  // Status and judge share one, which takes no connection from requests: a status is answered while they are all busy.
  const readings = new Readings({
    sql: database,
    clock,
    rules,
    replicaSilentMs,
    diskBytes,
    consumers: kafka === undefined ? ['rollup', 'stream'] : ['publish', 'rollup', 'stream'],
    kafkaLag: kafka && (async () => readLag(database, await kafka.offsets(topics.events))),
  });
  const judge = new JudgeAlerts({ database, readings, limits, clock, log });
  const client = new WebhookClient();
  const webhooks = new SendWebhooks({
    database: sql,
    sealer,
    client,
    clock,
    wall: core.wall ?? machineNow,
    log,
  });
  return {
    /** Ends every open post: its message is tried again. */
    stop: () => client.close(),
    providers: [
      { provide: ReadStatus, useValue: new ReadStatus({ sql, readings, limits, loops }) },
      { provide: SendWebhooks, useValue: webhooks },
      { provide: Sealer, useValue: sealer },
    ],
    loops: [
      { name: 'alerts', runOnce: () => judge.runOnce(), idleMs: JUDGE_EVERY_MS },
      { name: 'webhooks', runOnce: () => webhooks.runOnce(), idleMs: WEBHOOKS_EVERY_MS },
    ],
    metrics: alertMetrics(sql, readings),
  };
}

// Puts the scheduler together and starts it, in the process that calls: main.ts, a test, the demo. Comes up without a
// database or Kafka and says so in /health/ready.
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { Clock } from '../platform/clock.js';
import { Database } from '../platform/database.js';
import { DatabaseGate } from '../platform/database-gate.js';
import { DatabaseOutages } from '../platform/database-outages.js';
import { DatabaseListener } from '../platform/database-listener.js';
import { Health } from '../platform/health.js';
import { KAFKA, type KafkaConnection } from '../platform/kafka.js';
import { leaveOutagesTo, NestLog, type Log } from '../platform/log.js';
import { Loops } from '../platform/loops.js';
import { MetricsServer } from '../platform/metrics-server.js';
import { METRICS, ZONE_RULES } from '../platform/tokens.js';
import { LATE, within } from '../platform/within.js';
import { ApiDocument } from './admin/api-document.js';
import { addHealthChecks } from './admin/health-checks.js';
import { addProjectMetrics } from './admin/project-metrics.js';
import { addStandingMetrics } from './admin/standing-metrics.js';
import type { ZoneRules } from './decide/ports.js';
import { DispatchDue } from './dispatch/dispatch-due.js';
import { fastifyAdapter, prepareHttpApp } from './http-app.js';
import { ProjectCalls } from './push-client/project-calls.js';
import type { SchedulerConfig } from './scheduler.config.js';
import { SchedulerModule } from './scheduler.module.js';

export interface Scheduler {
  /** Where the API listens, without a trailing slash. */
  readonly url: string;
  readonly metricsUrl: string;
  readonly app: NestFastifyApplication;
  /** Drains: takes nothing new, finishes what runs within config.drainMs, leaves the rest to others. */
  close(): Promise<void>;
}

/** Rejects when a port is taken; never because the database or Kafka is away. */
export async function createScheduler(
  config: SchedulerConfig,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Scheduler> {
  const app = await NestFactory.create<NestFastifyApplication>(
    SchedulerModule.with({ config, clock, log }),
    fastifyAdapter(clock),
    { logger: new NestLog(log), rawBody: true, abortOnError: false },
  );
  const drain = { begun: false };
  prepareHttpApp(app, { api: config.roles.has('api'), drain, log });
  app.get(ApiDocument).of(app);
  const loops = app.get(Loops);
  const kafka = app.get<KafkaConnection | undefined>(KAFKA);
  const dispatch = app.get<DispatchDue | undefined>(DispatchDue);
  const listener = app.get(DatabaseListener);
  const registry = app.get<Registry>(METRICS);
  const gate = app.get(DatabaseGate);
  const outages = app.get(DatabaseOutages);
  const metrics = new MetricsServer(registry, log);
  leaveOutagesTo(log, (error) => kafka?.outage.judge(error) ?? outages.judge(error));

  const [sql, now] = [app.get(Database), () => new Date(clock.now())];
  addHealthChecks(app.get(Health), { config, gate, listener, loops, kafka, drain, dispatch, sql, now });
  addStandingMetrics(registry, {
    health: app.get(Health),
    loops,
    rules: app.get<ZoneRules>(ZONE_RULES),
    clock,
  });
  addProjectMetrics(registry, { sql, now, dispatch });
  // Its default of 10 ms wakes an idle process a hundred times a second: a third of what idling cost.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });

  const stop = async (): Promise<void> => {
    drain.begun = true;
    await gate.stop();
    // A round may wait for a gateway that hangs: meanwhile nothing more is sent, and no turn is waited for.
    app.get(ProjectCalls).release();
    await Promise.all([loops.stop(), dispatch?.stop()]);
    await app.close();
    await kafka?.close();
    await metrics.close();
    await listener.stop();
    await gate.close();
    outages.stop();
  };
  let stopping: Promise<void> | undefined;
  const close = (): Promise<void> => (stopping ??= withinDrain(stop(), config.drainMs, log));

  try {
    const metricsUrl = await metrics.listen(config.metrics.host, config.metrics.port);
    await app.listen(config.port, config.host);
    gate.start();
    listener.start();
    const url = (await app.getUrl()).replace(/\/$/, '');
    log.info({ url, metricsUrl, roles: [...config.roles] }, 'the scheduler is up');
    return { url, metricsUrl, app, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** What does not end in time is left: a call in flight becomes uncertain once its replica is found silent, and that is safe. */
async function withinDrain(work: Promise<void>, ms: number, log: Log): Promise<void> {
  if ((await within(work, ms)) === LATE) {
    log.warn({ ms }, 'the drain took too long; what still ran is left to others');
  }
}

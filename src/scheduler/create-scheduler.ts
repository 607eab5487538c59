// Wires the scheduler and starts it in the calling process: main.ts, a test, the demo. It also starts without a database or Kafka, and
// reports that in /health/ready.
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { leaveOutagesTo, NestLog, type Log } from '../platform/logging/log.js';
import { MonitoringServer } from '../platform/http/monitoring-server.js';
import { addStandingMetrics } from '../platform/http/standing-metrics.js';
import { LATE, within } from '../platform/with-timeout.js';
import { addHealthChecks } from './admin/health/health-checks.js';
import { addProjectMetrics } from './admin/projects/project-metrics.js';
import { addRetentionMetrics } from './admin/housekeeping/retention-metrics.js';
import { addBreakdownMetrics } from './follow/breakdown-metrics.js';
import { addRollupMetrics } from './outcomes/rollup/rollup-metrics.js';
import { addZoneMetrics } from './admin/health/zone-metrics.js';
import type { Given } from './core.js';
import { fastifyAdapter, prepareHttpApp } from './http-app.js';
import type { SchedulerConfig } from './scheduler.config.js';
import { SchedulerModule } from './scheduler.module.js';
import { wireScheduler, type SchedulerInternals } from './wire.js';

export type Scheduler = Awaited<ReturnType<typeof createScheduler>>;

/** Rejects if a port is in use; never because the database or Kafka is away. */
export async function createScheduler(config: SchedulerConfig, given: Omit<Given, 'config'>) {
  const { clock, log } = given;
  const internals = wireScheduler({ config, ...given });
  const { loops, kafka, listener, gate, outages, calls, dispatch, tracing, metrics: registry } = internals;
  const app = await NestFactory.create<NestFastifyApplication>(
    SchedulerModule.with(internals),
    fastifyAdapter(clock, config.http, log),
    { logger: new NestLog(log), rawBody: true, abortOnError: false },
  );
  const drain = { begun: false };
  prepareHttpApp(app, { api: config.roles.has('api'), drain, log });
  const monitoring = new MonitoringServer({ registry, health: internals.health, log });
  leaveOutagesTo(log, (error) => kafka?.judge(error) ?? outages.judge(error));
  addMetrics(internals, drain);

  const stop = async (): Promise<void> => {
    drain.begun = true;
    await gate.stop();
    // A round may wait for a gateway that hangs. Meanwhile nothing more is sent, and no caller waits for a turn.
    calls.release();
    await Promise.all([loops.stop(), dispatch?.stop()]);
    await internals.stop();
    await app.close();
    await kafka?.close();
    await internals.workers.close();
    await monitoring.close();
    await listener.stop();
    await gate.close();
    outages.stop();
    await tracing.close();
  };
  let stopping: Promise<void> | undefined;
  /** Drains: begins nothing new, finishes within config.drainMs what runs, and leaves the rest to other processes. */
  const close = (): Promise<void> => (stopping ??= withinDrain(stop(), config.drainMs, log));

  try {
    const metricsUrl = await monitoring.listen(config.metrics.host, config.metrics.port);
    await app.listen(config.port, config.host);
    gate.start();
    listener.start();
    /** The URL of the API, without a trailing slash. */
    const url = (await app.getUrl()).replace(/\/$/, '');
    log.info({ url, metricsUrl, roles: [...config.roles] }, 'the scheduler is up');
    return { url, metricsUrl, app, internals, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

function addMetrics(internals: SchedulerInternals, drain: { readonly begun: boolean }): void {
  const { health, metrics, loops, rules, clock, dispatch, database: sql } = internals;
  const now = (): Date => new Date(clock.now());
  addHealthChecks(health, { ...internals, drain, sql, now });
  addStandingMetrics(metrics, { health, loops, tracing: internals.tracing });
  addZoneMetrics(metrics, rules, clock);
  const waiting: Gauge = new Gauge({
    name: 'carillon_reports_waiting',
    help: 'reports that wait for a turn in this process',
    registers: [metrics],
    collect: () => waiting.set(internals.reports.waiting),
  });
  addProjectMetrics(metrics, { sql, now, dispatch });
  addRollupMetrics(metrics, { sql, now });
  addBreakdownMetrics(metrics, { sql, now });
  addRetentionMetrics(metrics, { sql, now, diskBytes: internals.config.diskBytes });
  // The default of 10 ms wakes an idle process a hundred times a second: that was a third of its processor time.
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 200 });
}

/** Gives up what does not end in time: a call in flight becomes uncertain once others take this process for dead, which is safe. */
async function withinDrain(work: Promise<void>, ms: number, log: Log): Promise<void> {
  if ((await within(work, ms)) === LATE) {
    log.warn({ ms }, 'the drain took too long; what still ran is left to others');
  }
}

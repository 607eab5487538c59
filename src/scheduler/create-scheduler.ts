// Makes the scheduler and starts it in the calling process: main.ts, a test, the demo. It also starts without a database or Kafka, and
// reports that in /health/ready.
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { leaveOutagesTo, NestLog, type Log } from '../platform/logging/log.js';
import { collectNodeMetrics } from '../platform/http/metrics.js';
import { MonitoringServer } from '../platform/http/monitoring-server.js';
import { LATE, within } from '../platform/with-timeout.js';
import type { Given } from './core.js';
import { fastifyAdapter, prepareHttpApp } from './http-app.js';
import type { SchedulerConfig } from './scheduler.config.js';
import { SchedulerModule } from './scheduler.module.js';
import { createStages } from './stages.js';

export type Scheduler = Awaited<ReturnType<typeof createScheduler>>;

/** Rejects if a port is in use; never because the database or Kafka is away. */
export async function createScheduler(config: SchedulerConfig, given: Omit<Given, 'config'>) {
  const { clock, log } = given;
  const internals = createStages({ config, ...given });
  const { loops, kafka, listener, gate, outages, calls, dispatch, drain, tracing, metrics } = internals;
  const app = await NestFactory.create<NestFastifyApplication>(
    SchedulerModule.with(internals),
    fastifyAdapter(clock, config.http, log),
    { logger: new NestLog(log), rawBody: true, abortOnError: false },
  );
  const sessionKeys = internals.sealer.keysFor('session');
  await prepareHttpApp(app, { api: config.roles.has('api'), drain, log, sessionKeys });
  const monitoring = new MonitoringServer({ registry: metrics, health: internals.health, log });
  leaveOutagesTo(log, (error) => kafka?.judge(error) ?? outages.judge(error));
  collectNodeMetrics(metrics);

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

/** Gives up what does not end in time: a call in flight becomes uncertain once others take this process for dead, which is safe. */
async function withinDrain(work: Promise<void>, ms: number, log: Log): Promise<void> {
  if ((await within(work, ms)) === LATE) {
    log.warn({ ms }, 'the drain took too long; what still ran is left to others');
  }
}

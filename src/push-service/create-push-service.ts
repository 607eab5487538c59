// Puts the push service together and starts it, in the process that calls: main.ts, a test, the demo. Comes up without
// a database, answers 503/500 meanwhile, and says so in /health/ready.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CLOCK_WINDOW_MS } from '../push-contract/limits.js';
import type { Clock } from '../platform/clock.js';
import { DatabaseGate } from '../platform/database/database-gate.js';
import { DatabaseListener } from '../platform/database/database-listener.js';
import { DatabaseOutages } from '../platform/database/database-outages.js';
import { Health } from '../platform/http/health.js';
import { httpLimits } from '../platform/http/http-limits.js';
import { MetricsServer } from '../platform/http/metrics-server.js';
import { addStandingMetrics } from '../platform/http/standing-metrics.js';
import { leaveOutagesTo, NestLog, type Log } from '../platform/log.js';
import type { Loops } from '../platform/loops.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import { formerKeys } from '../platform/reseal.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { AccessCache } from './gateway/access-cache.js';
import { SEALED } from './gateway/access.store.js';
import { createGateway } from './gateway/gateway.server.js';
import { PushErrorFilter } from './gateway/push-error.filter.js';
import { RateLimit } from './gateway/rate-limit.js';
import { KEYS_CHANGED } from './loop-names.js';
import { AccessKeys } from './management/access-keys.js';
import { addFaultHooks } from './management/fault.hooks.js';
import { Faults } from './management/faults.js';
import { managementOpenApi } from './management/management-openapi.js';
import { SandboxClock } from './management/sandbox-clock.js';
import { bringUpToDate, pushDataSource } from './push.database.js';
import { addQueueMetrics, PushMetrics } from './push-metrics.js';
import type { PushServiceConfig } from './push-service.config.js';
import { pushLoops } from './push-service.loops.js';
import { ManagementModule, PushServiceModule, type PushParts } from './push-service.module.js';

export interface PushService {
  readonly app: NestFastifyApplication;
  /** Where the interface listens, without a trailing slash. */
  readonly url: string;
  readonly managementUrl: string;
  readonly metricsUrl: string;
  readonly loops: Loops;
  /** Drains: takes no new connection, finishes requests and rounds that run. */
  close(): Promise<void>;
}

export interface PushServiceGiven {
  readonly clock: Clock;
  readonly log: Log;
  /** Sandbox seconds in a real one, of a fast clock; the signature's window is widened by it. Default 1. */
  readonly rate?: number;
}

/**
 * Statements of requests, real milliseconds: the longest is to end before its caller gives up, and not to hold a connection
 * that others wait for.
 */
const REQUEST_LIMITS = { statementMs: 12_000, answerMs: 15_000 };

/** Rejects when a port is taken; never because the database is away. */
export async function createPushService(
  config: PushServiceConfig,
  given: PushServiceGiven,
): Promise<PushService> {
  const { log } = given;
  const { parts, cache, closeDatabase, gate } = putTogether(config, given);
  const { loops, sandbox } = parts;
  const [app, management] = await createApplications(config, parts, cache, given.rate ?? 1);
  const metrics = new MetricsServer(parts.metrics.registry, log);
  const listener = new DatabaseListener({
    url: config.DATABASE_URL,
    applicationName: 'carillon push service listener',
    handlers: { [KEYS_CHANGED]: () => cache.clear() },
    onConnect: () => cache.clear(),
    log,
  });
  const stop = async (): Promise<void> => {
    await app.close();
    await loops.stop();
    await management.close();
    await metrics.close();
    await listener.stop();
    await closeDatabase();
  };
  let stopping: Promise<void> | undefined;
  const close = (): Promise<void> => (stopping ??= stop());

  try {
    // The first try is waited for: with a database that is there, the service comes up with it.
    await gate.runOnce().catch(() => gate.start());
    await app.listen(config.PUSH_PORT, config.PUSH_HOST);
    await management.listen(config.MANAGEMENT_PORT, '127.0.0.1');
    const metricsUrl = await metrics.listen(config.PUSH_METRICS_HOST, config.PUSH_METRICS_PORT);
    listener.start();
    const [url = '', managementUrl = ''] = await Promise.all([app, management].map(urlOf));
    log.info({ url, managementUrl, metricsUrl, sandbox: sandbox !== undefined }, 'the push service is up');
    return { app, url, managementUrl, metricsUrl, loops, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

interface Together {
  readonly parts: PushParts;
  readonly cache: AccessCache;
  readonly gate: DatabaseGate;
  readonly closeDatabase: () => Promise<void>;
}

/** Two pools, so that requests never wait for firing and delivery, nor these for them. */
function putTogether(config: PushServiceConfig, given: PushServiceGiven): Together {
  const { log } = given;
  const url = config.DATABASE_URL;
  const sandbox = config.CARILLON_SANDBOX
    ? { clock: new SandboxClock(given.clock), faults: new Faults() }
    : undefined;
  const clock = sandbox?.clock ?? given.clock;
  const outages = new DatabaseOutages({ url, applicationName: 'carillon push service look', clock, log });
  const onFault = (error: unknown): void => void outages.judge(error);
  leaveOutagesTo(log, (error) => outages.judge(error));
  const requests = { applicationName: 'carillon push service', limits: REQUEST_LIMITS, onFault };
  const database = pushDataSource(url, config.PUSH_DATABASE_POOL, requests);
  const forDelivery = { applicationName: 'carillon push delivery', onFault };
  const delivery = pushDataSource(url, config.PUSH_DELIVERY_POOL, forDelivery);
  const sealer = new Sealer(config.CARILLON_MASTER_KEY);
  const rules = loadZoneRules({ directory: config.TZDATA_DIR });
  const cache = new AccessCache({ sql: database, sealer, rules, clock, periodMs: config.PUSH_KEY_CACHE_MS });
  const metrics = new PushMetrics();
  const parts = { config, database: delivery, clock, rules, log, sealer, metrics, faults: sandbox?.faults };
  const loops = pushLoops(parts);
  const gate = new DatabaseGate({ database, loops, outages, log, prepare: bringUpToDate });
  const health = new Health(clock);
  health.add('database', () => gate.finding());
  // A note: a provider that is away fails rounds, and the interface takes messages all the same.
  health.add('loops', () => {
    const failing = loops.status().find((loop) => loop.lastError !== undefined);
    return failing === undefined ? undefined : { note: `${failing.name}: ${failing.lastError ?? ''}` };
  });
  // A note: whoever's keys open is served. A database that is away is its own check's to tell.
  health.add('master key', async () => {
    const found = await formerKeys(database, sealer, SEALED).catch(() => []);
    return found.length === 0 ? undefined : { note: found.map(({ text }) => text).join('; ') };
  });
  addStandingMetrics(metrics.registry, { health, loops });
  addQueueMetrics(metrics.registry, database, () => new Date(clock.now()));
  const keys = new AccessKeys(database, clock, sealer, cache);
  const closeDatabase = async (): Promise<void> => {
    await gate.stop();
    await Promise.all([database.destroy(), delivery.destroy()]);
    outages.stop();
  };
  return {
    parts: { config, database, clock, rules, log, loops, health, metrics, keys, sandbox, openApi: {} },
    cache,
    gate,
    closeDatabase,
  };
}

/** The interface, and management on a port of its own. `rate`: of a fast clock. */
async function createApplications(
  config: PushServiceConfig,
  parts: PushParts,
  cache: AccessCache,
  rate: number,
): Promise<[NestFastifyApplication, NestFastifyApplication]> {
  const { clock, log, sandbox } = parts;
  const limits = {
    requestTimeoutMs: config.PUSH_REQUEST_TIMEOUT_MS,
    maxConnections: config.PUSH_MAX_CONNECTIONS,
  };
  const gateway = createGateway({
    limits,
    maxBodyBytes: config.PUSH_MAX_BODY_BYTES,
    keys: cache,
    rateLimit: new RateLimit(parts.database, clock, config.PUSH_DEFAULT_RATE),
    clock,
    windowMs: CLOCK_WINDOW_MS * rate,
    filter: new PushErrorFilter(log),
  });
  if (sandbox !== undefined) addFaultHooks(gateway, sandbox.faults);
  const options = { logger: new NestLog(log), abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(
    PushServiceModule.with(parts),
    new FastifyAdapter(gateway),
    { ...options, bodyParser: false },
  );
  const management = await NestFactory.create<NestFastifyApplication>(
    ManagementModule.with(parts),
    new FastifyAdapter({
      ...httpLimits(limits),
      forceCloseConnections: 'idle',
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
        answerFrameworkError(error, request, reply),
    }),
    options,
  );
  management.getHttpAdapter().getInstance().server.maxConnections = limits.maxConnections;
  parts.openApi.management = managementOpenApi(management);
  return [app, management];
}

async function urlOf(app: NestFastifyApplication): Promise<string> {
  return (await app.getUrl()).replace(/\/$/, '');
}

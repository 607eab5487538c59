// Puts the push service together and starts it, in the process that calls: main.ts, a test, the demo. Comes up without
// a database, answers 503/500 meanwhile, and says so in /health/ready.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { NestFactory } from '@nestjs/core';
import type { Registry } from 'prom-client';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CLOCK_WINDOW_MS } from '../push-contract/limits.js';
import type { Clock } from '../platform/clock.js';
import { ClockCheck } from '../platform/database/clock-check.js';
import type { Database, Sql } from '../platform/database/database.js';
import { daysFinding, goingDays, goingFinding } from '../platform/database/day-partitions.js';
import { DatabaseGate } from '../platform/database/database-gate.js';
import { DatabaseListener } from '../platform/database/database-listener.js';
import { DatabaseOutages } from '../platform/database/database-outages.js';
import type { PooledDatabase } from '../platform/database/pooled-database.js';
import { Health, type Finding, type Note } from '../platform/http/health.js';
import { askBeforeBodies, httpLimits } from '../platform/http/http-limits.js';
import { MetricsServer } from '../platform/http/metrics-server.js';
import { addStandingMetrics } from '../platform/http/standing-metrics.js';
import { leaveOutagesTo, NestLog, type Log } from '../platform/log.js';
import type { Loops } from '../platform/loops.js';
import { answerFrameworkError } from '../platform/http/problem.filter.js';
import { NO_TRACING, type Tracing } from '../platform/tracing/tracing.js';
import { formerKeys } from '../platform/reseal.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { addCredentialMetrics, troubledInWords } from './credentials/credential-health.js';
import { Credentials } from './credentials/credentials.js';
import { AccessCache } from './gateway/access-cache.js';
import { createGateway } from './gateway/gateway.server.js';
import { PushErrorFilter } from './gateway/push-error.filter.js';
import { RateLimit } from './gateway/rate-limit.js';
import { CREDENTIALS_CHANGED, KEYS_CHANGED } from './loop-names.js';
import { AccessKeys } from './management/access-keys.js';
import { addFaultHooks } from './management/fault.hooks.js';
import { Faults } from './management/faults.js';
import { ManagementGuard } from './management/management.guard.js';
import { managementOpenApi } from './management/management-openapi.js';
import { SandboxClock } from './management/sandbox-clock.js';
import { openProviders } from './providers.js';
import { bringUpToDate, pushDataSource } from './push.database.js';
import { addDayMetrics, addProviderMetrics, addQueueMetrics, PushMetrics } from './push-metrics.js';
import type { PushServiceConfig } from './push-service.config.js';
import { pushLoops } from './push-service.loops.js';
import { ManagementModule, PushServiceModule, type PushParts } from './push-service.module.js';
import { stuckDays, stuckFinding } from './retention/retention.store.js';
import { outcomesFrom } from './retention/sweep.js';
import { SEALED } from './sealed-columns.js';

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
  /** The machine's own clock, epoch milliseconds; a test's where it is wrong. */
  readonly wall?: () => number;
  /** [off] */
  readonly tracing?: Tracing;
}

/**
 * Statements of requests, real milliseconds: the longest is to end before its caller gives up, and not to hold a connection
 * that others wait for.
 */
const REQUEST_LIMITS = { statementMs: 12_000, answerMs: 15_000 };

/** What loops and checks had open has its answers by then. */
const PROVIDERS_CLOSE_MS = 500;

/** Rejects when a port is taken; never because the database is away. */
export async function createPushService(
  config: PushServiceConfig,
  given: PushServiceGiven,
): Promise<PushService> {
  const { log } = given;
  const together = putTogether(config, given);
  const { parts, cache, credentials, closeDatabase, gate } = together;
  const { loops, sandbox, providers } = parts;
  const [app, management] = await createApplications(config, parts, together, given.rate ?? 1);
  const metrics = new MetricsServer(parts.metrics.registry, log);
  const listener = new DatabaseListener({
    url: config.DATABASE_URL,
    applicationName: 'carillon push service listener',
    handlers: { [KEYS_CHANGED]: () => cache.clear(), [CREDENTIALS_CHANGED]: () => credentials.clear() },
    onConnect: () => {
      cache.clear();
      credentials.clear();
    },
    log,
  });
  const stop = async (): Promise<void> => {
    // Begun at once: while requests end, nothing new is handed to a provider.
    await Promise.all([loops.stop(), app.close()]);
    await management.close();
    await providers.close(PROVIDERS_CLOSE_MS);
    await metrics.close();
    await listener.stop();
    await closeDatabase();
    await parts.tracing.close();
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
  readonly doors: Database;
  readonly cache: AccessCache;
  readonly credentials: Credentials;
  readonly gate: DatabaseGate;
  readonly closeDatabase: () => Promise<void>;
}

/**
 * Requests never wait for firing and delivery, nor these for them; and whether a caller may come in is asked by connections of
 * its own, whatever those who are in have begun.
 */
function putTogether(config: PushServiceConfig, given: PushServiceGiven): Together {
  const { log, tracing = NO_TRACING } = given;
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
  const periodMs = config.PUSH_KEY_CACHE_MS;
  const doors = database.beside({ applicationName: 'carillon push doors', poolSize: 2 });
  const cache = new AccessCache({ sql: doors, sealer, rules, clock, periodMs });
  const credentials = new Credentials({ sql: delivery, sealer, clock, log, periodMs });
  const providers = openProviders(config, { shelf: credentials, clock, log });
  const metrics = new PushMetrics();
  const clockCheck = new ClockCheck({ sql: delivery, log, wall: given.wall, stops: 'deleted by age' });
  const forLoops = {
    config,
    database: delivery,
    clock,
    clockCheck,
    rules,
    log,
    tracing,
    sealer,
    metrics,
    credentials,
    providers,
  };
  const loops = pushLoops({ ...forLoops, faults: sandbox?.faults });
  const gate = new DatabaseGate({ database, loops, outages, log, prepare: upToDate(clock) });
  const health = new Health(clock);
  const olderThan = (): Date => outcomesFrom(clock.now(), config.PUSH_OUTCOME_RETENTION_DAYS + 1);
  addChecks(health, { database, sealer, clock, clockCheck, loops, gate, olderThan });
  addMetrics(metrics.registry, { health, loops, tracing, database, clock, olderThan, providers });
  return {
    parts: {
      config,
      database,
      clock,
      rules,
      log,
      tracing,
      loops,
      health,
      metrics,
      keys: new AccessKeys(database, clock, sealer, cache),
      sealer,
      providers,
      sandbox,
      openApi: {},
    },
    doors,
    cache,
    credentials,
    gate,
    closeDatabase: () => closeAll(gate, outages, [database, delivery]),
  };
}

async function closeAll(
  gate: DatabaseGate,
  outages: DatabaseOutages,
  pools: readonly PooledDatabase[],
): Promise<void> {
  await gate.stop();
  await Promise.all(pools.map((pool) => pool.destroy()));
  outages.stop();
}

const upToDate =
  (clock: Clock) =>
  (to: PooledDatabase): Promise<void> =>
    bringUpToDate(to, new Date(clock.now()));

interface Scraped extends Pick<Checked, 'database' | 'clock' | 'loops' | 'olderThan'> {
  readonly health: Health;
  readonly providers: PushParts['providers'];
  readonly tracing: Tracing;
}

function addMetrics(registry: Registry, scraped: Scraped): void {
  const { health, loops, tracing, database, clock, olderThan, providers } = scraped;
  addStandingMetrics(registry, { health, loops, tracing });
  addQueueMetrics(registry, database, () => new Date(clock.now()));
  addDayMetrics(registry, database, olderThan);
  addCredentialMetrics(registry, database, clock);
  addProviderMetrics(registry, providers);
}

interface Checked {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly clockCheck: ClockCheck;
  readonly loops: Loops;
  readonly gate: DatabaseGate;
  /** Days of outcomes that ended by then should have gone: of age for a day, so that the rounds have been that were to take them. */
  readonly olderThan: () => Date;
}

const MAKE_DAYS =
  'the loop days makes those of the next days; why it did not, say the check of loops and the log';

/** Notes, but for a database that is away, or that will soon take no outcomes: messages are taken all the same. */
function addChecks(health: Health, checked: Checked): void {
  const { database, sealer, clock, clockCheck, loops, gate, olderThan } = checked;
  health.add('database', () => gate.finding());
  health.add('days ahead', () => daysFinding(database, new Date(clock.now()), MAKE_DAYS));
  health.add('loops', () => {
    const failing = loops.status().find((loop) => loop.lastError !== undefined);
    return failing === undefined ? undefined : { note: `${failing.name}: ${failing.lastError ?? ''}` };
  });
  // What is sent goes by leases of the database's clock: only what is deleted by age waits for ours.
  health.add('clock', () => noteOf(clockCheck.finding()));
  health.add('retention', async () =>
    noteOf(await daysThatStay(database, olderThan()).catch(() => undefined)),
  );
  // Whoever's keys open is served. A database that is away is its own check's to tell.
  health.add('master key', async () => {
    const found = await formerKeys(database, sealer, SEALED).catch(() => []);
    return found.length === 0 ? undefined : { note: found.map(({ text }) => text).join('; ') };
  });
  health.add('provider credentials', async () => {
    const troubled = await troubledInWords(database, clock).catch(() => []);
    return troubled.length === 0 ? undefined : { note: troubled.join(' ') };
  });
}

function noteOf(finding: Finding): Note | undefined {
  return finding === undefined ? undefined : { note: finding };
}

async function daysThatStay(sql: Sql, endedBy: Date): Promise<Finding> {
  const found = [stuckFinding(await stuckDays(sql, endedBy)), goingFinding(await goingDays(sql))];
  return found.filter((text) => text !== undefined).join('; ') || undefined;
}

/** The interface, and management on a port of its own. `rate`: of a fast clock. */
async function createApplications(
  config: PushServiceConfig,
  parts: PushParts,
  { doors, cache }: Pick<Together, 'doors' | 'cache'>,
  rate: number,
): Promise<[NestFastifyApplication, NestFastifyApplication]> {
  const { clock, log, tracing, sandbox } = parts;
  const limits = {
    requestTimeoutMs: config.PUSH_REQUEST_TIMEOUT_MS,
    maxConnections: config.PUSH_MAX_CONNECTIONS,
  };
  const gateway = createGateway({
    limits,
    maxBodyBytes: config.PUSH_MAX_BODY_BYTES,
    keys: cache,
    rateLimit: new RateLimit(doors, clock, config.PUSH_DEFAULT_RATE),
    clock,
    windowMs: CLOCK_WINDOW_MS * rate,
    filter: new PushErrorFilter(log),
    log,
    tracing,
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
  const server = management.getHttpAdapter().getInstance();
  server.server.maxConnections = limits.maxConnections;
  askBeforeBodies(server, (authorization) => management.get(ManagementGuard).authenticate(authorization));
  let document: ReturnType<typeof managementOpenApi> | undefined;
  parts.openApi.management = () => (document ??= managementOpenApi(management));
  return [app, management];
}

async function urlOf(app: NestFastifyApplication): Promise<string> {
  return (await app.getUrl()).replace(/\/$/, '');
}

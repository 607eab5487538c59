// Makes what every file of the push service shares: database, clock, caches, providers, metrics and loops. create-push-service.ts
// starts them. Holds no rule of the interface.
import { Registry } from 'prom-client';
import type { Clock } from '../platform/clock.js';
import { ClockCheck } from '../platform/database/clock-check.js';
import { DatabaseGate } from '../platform/database/database-gate.js';
import { DatabaseListener } from '../platform/database/database-listener.js';
import { DatabaseOutages } from '../platform/database/database-outages.js';
import { RefusedAuthentication } from '../platform/http/refused-authentication.js';
import { Health } from '../platform/http/health.js';
import { leaveOutagesTo, type Log } from '../platform/logging/log.js';
import { Loops } from '../platform/loops/loops.js';
import { Sealer } from '../platform/secrets/sealed.js';
import { NO_TRACING, type Tracing } from '../platform/tracing/tracing.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { Credentials } from './credentials/credentials.js';
import type { RefusedBecause } from './gateway/authenticate.js';
import { AccessCache } from './gateway/access-cache.js';
import { CREDENTIALS_CHANGED, KEYS_CHANGED } from './loop-names.js';
import { Faults } from './management/faults.js';
import { SandboxClock } from './management/sandbox-clock.js';
import { LongWaits } from './delivery/long-waits.js';
import { openProviders } from './delivery/providers.js';
import { bringUpToDate, pushDataSource } from './push.database.js';
import { PushMetrics } from './metrics.js';
import type { PushServiceConfig } from './push-service.config.js';

export interface Given {
  readonly config: PushServiceConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** How many seconds a fast sandbox clock goes in a real second. It widens the time window of signatures by that factor [1]. */
  readonly rate?: number;
  /** The machine's own clock, milliseconds since 1970. A test passes one that is wrong. */
  readonly wall?: () => number;
  /** [off] */
  readonly tracing?: Tracing;
}

export type Core = ReturnType<typeof createCore>;

/**
 * Limits of a request's statements, real milliseconds. A statement ends before its caller gives up, so that it does not hold a
 * connection that others wait for.
 */
const REQUEST_LIMITS = { statementMs: 12_000, answerMs: 15_000 };

/** Connections that check access keys and quotas. */
const DOOR_CONNECTIONS = 2;

export function createCore(given: Given) {
  const { config, log, wall, rate = 1, tracing = NO_TRACING } = given;
  const sandbox = config.CARILLON_SANDBOX
    ? { clock: new SandboxClock(given.clock), faults: new Faults() }
    : undefined;
  const clock: Clock = sandbox?.clock ?? given.clock;
  const pools = openPools(config, clock, log);
  const { database, doors, delivery, outages } = pools;
  const sealer = new Sealer(config.CARILLON_MASTER_KEY);
  const rules = loadZoneRules({ directory: config.TZDATA_DIR });
  const periodMs = config.PUSH_KEY_CACHE_MS;
  const accessCache = new AccessCache({ sql: doors, sealer, rules, clock, periodMs });
  const credentials = new Credentials({ sql: delivery, sealer, clock, log, periodMs });
  const loops = new Loops(log);
  const providers = openProviders(config, { credentials, clock, log });
  const counted = new PushMetrics();
  return {
    config,
    clock,
    log,
    /** How late a message may begin before it is STALE, milliseconds. */
    firingTimeoutMs: config.PUSH_FIRING_TIMEOUT_SECONDS * 1_000,
    rate,
    tracing,
    /** Undefined without --sandbox. */
    sandbox,
    ...pools,
    sealer,
    rules,
    accessCache,
    credentials,
    loops,
    providers,
    longWaits: new LongWaits(() => [...providers.fcm.longWaits, ...providers.apns.longWaits], log),
    metrics: new Registry(),
    /** What requests and deliveries count. */
    counted,
    /** Refusals of the interface and of management. */
    refused: new RefusedAuthentication<RefusedBecause>({ count: counted.refused, log, clock }),
    health: new Health(clock),
    clockCheck: new ClockCheck({ sql: delivery, log, wall, stops: 'deleted by age' }),
    gate: new DatabaseGate({
      database,
      loops,
      outages,
      log,
      prepare: (sql) => bringUpToDate(sql, new Date(clock.now())),
    }),
    listener: new DatabaseListener({
      url: config.DATABASE_URL,
      applicationName: 'carillon push service listener',
      handlers: {
        [KEYS_CHANGED]: () => accessCache.clear(),
        [CREDENTIALS_CHANGED]: () => credentials.clear(),
      },
      onConnect: () => {
        accessCache.clear();
        credentials.clear();
      },
      log,
    }),
  };
}

/**
 * Requests never wait for the connections of firing and delivery, and those never wait for the connections of requests. Access
 * keys are checked on connections of their own, which no other request holds.
 */
function openPools(config: PushServiceConfig, clock: Clock, log: Log) {
  const url = config.DATABASE_URL;
  const outages = new DatabaseOutages({ url, applicationName: 'carillon push service probe', clock, log });
  leaveOutagesTo(log, (error) => outages.judge(error));
  const onFault = (error: unknown): void => void outages.judge(error);
  const database = pushDataSource(url, config.PUSH_DATABASE_POOL, { limits: REQUEST_LIMITS, onFault });
  return {
    outages,
    database,
    doors: database.beside({ applicationName: 'carillon push doors', poolSize: DOOR_CONNECTIONS }),
    delivery: database.beside({
      applicationName: 'carillon push delivery',
      poolSize: config.PUSH_DELIVERY_POOL,
      limits: {},
    }),
  };
}

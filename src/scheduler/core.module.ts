// What every stage is given: database, clock, log, loops, projects, Kafka, zone rules; and what every request passes:
// the guard, the validation, the idempotent answers and the error filter. Holds no business rule.
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { Registry } from 'prom-client';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import type { Clock } from '../platform/clock.js';
import { DatabaseListener } from '../platform/database-listener.js';
import { DatabaseGate } from '../platform/database-gate.js';
import { DatabaseOutages } from '../platform/database-outages.js';
import { createDataSource, Database } from '../platform/database.js';
import { Health } from '../platform/health.js';
import { KAFKA, KafkaConnection } from '../platform/kafka.js';
import type { Log } from '../platform/log.js';
import { Loops } from '../platform/loops.js';
import { PooledDatabase } from '../platform/pooled-database.js';
import { ProblemFilter } from '../platform/problem.filter.js';
import { Sealer } from '../platform/sealed.js';
import { CLOCK, LOG, METRICS, ZONE_RULES } from '../platform/tokens.js';
import { ValidationPipe } from '../platform/validation.pipe.js';
import { loadZoneRules } from '../platform/zone-rules.js';
import { AuthGuard } from './admin/auth/auth.guard.js';
import { IdempotencyInterceptor } from './admin/idempotency.interceptor.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from './scheduler.config.js';
import { CHANNELS } from './store/channels.js';
import { PROJECTS, ProjectStore } from './store/project.store.js';
import { TokenStore } from './store/token.store.js';
import { WorkProbe } from './work-probe.js';

export interface CoreParts {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly log: Log;
}

const APPLICATION_NAME = 'carillon scheduler';
/** The roles whose loops are woken by the work probe. */
const PROBED = ['plan', 'dispatch', 'follow', 'publish'] as const;

const MADE: Provider[] = [
  {
    provide: DatabaseOutages,
    inject: [SCHEDULER_CONFIG, CLOCK, LOG],
    useFactory: ({ databaseUrl: url }: SchedulerConfig, clock: Clock, log: Log) =>
      new DatabaseOutages({ url, applicationName: `${APPLICATION_NAME} look`, clock, log }),
  },
  {
    provide: PooledDatabase,
    inject: [SCHEDULER_CONFIG, DatabaseOutages],
    // Not connected here: the process comes up without a database and says so (database-gate.ts).
    useFactory: (config: SchedulerConfig, outages: DatabaseOutages) =>
      createDataSource({
        url: config.databaseUrl.reveal(),
        schema: 'scheduler',
        migrations: schedulerMigrations,
        poolSize: config.poolSize,
        applicationName: APPLICATION_NAME,
        onFault: (error) => void outages.judge(error),
      }),
  },
  { provide: Database, useExisting: PooledDatabase },
  {
    provide: DatabaseGate,
    inject: [PooledDatabase, Loops, DatabaseOutages, LOG],
    useFactory: (database: PooledDatabase, loops: Loops, outages: DatabaseOutages, log: Log) =>
      new DatabaseGate(database, loops, outages, log),
  },
  { provide: Loops, inject: [LOG], useFactory: (log: Log) => new Loops(log) },
  { provide: Health, inject: [CLOCK], useFactory: (clock: Clock) => new Health(clock) },
  { provide: METRICS, useFactory: () => new Registry() },
  {
    provide: Sealer,
    inject: [SCHEDULER_CONFIG],
    useFactory: (config: SchedulerConfig) => new Sealer(config.masterKeys),
  },
  {
    provide: ZONE_RULES,
    inject: [SCHEDULER_CONFIG],
    useFactory: (config: SchedulerConfig) => loadZoneRules({ directory: config.tzdataDir }),
  },
  {
    provide: PROJECTS,
    inject: [Database, Sealer, CLOCK],
    useFactory: (sql: Database, sealer: Sealer, clock: Clock) => new ProjectStore(sql, sealer, clock),
  },
  {
    provide: TokenStore,
    inject: [Database, CLOCK],
    useFactory: (sql: Database, clock: Clock) => new TokenStore(sql, clock),
  },
  { provide: KAFKA, inject: [SCHEDULER_CONFIG, CLOCK, LOG], useFactory: kafkaFrom },
  {
    provide: DatabaseListener,
    inject: [SCHEDULER_CONFIG, LOG, Loops, PROJECTS, TokenStore],
    useFactory: listenerFrom,
  },
  {
    provide: WorkProbe,
    inject: [SCHEDULER_CONFIG, Database, CLOCK, Loops],
    useFactory: probeFrom,
  },
  {
    provide: AuthGuard,
    inject: [Reflector, TokenStore],
    useFactory: (reflector: Reflector, tokens: TokenStore) => new AuthGuard(reflector, tokens),
  },
  { provide: APP_GUARD, useExisting: AuthGuard },
  { provide: APP_PIPE, useFactory: () => new ValidationPipe() },
  {
    provide: APP_INTERCEPTOR,
    inject: [Reflector, Database, CLOCK],
    useFactory: (reflector: Reflector, sql: Database, clock: Clock) =>
      new IdempotencyInterceptor(reflector, sql, clock),
  },
  { provide: APP_FILTER, inject: [LOG], useFactory: (log: Log) => new ProblemFilter(log) },
];

const OFFERED = [
  PooledDatabase,
  Database,
  DatabaseGate,
  DatabaseOutages,
  Loops,
  Health,
  METRICS,
  Sealer,
  ZONE_RULES,
  PROJECTS,
  TokenStore,
  KAFKA,
  DatabaseListener,
  AuthGuard,
];

@Module({})
export class CoreModule {
  static with(parts: CoreParts): DynamicModule {
    const given: Provider[] = [
      { provide: SCHEDULER_CONFIG, useValue: parts.config },
      { provide: CLOCK, useValue: parts.clock },
      { provide: LOG, useValue: parts.log },
    ];
    return {
      module: CoreModule,
      global: true,
      providers: [...given, ...MADE],
      exports: [SCHEDULER_CONFIG, CLOCK, LOG, ...OFFERED],
    };
  }
}

function kafkaFrom({ kafka }: SchedulerConfig, clock: Clock, log: Log): KafkaConnection | undefined {
  if (kafka === undefined) return undefined;
  const { brokers, tls, sasl, topics, newTopic } = kafka;
  return new KafkaConnection({ brokers, tls, sasl, newTopic, topics: Object.values(topics) }, { clock, log });
}

function listenerFrom(
  config: SchedulerConfig,
  log: Log,
  loops: Loops,
  projects: ProjectStore,
  tokens: TokenStore,
): DatabaseListener {
  const forget = (): void => {
    projects.forget();
    tokens.forget();
  };
  const wakes = Object.entries(CHANNELS).map(([name, channel]) => [channel, () => loops.wake(name)] as const);
  return new DatabaseListener({
    url: config.databaseUrl,
    applicationName: `${APPLICATION_NAME} listener`,
    handlers: {
      ...Object.fromEntries(wakes),
      [CHANNELS.access]: () => {
        forget();
        // What a project could not be called for may be mended.
        loops.wake('dispatch');
      },
    },
    onConnect: () => {
      forget();
      loops.wakeAll();
    },
    log,
  });
}

function probeFrom(
  { lookAhead, probeIdleMs, roles }: SchedulerConfig,
  sql: Database,
  clock: Clock,
  loops: Loops,
): WorkProbe {
  const probe = new WorkProbe({ sql, clock, loops, aheadMs: lookAhead.ms, everyMs: probeIdleMs });
  if (PROBED.some((role) => roles.has(role)))
    loops.add({ name: 'probe', runOnce: () => probe.runOnce(), idleMs: probeIdleMs });
  return probe;
}

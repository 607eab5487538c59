// What every stage of a process is given: database, clock, log, loops, projects, Kafka, zone rules. Made once, by hand;
// each stage's wire.ts takes from it. Holds no business rule.
import { Registry } from 'prom-client';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import type { Clock } from '../platform/clock.js';
import { DatabaseGate } from '../platform/database/database-gate.js';
import { DatabaseListener } from '../platform/database/database-listener.js';
import { DatabaseOutages } from '../platform/database/database-outages.js';
import { createDataSource } from '../platform/database/database.js';
import { Health } from '../platform/http/health.js';
import { KafkaConnection } from '../platform/kafka/kafka.js';
import type { Log } from '../platform/log.js';
import { Loops } from '../platform/loops.js';
import { Sealer } from '../platform/sealed.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import type { SchedulerConfig } from './scheduler.config.js';
import { CHANNELS } from './store/channels.js';
import { ProjectStore } from './store/project.store.js';
import { TokenStore } from './store/token.store.js';
import { WorkDays, type Days } from './store/send/work-days.store.js';
import { WorkProbe } from './work-probe.js';

export interface Given {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly log: Log;
}

export type Core = ReturnType<typeof wireCore>;

const APPLICATION_NAME = 'carillon scheduler';
/** The roles whose loops are woken by the work probe. */
const PROBED = ['plan', 'dispatch', 'follow', 'publish'] as const;

export function wireCore(given: Given) {
  const { config, clock, log } = given;
  const url = config.databaseUrl;
  const outages = new DatabaseOutages({ url, applicationName: `${APPLICATION_NAME} look`, clock, log });
  const database = createDataSource({
    url: url.reveal(),
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: config.poolSize,
    applicationName: APPLICATION_NAME,
    onFault: (error) => void outages.judge(error),
  });
  const loops = new Loops(log);
  const sealer = new Sealer(config.masterKeys);
  const projects = new ProjectStore(database, sealer, clock);
  const tokens = new TokenStore(database, clock);
  const workDays = new WorkDays(database, clock);
  const days = (): Promise<Days> => workDays.now();
  if (PROBED.some((role) => config.roles.has(role))) {
    const { lookAhead, probeIdleMs: everyMs } = config;
    const probe = new WorkProbe({ sql: database, clock, loops, aheadMs: lookAhead.ms, everyMs, days });
    loops.add({ name: 'probe', runOnce: () => probe.runOnce(), idleMs: everyMs });
  }
  return {
    ...given,
    /** Not connected yet: the process comes up without a database and says so (database-gate.ts). */
    database,
    outages,
    gate: new DatabaseGate({ database, loops, outages, log }),
    listener: listenerOf(given, loops, () => {
      projects.forget();
      tokens.forget();
    }),
    loops,
    health: new Health(clock),
    metrics: new Registry(),
    sealer,
    rules: loadZoneRules({ directory: config.tzdataDir }),
    projects,
    tokens,
    /** Those that may hold work, for all who read what is due. */
    days,
    /** Undefined without brokers. */
    kafka: kafkaOf(given),
  };
}

function kafkaOf({ config: { kafka }, clock, log }: Given): KafkaConnection | undefined {
  if (kafka === undefined) return undefined;
  const { brokers, tls, sasl, topics, newTopic } = kafka;
  return new KafkaConnection({ brokers, tls, sasl, newTopic, topics: Object.values(topics) }, { clock, log });
}

/** `forget`: what was cached of projects and tokens. */
function listenerOf({ config, log }: Given, loops: Loops, forget: () => void): DatabaseListener {
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

// Makes what every stage of a process shares: database, clock, log, loops, projects, Kafka, zone rules. Each stage.ts takes what it
// needs from it. Has no business rule.
import { Registry } from 'prom-client';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import type { Clock } from '../platform/clock.js';
import { ClockCheck } from '../platform/database/clock-check.js';
import { checkMigrated, DatabaseGate } from '../platform/database/database-gate.js';
import { DatabaseListener } from '../platform/database/database-listener.js';
import { DatabaseOutages } from '../platform/database/database-outages.js';
import { createDataSource } from '../platform/database/database.js';
import type { PooledDatabase } from '../platform/database/pooled-database.js';
import { Health } from '../platform/http/health.js';
import type { KafkaConnection } from '../platform/kafka/kafka.js';
import { KafkajsConnection } from '../platform/kafka/kafkajs-connection.js';
import type { Log } from '../platform/logging/log.js';
import { Loops } from '../platform/loops/loops.js';
import { Sealer } from '../platform/secrets/sealed.js';
import { WorkerPool } from '../platform/workers/worker-pool.js';
import { NO_TRACING, type Tracing } from '../platform/tracing/tracing.js';
import { loadZoneRules } from '../zone-rules/load-zone-rules.js';
import { USUAL_TOPICS, type SchedulerConfig } from './scheduler.config.js';
import { ChangeFeed } from './outcomes/stream/change-feed.js';
import { ReportDatabase, STREAMS } from './report/report-database.js';
import { CHANNELS } from './store/channels.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import { ProjectStore } from './store/project.store.js';
import { replicaClocks } from './store/replica-clock.store.js';
import { TokenStore } from './store/token.store.js';

export interface Given {
  readonly config: SchedulerConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** The machine's clock, epoch milliseconds; tests give a wrong one. */
  readonly wall?: () => number;
  /** The name of the machine with that clock [this machine]; tests give others. */
  readonly machine?: string;
  /** [off] */
  readonly tracing?: Tracing;
}

export type Core = ReturnType<typeof createCore>;

const APPLICATION_NAME = 'carillon scheduler';

function clockCheckOf({ log, wall, machine }: Given, sql: PooledDatabase, loops: Loops): ClockCheck {
  const others = () => replicaClocks(sql);
  return new ClockCheck({ sql, log, wall, machine, others, right: () => loops.wake('dispatch') });
}

export function createCore(given: Given) {
  const { config, clock, log } = given;
  const url = config.databaseUrl;
  const outages = new DatabaseOutages({ url, applicationName: `${APPLICATION_NAME} probe`, clock, log });
  const database = createDataSource({
    url: url.reveal(),
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: config.poolSize,
    applicationName: APPLICATION_NAME,
    onFault: (error) => void outages.judge(error),
  });
  const pools = poolsBeside(database, given);
  const loops = new Loops(log);
  const clockCheck = clockCheckOf(given, database, loops);
  const sealer = new Sealer(config.masterKeys);
  const projects = new ProjectStore(database, sealer, clock);
  const tokens = new TokenStore(pools.api, clock);
  const kafka = kafkaOf(given);
  const changes = new ChangeFeed();
  return {
    ...given,
    tracing: given.tracing ?? NO_TRACING,
    /** Not connected yet: the process starts without a database, and reports it (database-gate.ts). */
    database,
    ...pools,
    outages,
    gate: new DatabaseGate({
      database,
      loops,
      outages,
      log,
      // Before anything is written: the first days of a sandbox's clock have no partitions yet.
      prepare: async (sql) => {
        await checkMigrated(sql);
        await ensurePartitions(sql, new Date(clock.now()));
      },
    }),
    listener: listenerOf(given, loops, {
      forget: () => {
        projects.forget();
        tokens.forget();
      },
      changes,
      connected: () => {
        // The server may be another one.
        kafka?.beginAnew();
        changes.lost();
      },
    }),
    loops,
    clockCheck,
    health: new Health(clock),
    metrics: new Registry(),
    /** Whether the drain has begun: then the process begins nothing new. */
    drain: { begun: false },
    sealer,
    rules: loadZoneRules({ directory: config.tzdataDir }),
    /** For work that a caller may make long: plans, dry runs and large bodies. */
    workers: new WorkerPool(config.workers),
    projects,
    tokens,
    /** What other processes and this one announce. */
    changes,
    /** Undefined without brokers. */
    kafka,
    /** What stands in the outbox, and in the contracts, also without brokers. */
    topics: config.kafka?.topics ?? USUAL_TOPICS,
  };
}

/** The pools besides that of dispatch and following: so no kind of work waits for connections of another. */
function poolsBeside(database: PooledDatabase, { config: { reportUrl, roles }, clock }: Given) {
  const named = (kind: string) => ({ applicationName: `${APPLICATION_NAME} ${kind}` });
  const reports = {
    ...named('reports'),
    poolSize: 2 + STREAMS.most,
    limits: { statementMs: 120_000, answerMs: 125_000 },
  };
  /** Keeps reads for reports from using more processors than they have connections. */
  const settings = { max_parallel_workers_per_gather: '0' };
  return {
    /** For intake, planning, closing and housekeeping. */
    planning: database.beside({ ...named('planning'), poolSize: 6 }),
    publishing: database.beside({ ...named('publishing'), poolSize: 2 }),
    api: database.beside({
      ...named('api'),
      poolSize: 5,
      limits: { statementMs: 5_000, answerMs: 7_000 },
      settings,
    }),
    reports:
      reportUrl === undefined
        ? new ReportDatabase(database.beside({ ...reports, settings }), { restBy: clock })
        : // Only reports wait for a replica that is away: that is no outage.
          new ReportDatabase(
            database.beside({ ...reports, url: reportUrl.reveal(), onFault: () => undefined }),
            // The replica does no work that may be due; only this process's event loop does.
            { isReplica: true, restBy: roles.has('dispatch') ? clock : undefined },
          ),
  };
}

function kafkaOf({ config: { kafka }, clock, log }: Given): KafkaConnection | undefined {
  if (kafka === undefined) return undefined;
  return new KafkajsConnection({ ...kafka, topics: Object.values(kafka.topics) }, { clock, log });
}

/** `forget` empties the caches of projects and tokens. */
function listenerOf(
  { config, log }: Given,
  loops: Loops,
  {
    forget,
    changes,
    connected,
  }: { forget: () => void; changes: Pick<ChangeFeed, 'take'>; connected: () => void },
): DatabaseListener {
  const wakes = Object.entries(CHANNELS).map(([name, channel]) => [channel, () => loops.wake(name)]);
  return new DatabaseListener({
    url: config.databaseUrl,
    applicationName: `${APPLICATION_NAME} listener`,
    handlers: {
      ...Object.fromEntries(wakes),
      [CHANNELS.publish]: () => {
        loops.wake('publish');
        loops.wake('stream');
      },
      [CHANNELS.changes]: (payload) => changes.take(payload),
      [CHANNELS.access]: () => {
        forget();
        // A fault because of which a project could not be called may be mended.
        loops.wake('dispatch');
      },
    },
    onConnect: () => {
      forget();
      loops.wakeAll();
      connected();
    },
    log,
  });
}

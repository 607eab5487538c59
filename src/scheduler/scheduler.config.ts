// Reads every setting of the scheduler, once at start. Pure: lists all faults at once, never logs, reads no file. .env.example has the
// same names and defaults; a test compares the two.
import { messageOf } from '../platform/logging/error-code.js';
import { z } from 'zod';
import { fastClock, SystemClock } from '../platform/clock.js';
import {
  commaList,
  ConfigError,
  port,
  postgresUrl,
  readConfig,
  secret,
  type Environment,
  wholeNumber as whole,
} from '../platform/env.js';
import { masterKey } from '../platform/secrets/sealed.js';
import { tracingSettings } from '../platform/tracing/open-tracing.js';
import { alertLimits, alertSettings } from './alerts/alert-settings.js';
import { REJECTION_TOPIC } from './decide/rejection-topics.js';
import { GatewayHosts, HOST_PATTERN } from './push-client/gateway-hosts.js';

/** What a process may do; any number of processes may have the same role. */
export const PROCESS_ROLES = ['accept', 'plan', 'dispatch', 'follow', 'publish', 'api'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

/** Injection token of the SchedulerConfig. */
export const SCHEDULER_CONFIG = Symbol('SchedulerConfig');

const yesNo = z.enum(['true', 'false']).transform((value) => value === 'true');
const topic = z.string().regex(/^[A-Za-z0-9._-]{1,249}$/, 'must be a Kafka topic name');

/** How long a loop rests that the work probe wakes when it has something to do, milliseconds. */
const LOOP_REST_MS = 30_000;

const BROKER = /^([^\s:/@]+|\[[0-9a-f:]+\]):\d{1,5}$/i;
const BROKER_FORM = 'must be host:port, several with commas between: kafka-1:9092,kafka-2:9092';

/** The topics unless the environment says otherwise. */
export const USUAL_TOPICS = {
  events: 'campaign.events',
  outcomes: 'campaign.outcomes',
  dead: 'campaign.events.dead',
};

/** The variables of Kafka, by name. Each comment: meaning, unit, default, bounds. */
const kafkaSettings = {
  /** host:port list. Without it there is no Kafka: events come over HTTP only, and outcomes wait in the database. */
  KAFKA_BROKERS: commaList.pipe(z.array(z.string().regex(BROKER, BROKER_FORM))).optional(),
  /** TLS to the brokers: true or false [false]. */
  KAFKA_TLS: yesNo.prefault('false'),
  /** PEM of the authorities that sign the brokers' certificates, in place of Node's own list. */
  KAFKA_CA: z
    .string()
    .regex(/^-----BEGIN CERTIFICATE-----/, 'must be PEM')
    .optional(),
  /** plain, scram-sha-256 or scram-sha-512; with KAFKA_USERNAME and KAFKA_PASSWORD. */
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: secret.optional(),
  /** Consumer group that all replicas share [carillon-scheduler]. */
  KAFKA_GROUP_ID: z.string().max(200).prefault('carillon-scheduler'),
  KAFKA_EVENTS_TOPIC: topic.prefault(USUAL_TOPICS.events),
  KAFKA_DEAD_TOPIC: topic.prefault(USUAL_TOPICS.dead),
  KAFKA_OUTCOMES_TOPIC: topic.prefault(USUAL_TOPICS.outcomes),
  /** Topic on which publishers say users' zones, such as recipient.zones [none: it is not read]. */
  KAFKA_ZONES_TOPIC: topic.optional(),
  /** Partitions of a topic that the scheduler itself has to create: 1 to 1000 [6]. */
  KAFKA_TOPIC_PARTITIONS: whole(1, 1000).prefault('6'),
  /** Replicas of a topic that the scheduler itself has to create: 1 to 9 [1]; set 3 in production. */
  KAFKA_TOPIC_REPLICAS: whole(1, 9).prefault('1'),
};

/** The environment's variables, by name. Each comment: meaning, unit, default, bounds. */
export const schedulerEnvironment = z.object({
  /** postgresql:// URL of the database; its schema `scheduler` is ours. Required. */
  DATABASE_URL: postgresUrl,
  /** The password for both URLs, which then have none; plain, not percent-encoded. */
  DATABASE_PASSWORD: secret.optional(),
  /** URL of a replica of that database, from which reports and ledgers are read [DATABASE_URL]. */
  DATABASE_REPORT_URL: postgresUrl.optional(),
  /**
   * Connections of dispatch and following: 2 to 200 [10]. In addition at most 5 of intake and planning, 2 of publishing, 5 of the API, 8
   * of reports, and one that listens, as far as the process has those roles.
   */
  DATABASE_POOL_SIZE: whole(2, 200).prefault('10'),
  /** Size of the database's disk, GB: 1 to 1 000 000. PostgreSQL does not know it; only forecasts of growth use it. */
  DATABASE_DISK_GB: whole(1, 1_000_000).optional(),
  ...kafkaSettings,
  /** Address the API listens on [127.0.0.1]. */
  SCHEDULER_HOST: z.string().prefault('127.0.0.1'),
  /** 0 takes a free one [8080]. */
  SCHEDULER_PORT: port.prefault('8080'),
  /** A request has to arrive completely within this, ms: 1000 to 600 000 [60000]; otherwise its connection is closed. */
  SCHEDULER_REQUEST_TIMEOUT_MS: whole(1_000, 600_000).prefault('60000'),
  /** Connections to the API: 10 to 100 000 [1000]. A further one is closed at once. */
  SCHEDULER_MAX_CONNECTIONS: whole(10, 100_000).prefault('1000'),
  /** Connections of one address (IPv6: of one /64): 1 to 100 000 [250]. Behind a proxy all callers have the proxy's address. */
  SCHEDULER_MAX_CONNECTIONS_PER_ADDRESS: whole(1, 100_000).prefault('250'),
  /** Requests of a token in a minute: 60 to 1 000 000 [12000]. All tokens of a service together have twice that, here and below. */
  BUDGET_REQUESTS: whole(60, 1_000_000).prefault('12000'),
  /** Dry runs, and events over HTTP to be planned, in a minute: 1000 to 1 000 000 [6000]. */
  BUDGET_PLANS: whole(1_000, 1_000_000).prefault('6000'),
  /** Cells of all these plans in a minute: 1000 to 100 000 000 [500000]; at least MAX_PLANNED_CELLS. */
  BUDGET_CELLS: whole(1_000, 100_000_000).prefault('500000'),
  /** Kilobytes of events over HTTP in a minute: 20 000 to 100 000 000 [200000]. Refused events count too, because they are kept. */
  BUDGET_KILOBYTES: whole(20_000, 100_000_000).prefault('200000'),
  /** Megabytes of previewed plans that are kept for one service: 1 to 10 000 [100]. */
  BUDGET_PREVIEW_MB: whole(1, 10_000).prefault('100'),
  /** Address /metrics and /health listen on [127.0.0.1]: they need no token. */
  METRICS_HOST: z.string().prefault('127.0.0.1'),
  /** 0 takes a free one [9464]. */
  METRICS_PORT: port.prefault('9464'),
  /** `id:base64 of 32 bytes`. Two, with a comma between, during a rotation: the first seals, both open. Required. */
  CARILLON_MASTER_KEY: masterKey,
  /** Any of accept, plan, dispatch, follow, publish, api [all]. */
  CARILLON_ROLES: commaList.pipe(z.array(z.enum(PROCESS_ROLES)).min(1)).prefault(PROCESS_ROLES.join(',')),
  /** Not production: allows CARILLON_CLOCK [false]. */
  CARILLON_SANDBOX: yesNo.prefault('false'),
  /**
   * `origin=<instant>,rate=<1 to 720>[,since=<instant>]`: another clock, for the sandbox; give the push service the same. It shows
   * origin when the machine's clock shows since, by default at the start of the process. Refused without CARILLON_SANDBOX=true.
   */
  CARILLON_CLOCK: z.string().optional(),
  /** fatal, error, warn, info, debug, trace or silent [info]. */
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).prefault('info'),
  /** Folder of compiled zone files to use instead of the newest found. */
  TZDATA_DIR: z.string().optional(),
  /**
   * Cells that a campaign may have over all occurrences that a dry run works out (35 days of a recurrence): 1000 to 1 000 000
   * [50000]. A larger one is refused as TOO_MANY_CELLS.
   */
  MAX_PLANNED_CELLS: whole(1_000, 1_000_000).prefault('50000'),
  /** How far ahead occurrences of a recurrence are planned, hours: 1 to 840 [48]. They are reserved no earlier. */
  PLAN_AHEAD_HOURS: whole(1, 840).prefault('48'),
  /** Threads for large plans, dry runs and large bodies: 1 to 16 [2]. */
  WORKER_THREADS: whole(1, 16).prefault('2'),
  /** Heap of each of these threads, MiB: 64 to 4096 [256]. A plan that needs more is refused as PLAN_TOO_LARGE. */
  WORKER_HEAP_MB: whole(64, 4_096).prefault('256'),
  /** Time of each job of these threads, seconds: 1 to 60 [20]. A plan that takes longer is refused as PLAN_TOO_LARGE. */
  WORKER_SECONDS: whole(1, 60).prefault('20'),
  /** How long before their hand-off sends are read, ms: 0 to 60 000 [2000]. */
  LOOK_AHEAD_MS: whole(0, 60_000).prefault('2000'),
  /** Sends read by one statement: 1 to 10 000 [500]. */
  LOOK_AHEAD_BATCH: whole(1, 10_000).prefault('500'),
  /**
   * T: a process that dispatches and writes no heartbeat for this long is taken for dead, real seconds: 10 to 600 [15]. Then its sends in
   * flight become uncertain. A process that cannot write its heartbeat stops sending after T/2.
   */
  REPLICA_SILENT_SECONDS: whole(10, 600).prefault('15'),
  /**
   * How long a process that dispatches keeps its sends and their answers in memory, real seconds: 10 to 600 [60]. After a failover it
   * writes those that the database has lost once more: so set it longer than the longest lag of a standby.
   */
  REPLAY_WINDOW_SECONDS: whole(10, 600).prefault('60'),
  /** Hosts that projects may name, with commas between, `*.` for all below a name; not set: all except link-local and metadata. */
  CARILLON_GATEWAY_HOSTS: commaList
    .pipe(z.array(z.string().regex(HOST_PATTERN, 'must be hosts, without scheme or port')).min(1))
    .optional(),
  /** Topics that projects may name for their rejections, with commas between, `*` at the end for all that begin so [none]. */
  CARILLON_REJECTION_TOPICS: commaList
    .pipe(z.array(z.string().regex(REJECTION_TOPIC, 'must be topics, each with at most a * at its end')))
    .optional(),
  /** Limit on opening a connection to the push service, ms: 100 to 60 000 [3000]. */
  PUSH_CONNECT_TIMEOUT_MS: whole(100, 60_000).prefault('3000'),
  /** Limit on one whole call to the push service, ms: 500 to 120 000 [10000]. */
  PUSH_TIMEOUT_MS: whole(500, 120_000).prefault('10000'),
  /** A status that is not final after this makes a send uncertain, hours: 1 to 720 [24]. */
  FOLLOW_WINDOW_HOURS: whole(1, 720).prefault('24'),
  /** The breakdown of a send with at least this many devices is asked for, if the push service has it: 0 to 1 000 000 000 [100]. */
  BREAKDOWN_FROM_DEVICES: whole(0, 1_000_000_000).prefault('100'),
  /** How long a registered offset is used and kept, hours: 1 to 720 [24]. */
  OFFSET_CACHE_HOURS: whole(1, 720).prefault('24'),
  /** How long campaigns may be published to an uploaded list, where its upload does not say, days: 1 to 366 [90]. */
  LIST_EXPIRES_DAYS: whole(1, 366).prefault('90'),
  /** How long published outbox rows are kept, hours: 0 to 720 [24]. */
  OUTBOX_KEPT_HOURS: whole(0, 720).prefault('24'),
  /**
   * How long a send is kept after it ended, with its attempts, notes and raw body, days: 31 to 10 000 [90]; after that only sums
   * are left. Event keys are remembered for 30 days.
   */
  SEND_RETENTION_DAYS: whole(31, 10_000).prefault('90'),
  /** How long campaigns, their reports and the sums of their sends are kept, days: 31 to 10 000 [1100]; no less than sends. */
  REPORT_RETENTION_DAYS: whole(31, 10_000).prefault('1100'),
  /**
   * How often the probe asks whether work is due, ms: 50 to 60 000 [1000]. New work wakes its loop at once; the probe finds work that
   * comes due with time.
   */
  LOOP_IDLE_MS: whole(50, 60_000).prefault('1000'),
  /** How long a drain waits for work that runs, seconds: 1 to 14 [10]. */
  DRAIN_SECONDS: whole(1, 14).prefault('10'),
  ...alertSettings,
  ...tracingSettings,
});

const kafkaEnvironment = z.object(kafkaSettings);

export type SchedulerConfig = Readonly<ReturnType<typeof configFrom>>;
/** Undefined without brokers. */
export type KafkaConfig = NonNullable<SchedulerConfig['kafka']>;

/** Reads the whole configuration; throws ConfigError with all faults, including those between two variables. */
export function readSchedulerConfig(env: Environment): SchedulerConfig {
  return configFrom(readWith(schedulerEnvironment, env, [...clockFaults(env), ...kafkaFaults(env)]));
}

/** Reads only the settings of Kafka, for other programs that publish; throws like readSchedulerConfig(). */
export function readKafkaConfig(env: Environment): KafkaConfig | undefined {
  return kafkaFrom(readWith(kafkaEnvironment, env, kafkaFaults(env)));
}

function readWith<Schema extends z.ZodObject>(
  schema: Schema,
  env: Environment,
  between: readonly string[],
): z.output<Schema> {
  const faults = [...between];
  try {
    const read = readConfig(schema, env);
    if (faults.length === 0) return read;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.unshift(...error.faults);
  }
  throw new ConfigError(faults);
}

/** The clock of a process: the machine's, or the sandbox's of CARILLON_CLOCK. Throws ConfigError, as readSchedulerConfig() does. */
export function readClock(env: Environment): SystemClock {
  const faults = clockFaults(env);
  if (faults.length > 0) throw new ConfigError(faults);
  const setting = env['CARILLON_CLOCK'] ?? '';
  return setting === '' ? new SystemClock() : fastClock(setting);
}

function clockFaults(env: Environment): string[] {
  const clock = env['CARILLON_CLOCK'] ?? '';
  if (clock === '') return [];
  if (env['CARILLON_SANDBOX'] !== 'true') {
    return ['CARILLON_CLOCK: is for the sandbox only; set CARILLON_SANDBOX=true, or leave it out'];
  }
  try {
    fastClock(clock);
    return [];
  } catch (error) {
    return [`CARILLON_CLOCK: ${messageOf(error)}`];
  }
}

/** Faults of settings that belong together: the three of SASL, and KAFKA_CA with KAFKA_TLS. */
function kafkaFaults(env: Environment): string[] {
  const sasl = ['KAFKA_SASL_MECHANISM', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'];
  const missing = sasl.filter((name) => (env[name] ?? '') === '');
  const faults: string[] = [];
  if (missing.length > 0 && missing.length < sasl.length)
    faults.push(`${missing.join(' and ')}: required with the other settings of Kafka's SASL`);
  if ((env['KAFKA_CA'] ?? '') !== '' && env['KAFKA_TLS'] !== 'true')
    faults.push('KAFKA_CA: needs KAFKA_TLS=true, because without TLS there is no certificate to check');
  return faults;
}

function configFrom(read: z.output<typeof schedulerEnvironment>) {
  return {
    databaseUrl: read.DATABASE_URL,
    reportUrl: read.DATABASE_REPORT_URL,
    poolSize: read.DATABASE_POOL_SIZE,
    kafka: kafkaFrom(read),
    host: read.SCHEDULER_HOST,
    port: read.SCHEDULER_PORT,
    http: {
      requestTimeoutMs: read.SCHEDULER_REQUEST_TIMEOUT_MS,
      maxConnections: read.SCHEDULER_MAX_CONNECTIONS,
      maxConnectionsPerAddress: read.SCHEDULER_MAX_CONNECTIONS_PER_ADDRESS,
    },
    metrics: { host: read.METRICS_HOST, port: read.METRICS_PORT },
    masterKeys: read.CARILLON_MASTER_KEY,
    roles: new Set(read.CARILLON_ROLES) as ReadonlySet<ProcessRole>,
    sandbox: read.CARILLON_SANDBOX,
    clock: read.CARILLON_CLOCK,
    logLevel: read.LOG_LEVEL,
    tzdataDir: read.TZDATA_DIR,
    mostCells: read.MAX_PLANNED_CELLS,
    planAheadMs: read.PLAN_AHEAD_HOURS * 3_600_000,
    budgets: {
      requests: read.BUDGET_REQUESTS,
      kilobytes: read.BUDGET_KILOBYTES,
      plans: read.BUDGET_PLANS,
      cells: Math.max(read.BUDGET_CELLS, read.MAX_PLANNED_CELLS),
      previewBytes: read.BUDGET_PREVIEW_MB * 1_000_000,
    },
    workers: {
      threads: read.WORKER_THREADS,
      heapMb: read.WORKER_HEAP_MB,
      jobMs: read.WORKER_SECONDS * 1_000,
    },
    lookAhead: { ms: read.LOOK_AHEAD_MS, batch: read.LOOK_AHEAD_BATCH },
    replicaSilentMs: read.REPLICA_SILENT_SECONDS * 1_000,
    replayMs: read.REPLAY_WINDOW_SECONDS * 1_000,
    push: {
      connectTimeoutMs: read.PUSH_CONNECT_TIMEOUT_MS,
      timeoutMs: read.PUSH_TIMEOUT_MS,
      hosts: new GatewayHosts(read.CARILLON_GATEWAY_HOSTS),
    },
    breakdownFrom: read.BREAKDOWN_FROM_DEVICES,
    followWindowMs: read.FOLLOW_WINDOW_HOURS * 3_600_000,
    offsetCacheMs: read.OFFSET_CACHE_HOURS * 3_600_000,
    listExpiresDays: read.LIST_EXPIRES_DAYS,
    rejectionTopics: read.CARILLON_REJECTION_TOPICS ?? [],
    outboxKeptMs: read.OUTBOX_KEPT_HOURS * 3_600_000,
    diskBytes: read.DATABASE_DISK_GB === undefined ? undefined : read.DATABASE_DISK_GB * 1e9,
    kept: {
      sendsMs: read.SEND_RETENTION_DAYS * 86_400_000,
      reportsMs: Math.max(read.SEND_RETENTION_DAYS, read.REPORT_RETENTION_DAYS) * 86_400_000,
    },
    alerts: alertLimits(read),
    probeIdleMs: read.LOOP_IDLE_MS,
    loopIdleMs: Math.max(LOOP_REST_MS, read.LOOP_IDLE_MS),
    drainMs: read.DRAIN_SECONDS * 1000,
  };
}

function kafkaFrom(read: z.output<typeof kafkaEnvironment>) {
  if (read.KAFKA_BROKERS === undefined || read.KAFKA_BROKERS.length === 0) return undefined;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = read;
  return {
    brokers: read.KAFKA_BROKERS,
    tls: read.KAFKA_TLS,
    ca: read.KAFKA_CA,
    sasl:
      mechanism !== undefined && username !== undefined && password !== undefined
        ? { mechanism, username, password }
        : undefined,
    groupId: read.KAFKA_GROUP_ID,
    topics: {
      events: read.KAFKA_EVENTS_TOPIC,
      dead: read.KAFKA_DEAD_TOPIC,
      outcomes: read.KAFKA_OUTCOMES_TOPIC,
      ...(read.KAFKA_ZONES_TOPIC !== undefined && { zones: read.KAFKA_ZONES_TOPIC }),
    },
    newTopic: { partitions: read.KAFKA_TOPIC_PARTITIONS, replicas: read.KAFKA_TOPIC_REPLICAS },
  };
}

// carillon doctor: examines everything that the scheduler depends on, each thing on its own, so that one that is away does not hide
// the others. One line each: ok, or what to do. Changes nothing.
import { SystemClock, type Clock } from '../platform/clock.js';
import type { Sql } from '../platform/database/database.js';
import { processEnvironment } from '../platform/env.js';
import { KafkajsConnection } from '../platform/kafka/kafkajs-connection.js';
import { createLog } from '../platform/logging/log.js';
import { formerKeys } from '../platform/secrets/reseal.js';
import { Sealer } from '../platform/secrets/sealed.js';
import { loadZoneRules, yearsBehind } from '../zone-rules/load-zone-rules.js';
import { CheckGateway } from '../scheduler/admin/projects/check-gateway.js';
import { projectWarnings } from '../scheduler/admin/projects/project-body.js';
import { UndiciPushApi } from '../scheduler/push-client/undici-push-api.js';
import {
  readSchedulerConfig,
  type KafkaConfig,
  type SchedulerConfig,
} from '../scheduler/scheduler.config.js';
import { listProjects } from '../scheduler/admin/projects/project-write.store.js';
import { ProjectCalls } from '../scheduler/push-client/project-calls.js';
import { daysAhead, goingDays, goingFinding } from '../platform/database/day-partitions.js';
import { lockFinding, readLockTable } from '../platform/database/lock-table.js';
import { daysUntilFull, keptBytes } from '../scheduler/store/kept-bytes.store.js';
import { ProjectStore } from '../scheduler/store/project.store.js';
import { SEALED } from '../scheduler/store/sealed-columns.js';
import { causeOf, cliDataSource } from './shell/cli-database.js';
import { examineDatabase, judged, no, note, ok, type Line } from './examine-database.js';
import { print, type JsonOption } from './shell/output.js';
import { growthText, sizeText } from './print-retention.js';

/** Older zone rules are reported: governments change them with weeks of notice. */
const OLD_RULES_YEARS = 1;

export async function doctor(options: JsonOption): Promise<void> {
  const lines = await examine();
  const isFine = lines.every((line) => line.ok || line.note);
  const human = lines.map(({ name, ok: good, note: noted, text }) => {
    const mark = good ? 'ok' : noted ? 'NB' : 'NO';
    return `${mark}  ${name.padEnd(22)}  ${text}`;
  });
  print(options, { ok: isFine, lines }, human.join('\n'));
  if (!isFine) process.exitCode = 1;
}

/** Throws ConfigError with every fault of the configuration. */
async function examine(): Promise<Line[]> {
  const config = readSchedulerConfig(processEnvironment());
  const clock = new SystemClock();
  const dataSource = cliDataSource(config.databaseUrl);
  try {
    const database = await examineDatabase(dataSource);
    const isMigrated = database.some((line) => line.ok && line.name === 'migrations');
    return [
      ok('configuration', `roles ${[...config.roles].join(', ')}`),
      ...database,
      await examineKafka(config.kafka, clock),
      ...(isMigrated ? await examineRows(dataSource, config, clock) : []),
      zoneRules(config.tzdataDir, clock),
    ];
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

async function examineRows(sql: Sql, config: SchedulerConfig, clock: Clock): Promise<Line[]> {
  const sealer = new Sealer(config.masterKeys);
  return [
    ...(await examineSeals(sql, sealer)),
    ...(await examineGateways(sql, config, sealer, clock)),
    await examineKept(sql, clock, config.diskBytes),
    await examineLocks(sql, config.kept.sendsMs),
  ];
}

async function examineKafka(kafka: KafkaConfig | undefined, clock: Clock): Promise<Line> {
  if (kafka === undefined)
    return ok('kafka', 'no KAFKA_BROKERS: events come over HTTP only, outcomes wait in the database');
  const { brokers, tls, ca, sasl, topics, newTopic } = kafka;
  const log = createLog('doctor', 'silent');
  const connection = new KafkajsConnection(
    { brokers, tls, ca, sasl, newTopic, topics: Object.values(topics) },
    { clock, log },
  );
  try {
    const seen = await connection.describe();
    const toMake = seen.missingTopics.length === 0 ? '' : `; will make ${seen.missingTopics.join(', ')}`;
    return ok('kafka', `${seen.brokers} brokers${toMake}`);
  } catch (error) {
    return no(
      'kafka',
      `cannot be reached (${causeOf(error)}): check KAFKA_BROKERS, KAFKA_TLS and the SASL settings`,
    );
  } finally {
    await connection.close();
  }
}

/** While the scheduler runs, it seals secrets again that are under a former key which it still has, so these are only noted. */
async function examineSeals(sql: Sql, sealer: Sealer): Promise<Line[]> {
  const found = await formerKeys(sql, sealer, SEALED);
  if (found.length === 0) return [ok('master key', `${sealer.currentId} seals everything`)];
  return found.map(({ isHeld, text }) => (isHeld ? note : no)('master key', text));
}

/** Without partitions ahead, new rows are refused; a day that cannot be dropped fills the disk. */
async function examineKept(sql: Sql, clock: Clock, diskBytes: number | undefined): Promise<Line> {
  const now = new Date(clock.now());
  const kept = await keptBytes(sql, now);
  const ahead = await daysAhead(sql, now);
  const bytes = kept.reduce((sum, { bytes: each }) => sum + each, 0);
  const oldest = kept.find(({ kind }) => kind === 'send')?.oldestDay ?? 'no day';
  const growth = growthText(kept, await daysUntilFull(sql, kept, diskBytes));
  const text = `${sizeText(bytes)}, sends since ${oldest}, partitions for ${ahead} days ahead; ${growth}`;
  if (ahead < 2) return no('retention', `${text}: run "carillon migrate", which makes them`);
  const stuck = goingFinding(await goingDays(sql));
  return stuck === undefined ? ok('retention', text) : note('retention', `${text}; ${stuck}`);
}

/** Days beside those that are kept: today, the days ahead, and days that wait to be dropped. */
const MORE_DAYS = 7;

async function examineLocks(sql: Sql, keptMs: number): Promise<Line> {
  const table = await readLockTable(sql, Math.ceil(keptMs / 86_400_000) + MORE_DAYS);
  const { room, needed } = table;
  return judged('locks', lockFinding(table), `room for ${room}, the days that are kept take ${needed}`);
}

async function examineGateways(
  sql: Sql,
  config: SchedulerConfig,
  sealer: Sealer,
  clock: Clock,
): Promise<Line[]> {
  const projects = new ProjectStore(sql, sealer, clock);
  const pushApi = new UndiciPushApi(projects, clock, config.push);
  const calls = new ProjectCalls({ sql, projects, clock, log: createLog('doctor', 'silent') });
  const gateway = new CheckGateway(pushApi, clock, calls);
  try {
    const views = await listProjects(sql, {
      held: null,
      after: undefined,
      limit: 500,
      now: new Date(clock.now()),
    });
    if (views.length === 0)
      return [no('push projects', 'there is none: add one with "carillon project add"')];
    const known = await projects.getMany(views.map(({ serviceId }) => serviceId));
    const reports = [...known.values()].map(async (project) => {
      const name = `push ${project.serviceId}`;
      const report = await gateway.check(project).catch((error: unknown) => causeOf(error));
      if (typeof report === 'string') return no(name, report);
      const { checks } = report;
      const failed = checks.filter((check) => !check.ok);
      return failed.length === 0
        ? ok(name, [...checks.map(({ text }) => text), ...projectWarnings(project)].join('; '))
        : note(name, failed.map(({ text }) => text).join('; '));
    });
    return await Promise.all(reports);
  } finally {
    await calls.stop();
    await pushApi.close();
  }
}

function zoneRules(directory: string | undefined, clock: Clock): Line {
  try {
    const rules = loadZoneRules({ directory });
    const behind = yearsBehind(rules.version, clock.now());
    const text = `tz database ${rules.version} from ${rules.source}`;
    if (behind !== undefined && behind > OLD_RULES_YEARS) {
      return no('zone rules', `${text} is ${behind} years old: update tzdata, or set TZDATA_DIR`);
    }
    return ok('zone rules', text);
  } catch (error) {
    return no('zone rules', `${causeOf(error)}: check TZDATA_DIR`);
  }
}

// Kafka behind TLS and SASL: a real broker, whose certificates are made here. Events and outcomes pass with every mechanism. A fault of
// a password or a certificate is reported in words, and once it is repaired the scheduler goes on without a restart.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/platform/logging/log.js';
import { findKafka } from '../../../tools/kafka/find.js';
import { startKafka, type RunningKafka } from '../../../tools/kafka.js';
import { makeCertificate, type Certificate } from '../../../tools/peers/certificate.js';
import { freePort } from '../../../tools/process/free-port.js';
import { carillon } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { addProject, scheduled } from '../../support/scheduler/intake-world.js';
import { readAll } from '../../support/scheduler/kafka-world.js';

const run = promisify(execFile);
const PATIENT = { withinMs: 90_000 };
const SCRAM = ['scram-sha-256', 'scram-sha-512'] as const;
const MECHANISMS = ['plain', ...SCRAM] as const;
const USER = 'carillon';
const PASSWORD = 'open sesame: "four" words';
const WRONG = 'hunter2 is not it';
/** Listeners behind TLS and SASL: a good one, and two whose certificates are to be mended. */
const LISTENERS = ['good', 'strange', 'misnamed'] as const;
type Listener = (typeof LISTENERS)[number];

const found = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
if (found.kind !== 'jvm')
  process.stderr.write('brokers behind TLS and SASL are not tried: there is no Java to run one\n');

describe.skipIf(found.kind !== 'jvm')('brokers behind TLS and SASL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-sasl-'));
  const good = makeCertificate();
  const misnamed = makeCertificate('broker.example.com');
  const ports = new Map<Listener, number>();
  let broker: RunningKafka;

  const keystoreOf = (listener: Listener): string => join(folder, `${listener}.pem`);
  const presents = (listener: Listener, { key, cert }: Certificate): void =>
    writeFileSync(keystoreOf(listener), key + cert, { mode: 0o600 });

  beforeAll(async () => {
    if (found.kind !== 'jvm') return;
    for (const listener of LISTENERS) ports.set(listener, await freePort());
    presents('good', good);
    presents('strange', makeCertificate());
    presents('misnamed', misnamed);
    broker = await startKafka({
      stateDir: join(folder, 'kafka'),
      found,
      partitions: 1,
      settings: ({ client, controller }) => settingsOf(client, controller),
    });
    await Promise.all(SCRAM.map((mechanism) => setPassword(mechanism, PASSWORD)));
  });
  afterAll(async () => {
    await broker.remove();
    rmSync(folder, { recursive: true });
  });

  function settingsOf(client: number, controller: number): Record<string, string> {
    const places = LISTENERS.map((name) => `${name.toUpperCase()}://127.0.0.1:${ports.get(name)}`);
    const all = [`PLAINTEXT://127.0.0.1:${client}`, ...places];
    const secured = LISTENERS.map((name) => `${name.toUpperCase()}:SASL_SSL`);
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    const quoted = PASSWORD.replaceAll('"', '\\"');
    const plain = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${USER}="${quoted}";`;
    const each = LISTENERS.flatMap((name): [string, string][] => [
      [`listener.name.${name}.ssl.keystore.type`, 'PEM'],
      [`listener.name.${name}.ssl.keystore.location`, keystoreOf(name)],
      ...MECHANISMS.map((mechanism): [string, string] => [
        `listener.name.${name}.${mechanism}.sasl.jaas.config`,
        mechanism === 'plain' ? plain : scram,
      ]),
    ]);
    return {
      listeners: [...all, `CONTROLLER://127.0.0.1:${controller}`].join(),
      'advertised.listeners': all.join(),
      'listener.security.protocol.map': ['CONTROLLER:PLAINTEXT', 'PLAINTEXT:PLAINTEXT', ...secured].join(),
      'sasl.enabled.mechanisms': MECHANISMS.join().toUpperCase(),
      ...Object.fromEntries(each),
    };
  }

  /** Sets the user's password for one mechanism of SCRAM, as operators do. */
  async function setPassword(mechanism: string, password: string): Promise<void> {
    if (found.kind !== 'jvm') return;
    const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
    const flags = [
      '-XX:TieredStopAtLevel=1',
      quiet,
      '-cp',
      found.jars.join(':'),
      'kafka.admin.ConfigCommand',
    ];
    const config = ['--alter', '--add-config', `${mechanism.toUpperCase()}=[password=${password}]`];
    const entity = ['--entity-type', 'users', '--entity-name', USER];
    await run(found.java.command, [...flags, '--bootstrap-server', ...broker.brokers, ...config, ...entity]);
  }

  function environmentOf(
    mechanism: string,
    { listener = 'good', password = PASSWORD, ca = good.cert, name = mechanism }: Client = {},
  ): Record<string, string> {
    return {
      KAFKA_BROKERS: `127.0.0.1:${ports.get(listener)}`,
      KAFKA_TLS: 'true',
      ...(ca !== '' && { KAFKA_CA: ca }),
      KAFKA_SASL_MECHANISM: mechanism,
      KAFKA_USERNAME: USER,
      KAFKA_PASSWORD: password,
      KAFKA_GROUP_ID: name,
      KAFKA_EVENTS_TOPIC: `${name}.events`,
      KAFKA_DEAD_TOPIC: `${name}.dead`,
      KAFKA_OUTCOMES_TOPIC: `${name}.outcomes`,
      KAFKA_TOPIC_PARTITIONS: '1',
    };
  }
  interface Client {
    readonly listener?: Listener;
    readonly password?: string;
    readonly ca?: string;
    readonly name?: string;
  }

  /** A scheduler that takes and publishes, and what it logs. */
  async function during(
    environment: Record<string, string>,
    work: (scheduler: TestScheduler, lines: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const database: TestDatabase = await cloneDatabase();
    const lines: string[] = [];
    const log = createLog('spec', 'debug', { write: (line: string) => void lines.push(line) });
    const config = schedulerConfig(database.url, {
      CARILLON_ROLES: 'api,accept,plan,publish',
      ...environment,
    });
    const scheduler = await startScheduler(config, { log });
    try {
      await eventually(() => scheduler.dataSource.isInitialized, PATIENT);
      await work(scheduler, lines);
    } finally {
      await scheduler.close();
      await database.drop();
    }
  }

  async function kafkaCheck(scheduler: TestScheduler): Promise<string> {
    const authorization = await scheduler.bearer(['analyst']);
    const { body } = await scheduler.call('GET', '/health/ready', { authorization });
    const { checks } = body as { checks: { name: string; ok: boolean; text?: string }[] };
    const check = checks.find(({ name }) => name === 'kafka');
    return check?.ok === true ? 'ok' : (check?.text ?? 'none');
  }

  function publish(name: string, environment: Record<string, string>) {
    const event = scheduled(name, {}, { time: new Date().toISOString() });
    return carillon(['publish', '-', '--kafka'], environment, JSON.stringify(event));
  }

  it.each(MECHANISMS)('%s: topics are made, events taken, outcomes published', async (mechanism) => {
    const environment = environmentOf(mechanism);
    await during(environment, async (scheduler) => {
      await addProject(scheduler.dataSource);
      await eventually(async () => expect(await kafkaCheck(scheduler)).toBe('ok'), PATIENT);
      expect(await publish(mechanism, environment)).toMatchObject({ code: 0, stderr: '' });
      const reader = readAll(broker.brokers, `${mechanism}.outcomes`);
      try {
        await eventually(
          () => expect(reader.messages.map(({ value }) => value).join()).toContain('campaign.planned'),
          PATIENT,
        );
      } finally {
        await reader.close();
      }
    });
  });

  it('a wrong password is said in words, never shown, and taken once the brokers have it', async () => {
    const environment = environmentOf('scram-sha-512', { password: WRONG, name: 'wrong' });
    await during(environment, async (scheduler, lines) => {
      const refusal = /refuse the SASL user name, password or mechanism/;
      await eventually(async () => expect(await kafkaCheck(scheduler)).toMatch(refusal), PATIENT);
      await eventually(() => expect(lines.join('')).toMatch(refusal), PATIENT);
      const published = await publish('wrong', environment);
      expect(published).toMatchObject({ code: 1, stderr: expect.stringMatching(refusal) as unknown });
      await setPassword('scram-sha-512', WRONG);
      await eventually(async () => expect(await kafkaCheck(scheduler)).toBe('ok'), PATIENT);
      for (const text of [...lines, published.stdout, published.stderr]) expect(text).not.toContain(WRONG);
    });
  });

  it('a wrong password of the other mechanisms, and a plain connection to a port of TLS or the other way, are said in words', async () => {
    const asked = async (environment: Record<string, string>): Promise<string> =>
      (await publish('words', environment)).stderr;
    const plain = environmentOf('plain');
    for (const mechanism of ['plain', 'scram-sha-256'])
      expect(await asked(environmentOf(mechanism, { password: WRONG }))).toMatch(/refuse the SASL user name/);
    expect(await asked({ ...plain, KAFKA_BROKERS: broker.brokers.join() })).toMatch(
      /uses no TLS on that port/,
    );
    const withoutTls = { ...environmentOf('plain', { ca: '' }), KAFKA_TLS: 'false' };
    expect(await asked(withoutTls)).toMatch(/the broker ended the connection.*KAFKA_TLS/);
    const unknown = { ...plain, KAFKA_USERNAME: 'nobody' };
    expect(await asked(unknown)).toMatch(/refuse the SASL user name/);
    for (const name of ['KAFKA_SASL_MECHANISM', 'KAFKA_USERNAME', 'KAFKA_PASSWORD']) delete plain[name];
    expect(await asked(plain)).toMatch(/the broker ended the connection.*SASL/);
  });

  it('certificates of an unknown authority or for another name are said in words, and taken once they are right', async () => {
    const strange = environmentOf('plain', { listener: 'strange', name: 'strange' });
    const other = environmentOf('plain', {
      listener: 'misnamed',
      name: 'misnamed',
      ca: good.cert + misnamed.cert,
    });
    await during(strange, (first, firstLines) =>
      during(other, async (second, secondLines) => {
        const unknown = /is not trusted.*KAFKA_CA/;
        const wrongName = /for another name than the one in KAFKA_BROKERS/;
        await eventually(async () => expect(await kafkaCheck(first)).toMatch(unknown), PATIENT);
        await eventually(async () => expect(await kafkaCheck(second)).toMatch(wrongName), PATIENT);
        expect(firstLines.join('')).toMatch(unknown);
        expect(secondLines.join('')).toMatch(wrongName);
        expect((await publish('strange', strange)).stderr).toMatch(unknown);
        expect((await publish('misnamed', other)).stderr).toMatch(wrongName);
        presents('strange', good);
        presents('misnamed', good);
        await broker.restart();
        for (const scheduler of [first, second])
          await eventually(async () => expect(await kafkaCheck(scheduler)).toBe('ok'), PATIENT);
        for (const line of [...firstLines, ...secondLines]) expect(line).not.toContain(PASSWORD);
      }),
    );
  });
});

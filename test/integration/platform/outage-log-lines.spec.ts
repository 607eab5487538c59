// An outage is two log lines of a process, whatever of it meets the outage: away, and back. Both services, as compiled.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMasterKey } from '../../../src/platform/secrets/sealed.js';
import { startCompiled, type RunningProgram } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { callJson } from '../../support/scheduler/running-scheduler.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly failed?: number;
  readonly awayMs?: number;
}

interface Service {
  readonly program: string;
  readonly args: readonly string[];
  readonly up: string;
  /** Which address of its first line answers health and what needs the database. */
  readonly address: 'url' | 'managementUrl';
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const TOKEN = 'management-token-of-a-test';
const WARN = 40;
const SERVICES: readonly [name: string, service: Service][] = [
  [
    'the scheduler',
    {
      program: 'scheduler/main.js',
      args: [],
      up: 'the scheduler is up',
      address: 'url',
      path: '/v1/projects',
      env: { SCHEDULER_PORT: '0', METRICS_PORT: '0', LOOP_IDLE_MS: '50' },
    },
  ],
  [
    'the push service',
    {
      program: 'push-service/main.js',
      args: ['--sandbox'],
      up: 'the push service is up',
      address: 'managementUrl',
      path: '/v1/services',
      env: {
        PUSH_PORT: '0',
        MANAGEMENT_PORT: '0',
        PUSH_METRICS_PORT: '0',
        MANAGEMENT_TOKEN: TOKEN,
        PUSH_IDLE_MS: '50',
      },
    },
  ],
];

// Side by side, for most of their time is that of programs that start: each has a database of its own.
let databases: TestDatabase[];
let kafka: TestKafka;

beforeAll(async () => {
  kafka = await testKafka();
  databases = [await cloneDatabase(), await cloneDatabase(), await cloneDatabase()];
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
});

const linesOf = (program: RunningProgram): Line[] =>
  program.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
/** Without what the spec's own calls without a token leave behind, and without alerts: they judge what an outage leaves waiting. */
const outageLines = (program: RunningProgram): Line[] =>
  linesOf(program).filter(
    ({ level, msg }) => level >= WARN && msg !== 'authentication was refused' && !msg.startsWith('an alert '),
  );

/** Ends every connection of the database, as a restart, a pooler or a firewall does; it takes new ones at once. */
async function cutConnections(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

describe.concurrent.each(SERVICES)('%s', (name, { program: file, args, up, address, path, env }) => {
  it('logs that PostgreSQL is away in two lines, at its start and later, and of cut connections in none', async () => {
    const databaseUrl = databases[name === 'the scheduler' ? 0 : 1]?.url ?? '';
    const proxy = await TcpProxy.inFrontOf(databaseUrl);
    await proxy.close();
    const program = startCompiled(file, {
      args,
      env: { DATABASE_URL: proxy.through(databaseUrl), CARILLON_MASTER_KEY: newMasterKey('spec'), ...env },
    });
    const found = await eventuallyFound(() => linesOfStarted(program).find(({ msg }) => msg === up));
    const base = (found as unknown as Record<string, string>)[address] ?? '';
    const authorization = `Bearer ${address === 'url' ? `car_${'x'.repeat(43)}` : TOKEN}`;
    const call = () => callJson(`${base}${path}`, 'GET', { authorization });
    const ready = async () => (await callJson(`${base}/health/ready`, 'GET')).status;
    const isBack = async (times: number) => {
      await eventually(async () => expect(await ready()).toBe(200));
      await eventually(() => expect(outageLines(program)).toHaveLength(2 * times));
    };
    try {
      await eventually(() => outageLines(program).length > 0);
      expect(await ready()).toBe(503);
      await proxy.open();
      await isBack(1);

      for (let cut = 0; cut < 5; cut += 1) {
        await cutConnections(databaseUrl);
        await eventually(async () => expect(await ready()).toBe(200));
      }
      expect(outageLines(program).slice(2)).toEqual([]);

      await proxy.close();
      const answers = await Promise.all(Array.from({ length: 20 }, call));
      expect(answers[0]).toMatchObject({
        status: 503,
        body: { code: 'DATABASE_AWAY', detail: expect.stringMatching(/try again/) },
      });
      await eventually(() => outageLines(program).length === 3);
      // Loops rest up to 5 s after rounds that failed: each has met it, some of them several times.
      for (let asked = 0; asked < 60; asked += 1) expect((await call()).status).toBe(503);
      await proxy.open();
      await isBack(2);
      expect((await call()).status).toBe(address === 'url' ? 401 : 200);
    } finally {
      program.process.kill('SIGTERM');
      await program.ended;
      await proxy.close();
    }
    const lines = outageLines(program);
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^the database is away \(.*ECONNREFUSED.*\)/),
      expect.stringMatching(/^the database is back/),
      expect.stringMatching(/^the database is away \(.+\)/),
      expect.stringMatching(/^the database is back/),
    ]);
    for (const line of [lines[1], lines[3]]) {
      expect(line?.awayMs).toBeGreaterThan(0);
      expect(line?.failed).toBeGreaterThan(0);
    }
    expect(program.stdout).not.toContain('"stack"');
    expect(program.stdout).not.toContain('works again');
  });
});

describe.concurrent('the scheduler', () => {
  it('logs that Kafka is away in two lines', async () => {
    const { hostname, port } = new URL(`kafka://${kafka.brokers[0] ?? ''}`);
    const proxy = await TcpProxy.inFrontOf(`http://${hostname}:${port}`);
    const broker = new URL(proxy.through(`http://${hostname}:${port}`)).host;
    await proxy.close();
    const [events = '', outcomes = '', dead = ''] = await kafka.newTopics(['events', 'outcomes', 'dead']);
    const program = startCompiled('scheduler/main.js', {
      env: {
        DATABASE_URL: databases[2]?.url ?? '',
        CARILLON_MASTER_KEY: newMasterKey('spec'),
        SCHEDULER_PORT: '0',
        METRICS_PORT: '0',
        KAFKA_BROKERS: broker,
        KAFKA_EVENTS_TOPIC: events,
        KAFKA_OUTCOMES_TOPIC: outcomes,
        KAFKA_DEAD_TOPIC: dead,
        KAFKA_GROUP_ID: events,
      },
    });
    try {
      const found = await eventuallyFound(() =>
        linesOfStarted(program).find(({ msg }) => msg === 'the scheduler is up'),
      );
      const { url } = found as unknown as { url: string };
      await eventually(() => outageLines(program).length > 0);
      expect((await callJson(`${url}/health/ready`, 'GET')).status).toBe(503);
      await proxy.open();
      await eventually(async () => expect((await callJson(`${url}/health/ready`, 'GET')).status).toBe(200));
      await eventually(() => outageLines(program).length === 2);
    } finally {
      program.process.kill('SIGTERM');
      await program.ended;
      await proxy.close();
    }
    expect(outageLines(program).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^Kafka is away \(.*ECONNREFUSED.*\)/),
      expect.stringMatching(/^Kafka is back/),
    ]);
    expect(program.stdout).not.toContain('"stack"');
    expect(program.stdout).not.toContain('works again');
  });
});

function linesOfStarted(program: RunningProgram): Line[] {
  return program.stdout === '' ? [] : linesOf(program);
}

// The carillon command as an operator runs it: a first start on an empty database, and its exit codes.
import { v7 } from 'uuid';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { carillon, startCompiled } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  callJson,
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const KEY = `k1:${randomBytes(32).toString('base64')}`;
const SECRET = 'the-secret-key';
let database: TestDatabase;
let client: Client;
let env: Record<string, string>;
/** It answers the commands that need one, from the first project on. */
let running: TestScheduler;
/** Its address, and the token of an admin. */
let api: Record<string, string>;

beforeAll(async () => {
  database = await cloneDatabase();
  env = { DATABASE_URL: database.url, CARILLON_MASTER_KEY: KEY };
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema scheduler cascade');
});

afterAll(async () => {
  await running.close();
  await client.end();
  await database.drop();
});

describe('a first start', () => {
  it('begins with an empty database, which is not ready until it is migrated', async () => {
    const scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_MASTER_KEY: KEY }));
    try {
      const ready = async () => (await callJson(`${scheduler.url}/health/ready`, 'GET')).status;
      expect(await ready()).toBe(503);
      const doctor = await carillon(['doctor'], env);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/NO {2}migrations .*run "carillon migrate"/);
      const token = ['tokens', 'create', '--first', '--role', 'admin', '--service', '*'];
      for (const args of [token, ['ledger']]) {
        expect(await carillon(args, env)).toMatchObject({
          code: 1,
          stderr: 'the schema is missing or old: run "carillon migrate"\n',
        });
      }

      const [first, second] = await Promise.all([
        carillon(['migrate', '--json'], env),
        carillon(['migrate', '--json'], env),
      ]);
      expect([first.code, second.code]).toEqual([0, 0]);
      const ran = [first, second].map(({ stdout }) => (JSON.parse(stdout) as { ran: string[] }).ran.length);
      expect(Math.min(...ran)).toBe(0);
      expect(Math.max(...ran)).toBe(schedulerMigrations.length);
      expect((await carillon(['migrate'], env)).stdout).toBe('The schema is up to date.\n');

      await eventually(async () => expect(await ready()).toBe(200));
    } finally {
      await scheduler.close();
    }
  });

  it('makes a token that the API takes, and a project whose key the scheduler opens', async () => {
    const made = await carillon(
      ['tokens', 'create', '--first', '--name', 'first', '--role', 'admin', '--service', '*', '--json'],
      env,
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { token } = JSON.parse(made.stdout) as { token: string };
    running = await startScheduler(schedulerConfig(database.url, { CARILLON_MASTER_KEY: KEY }));
    await eventually(() => running.dataSource.isInitialized);
    api = { CARILLON_URL: running.url, CARILLON_TOKEN: token };

    const args = [
      'projects',
      'add',
      'shop-app',
      '--base-url',
      'https://push.example.test',
      '--access-key',
      'AK1',
    ];
    const more = [
      '--source',
      '/shop/*',
      '--set',
      'minReserveLeadMs=20000',
      '--set',
      'defaultZone=Europe/Berlin',
    ];
    const added = await carillon([...args, ...more], api, `${SECRET}\n`);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toContain('shop-app');

    const answer = await running.call('GET', '/v1/projects/shop-app', { authorization: `Bearer ${token}` });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        sources: ['/shop/*'],
        minReserveLeadMs: 20_000,
        defaultZone: 'Europe/Berlin',
        keys: [{ accessKey: 'AK1' }],
      },
    });
    const { rows } = await client.query<{ who: string; action: string }>(
      'select who, action from scheduler.audit order by id',
    );
    expect(rows.map(({ action }) => action)).toEqual(['token.create', 'project.create']);
    expect(rows[0]?.who).toMatch(/^cli:/);
    expect(rows[1]?.who).toMatch(/^token:first /);
  });

  it('takes the secret from the environment too, and never from the arguments', async () => {
    const args = [
      'projects',
      'add',
      'by-env',
      '--base-url',
      'http://127.0.0.1:9',
      '--access-key',
      'AK2',
      '--json',
    ];
    const added = await carillon(args, { ...api, CARILLON_SECRET_KEY: SECRET });
    expect(added.code).toBe(0);
    expect(added.stdout).not.toContain(SECRET);
    const { rows } = await client.query<{ sealed: string }>(
      'select secret_sealed as sealed from scheduler.project_key',
    );
    expect(rows).toHaveLength(2);
    for (const { sealed } of rows) expect(sealed).toMatch(/^k1\./);
    expect((await carillon([...args.slice(0, -1), '--secret-key', SECRET], api)).code).toBe(2);
  });
});

describe('carillon ledger', () => {
  it('balances, and ends with 1 and names the row when one is taken away', async () => {
    expect(await carillon(['ledger'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/balanced\n$/),
    });
    const { rows } = await client.query<{ id: string }>(
      `insert into scheduler.event (id, verdict, received_at, via, body)
       values ($1, 'rejected', now(), 'http', '') returning id`,
      [v7()],
    );
    const lost = await carillon(['ledger'], env);
    expect(lost.code).toBe(1);
    expect(lost.stdout).toContain('NOT balanced');
    expect(lost.stdout).toContain(rows[0]?.id);
    const json = JSON.parse((await carillon(['ledger', '--json'], env)).stdout) as { balanced: boolean };
    expect(json.balanced).toBe(false);
  });

  it('watched, prints what has changed until Ctrl-C, and ends as its last reading would have', async () => {
    const watched = startCompiled('cli/carillon.js', { args: ['ledger', '--watch', '1', '--json'], env });
    const lines = (): { balanced: boolean }[] =>
      watched.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { balanced: boolean });
    await eventually(() => expect(lines().map(({ balanced }) => balanced)).toEqual([false]));
    await client.query("delete from scheduler.event where via = 'http' and body = ''");
    await eventually(() => expect(lines().map(({ balanced }) => balanced)).toEqual([false, true]));
    watched.process.kill('SIGINT');
    expect(await watched.ended).toMatchObject({ code: 0, stderr: '' });

    await client.query(
      `insert into scheduler.event (id, verdict, received_at, via, body) values ($1, 'rejected', now(), 'http', '')`,
      [v7()],
    );
    const forPeople = startCompiled('cli/carillon.js', { args: ['ledger', '--watch'], env });
    await eventually(() => expect(forPeople.stdout).toMatch(/^as of 20.*\nevents 1 ≠ 0\n[^]*NOT balanced\n/));
    forPeople.process.kill('SIGINT');
    expect(await forPeople.ended).toMatchObject({ code: 1 });
    expect((await carillon(['ledger', '--watch', '0'], env)).code).toBe(2);
  });
});

describe('carillon doctor', () => {
  it('says of each dependency whether it is well, and goes on past one that is not', async () => {
    const { code, stdout } = await carillon(['doctor', '--json'], { ...env, KAFKA_BROKERS: '127.0.0.1:1' });
    expect(code).toBe(1);
    const { lines } = JSON.parse(stdout) as { lines: { name: string; ok: boolean; text: string }[] };
    const byName = new Map(lines.map((line) => [line.name, line]));
    expect(byName.get('database')).toMatchObject({ ok: true });
    expect(byName.get('migrations')).toMatchObject({ ok: true });
    expect(byName.get('clock')).toMatchObject({ ok: true });
    expect(byName.get('locks')).toMatchObject({
      ok: true,
      text: expect.stringMatching(/^room for \d{5}, .* take \d{4,5}$/),
    });
    expect(byName.get('zone rules')?.text).toMatch(/tz database 20\d\d[a-z]/);
    expect(byName.get('kafka')).toMatchObject({ ok: false, text: expect.stringContaining('KAFKA_BROKERS') });
    expect(byName.get('push by-env')).toMatchObject({
      ok: false,
      text: expect.stringContaining('does not answer'),
    });
  });

  it('only notes a gateway that is away: it is no fault of this installation', async () => {
    const { stdout } = await carillon(['doctor'], env);
    expect(stdout).toMatch(/^NB {2}push by-env .*does not answer/m);
    // The clusters of a test run do without fsync.
    expect(stdout.match(/^NO {2}\S+/gm)).toEqual(['NO  durability']);
  });
});

describe('carillon doctor', () => {
  it('says how large the table of locks is to be where more days are kept than it has room for', async () => {
    const { code, stdout } = await carillon(['doctor'], { ...env, SEND_RETENTION_DAYS: '3000' });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^NO {2}locks .*set it to \d{4} and restart/m)]);
  });
});

describe('a master key that replaces another', () => {
  const NEXT = `k2:${randomBytes(32).toString('base64')}`;
  const LOST =
    /2 of project_key \(by-env \w+, shop-app AK1\) need the master key k1: it is not in CARILLON_MASTER_KEY/;

  it('leaves rows that the doctor names: as a note while the former key is there, else as a fault', async () => {
    const doctor = (keys: string) => carillon(['doctor'], { ...env, CARILLON_MASTER_KEY: keys });
    expect((await doctor(KEY)).stdout).toMatch(/^ok {2}master key +k1 seals everything$/m);
    expect((await doctor(`${NEXT},${KEY}`)).stdout).toMatch(
      /^NB {2}master key +2 of project_key .* need the master key k1: keep it/m,
    );
    const lost = await doctor(NEXT);
    expect(lost.stdout).toMatch(new RegExp(`^NO {2}master key +${LOST.source}`, 'm'));
    expect(lost.code).toBe(1);
  });

  it('leaves rows that health names to a token’s holder, of a process that is ready all the same', async () => {
    const scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_MASTER_KEY: NEXT }));
    try {
      await eventually(() => scheduler.dataSource.isInitialized);
      const authorization = await scheduler.bearer(['operator']);
      const { body } = await scheduler.call('GET', '/health/ready', { authorization });
      const { checks } = body as { checks: { name: string; ok: boolean; note?: true; text: string }[] };
      expect(checks.find(({ name }) => name === 'master key')).toMatchObject({
        ok: false,
        note: true,
        text: expect.stringMatching(LOST),
      });
    } finally {
      await scheduler.close();
    }
  });
});

describe('carillon projects keys', () => {
  it('rotates a key to its end', async () => {
    const keys = async (args: string[], input?: string) =>
      carillon(['projects', 'keys', ...args, '--json'], api, input);
    const named = ({ stdout }: { stdout: string }) =>
      (JSON.parse(stdout) as { accessKey: string }[]).map(({ accessKey }) => accessKey);
    const added = await keys(['add', 'shop-app', '--access-key', 'AK2'], `${SECRET}-2\n`);
    expect([added.code, named(added)]).toEqual([0, ['AK2', 'AK1']]);
    const removed = await keys(['remove', 'shop-app', 'AK1']);
    expect([removed.code, named(removed)]).toEqual([0, ['AK2']]);
    expect(await keys(['remove', 'shop-app', 'AK2'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('only key'),
    });
    expect(await keys(['remove', 'nobody', 'AK2'])).toMatchObject({ code: 1 });
  });
});

describe('exit code 2', () => {
  const calls: [why: string, args: string[], env: () => Record<string, string>, says: RegExp][] = [
    ['no command', [], () => env, /Usage/],
    ['a command nobody knows', ['ring'], () => env, /unknown command/],
    ['an option nobody knows', ['migrate', '--fast'], () => env, /unknown option/],
    ['no DATABASE_URL', ['migrate'], () => ({}), /DATABASE_URL is required/],
    [
      'a role nobody knows',
      ['tokens', 'create', '--role', 'king', '--service', '*'],
      () => env,
      /--role: .*"publisher"/,
    ],
    [
      'no role and no service',
      ['tokens', 'create'],
      () => env,
      /--role: is required\n.*--service: is required\n$/,
    ],
    [
      'more days than a token may have',
      ['tokens', 'create', '--role', 'admin', '--service', '*', '--expires', '400'],
      () => env,
      /--expires: must be at most 366/,
    ],
    [
      'a setting nobody knows',
      ['projects', 'set', 'shop-app', 'rate=2'],
      () => api,
      /rate: there is no such setting; there are .*ratePerSecond/,
    ],
    [
      'the ledger of a project nobody knows',
      ['ledger', '--service', 'shop-ap'],
      () => env,
      /there is no push project shop-ap/,
    ],
    [
      'days that are none',
      ['tokens', 'create', '--role', 'admin', '--service', '*', '--expires', 'soon'],
      () => env,
      /whole number/,
    ],
    [
      'no secret',
      ['projects', 'add', 'x', '--base-url', 'https://x.test', '--access-key', 'a'],
      () => api,
      /secret key/,
    ],
    ...['push.example.com', '', 'http://'].map(
      (url): [string, string[], () => Record<string, string>, RegExp] => [
        `an address that is none (${url})`,
        ['projects', 'add', 'x', '--base-url', url, '--access-key', 'a'],
        () => ({ ...api, CARILLON_SECRET_KEY: SECRET }),
        /baseUrl: must be an address like https:/,
      ],
    ),
    [
      'every fault of the configuration',
      ['doctor'],
      () => ({ SCHEDULER_PORT: 'x' }),
      /DATABASE_URL[^]*SCHEDULER_PORT[^]*CARILLON_MASTER_KEY/,
    ],
  ];
  it.each(calls)('is for %s', async (_, args, environment, says) => {
    const ended = await carillon(args, environment());
    expect(ended.code).toBe(2);
    expect(`${ended.stderr}${ended.stdout}`).toMatch(says);
  });
});

describe('exit code 1', () => {
  it('is for a database that is away, with a sentence', async () => {
    const ended = await carillon(['migrate'], { DATABASE_URL: 'postgresql://127.0.0.1:1/x' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('DATABASE_URL');
    expect(ended.stderr).toContain('(127.0.0.1:1/x)');
    expect(ended.stderr).toContain('ECONNREFUSED');
  });

  it('is for what is refused: a serviceId that is taken, a zone nobody knows', async () => {
    const add = ['projects', 'add', 'shop-app', '--base-url', 'https://x.test', '--access-key', 'a'];
    const taken = await carillon(add, api, SECRET);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
    const zone = await carillon(
      ['projects', 'add', 'other', ...add.slice(3), '--set', 'gatewayZone=Asia/Soul'],
      api,
      SECRET,
    );
    expect(zone).toMatchObject({ code: 1, stderr: expect.stringContaining('/gatewayZone') });
  });
});

describe('carillon plan', () => {
  it('needs no environment, and ends with 0 for a plan, 1 for a campaign that is none, 2 for a file that is none', async () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const [planned, template, none] = await Promise.all(
      ['examples/01-welcome-now.json', 'examples/04-recipient-clock.json', 'README.md'].map((name) =>
        carillon(['plan', join(root, name)], {}),
      ),
    );
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('immediate DUE_NOW') });
    expect(template).toMatchObject({ code: 1, stdout: expect.stringContaining('what the demo fills in') });
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('not JSON') });
  });
});

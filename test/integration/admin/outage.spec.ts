// The database away: at start, and later. The process stays up, says so, and goes on where it was.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/platform/logging/log.js';
import { CHANNELS } from '../../../src/scheduler/store/channels.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

const logged: string[] = [];
/** Without alerts, which have lines of their own. */
const outageLines = (): string[] =>
  logged
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .flatMap(({ level, msg }) => (level >= 40 && !msg.startsWith('an alert ') ? [msg] : []));
let password: string;
let database: TestDatabase;
let proxy: TcpProxy;
let scheduler: TestScheduler;

beforeAll(async () => {
  database = await cloneDatabase();
  proxy = await TcpProxy.inFrontOf(database.url);
  await proxy.close();
  const url = new URL(proxy.through(database.url));
  // A trusted cluster takes any password, another has its own: both are secrets.
  if (url.password === '') url.password = 'hunter2-in-the-url';
  password = url.password;
  const log = createLog('scheduler', 'info', { write: (line: string) => void logged.push(line) });
  scheduler = await startScheduler(schedulerConfig(url.href), { log });
});

afterAll(async () => {
  await scheduler.close();
  await proxy.close();
  await database.drop();
});

const ready = async (): Promise<number> => (await scheduler.call('GET', '/health/ready')).status;
/** How often the loop ran to its end. */
const metric = async (pattern: RegExp): Promise<string | undefined> =>
  pattern.exec(await (await fetch(scheduler.metricsUrl)).text())?.[1];

describe('a database that is away at start', () => {
  it('leaves the process live, not ready, and answering 503 with Retry-After', async () => {
    expect((await scheduler.call('GET', '/health/live')).status).toBe(200);
    expect(await ready()).toBe(503);
    const authorization = `Bearer car_${'x'.repeat(43)}`;
    const answer = await scheduler.call('GET', '/v1/projects', { authorization });
    expect(answer).toMatchObject({ status: 503, body: { code: 'DATABASE_AWAY' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await metric(/carillon_health_check\{check="database"\} (\d)/)).toBe('0');
    await eventually(() => logged.some((line) => line.includes('ECONNREFUSED')));
  });

  it('is found when it comes, and everything starts', async () => {
    await proxy.open();
    await eventually(async () => expect(await ready()).toBe(200));
    await eventually(async () =>
      expect(await metric(/carillon_loop_ok\{loop="housekeeping"\} (\d)/)).toBe('1'),
    );
  });
});

describe('a database that goes away later', () => {
  it('makes the process unready, and it goes on by itself', async () => {
    const before = await scheduler.bearer(['operator']);
    expect((await scheduler.call('GET', '/v1/projects', { authorization: before })).status).toBe(200);
    await proxy.close();
    await eventually(async () => expect(await ready()).toBe(503));
    const answer = await scheduler.call('GET', '/v1/projects', { authorization: before });
    expect(answer).toMatchObject({ status: 503, body: { code: 'DATABASE_AWAY' } });
    // A database that is back at once was not away.
    await eventually(() => expect(outageLines()).toHaveLength(3));
    await proxy.open();
    await eventually(async () => expect(await ready()).toBe(200), { withinMs: 50_000 });
    expect((await scheduler.call('GET', '/v1/projects', { authorization: before })).status).toBe(200);
  });

  it('gets notifications again', async () => {
    const loops = scheduler.internals.loops;
    const woken: string[] = [];
    const wake = loops.wake.bind(loops);
    loops.wake = (name) => {
      woken.push(name);
      wake(name);
    };
    await eventually(async () => {
      await scheduler.dataSource.query(`select pg_notify('${CHANNELS.plan}', '')`);
      expect(woken).toContain('plan');
    });
  });
});

describe('the log of an outage', () => {
  it('logs each in two lines, and never the password', async () => {
    const away = expect.stringMatching(/^the database is away/);
    const back = expect.stringMatching(/^the database is back/);
    await eventually(() => expect(outageLines()).toEqual([away, back, away, back]));
    expect(logged.join('')).not.toContain(password);
  });
});

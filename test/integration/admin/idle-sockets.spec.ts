// Somebody without a token opens as many connections as they can and leaves them idle: others are still answered, and health answers
// on its own port however full the API's port is.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
const idle: Socket[] = [];

/** Connects from 127.0.0.`from`, asks once, as a keep-alive client does, and then leaves the connection open. */
async function idleSockets(url: string, from: number, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const opened = Array.from({ length: count }, () =>
    connect({ port: Number(port), host: hostname, localAddress: `127.0.0.${from}` }),
  );
  idle.push(...opened);
  await Promise.all(
    opened.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('data', () => resolve()).once('close', () => resolve());
          // A connection that is refused may be reset.
          socket.on('error', () => undefined).write(REQUEST);
        }),
    ),
  );
  return opened.filter((socket) => !socket.destroyed);
}

/** The whole answer, on a connection of its own; '' where it is refused. */
async function ask(url: string, from = 1): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: `127.0.0.${from}` });
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return text(socket).catch(() => '');
}

afterEach(() => {
  for (const socket of idle.splice(0)) socket.destroy();
});

describe('the scheduler', () => {
  let database: TestDatabase;
  let scheduler: TestScheduler;

  beforeAll(async () => {
    database = await cloneDatabase();
    scheduler = await startScheduler(schedulerConfig(database.url));
    await eventually(() => scheduler.dataSource.isInitialized);
  });

  afterAll(async () => {
    await scheduler.close();
    await database.drop();
  });

  it('answers others while one address has 1 000 connections open, of which it keeps 250', async () => {
    const kept = await idleSockets(scheduler.url, 2, 1_000);
    expect(await ask(`${scheduler.url}/health/live`)).toMatch(/^HTTP\/1.1 200 /);
    expect(kept).toHaveLength(250);
    // One that ends makes room for one.
    kept[0]?.destroy();
    await eventually(async () => expect(await ask(`${scheduler.url}/health/live`, 2)).toContain('200 OK'));
  });

  it('keeps an idle connection for ten seconds, and says so', async () => {
    const [socket] = await idleSockets(scheduler.url, 2, 1);
    if (socket === undefined) throw new Error('the connection was refused');
    const answer = once(socket, 'data');
    socket.write(REQUEST);
    expect(String(await answer)).toMatch(/^keep-alive: timeout=10\r$/im);
  });

  it('answers health on its own port while that of the API takes nobody', async () => {
    const health = new URL(scheduler.metricsUrl).origin;
    for (const from of [2, 3, 4, 5, 6]) await idleSockets(scheduler.url, from, 250);
    expect(await ask(`${scheduler.url}/health/live`)).toBe('');
    expect(await ask(`${health}/health/live`)).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\n\{"status":"live"\}$/);
    const { ready } = await scheduler.internals.health.report();
    expect(await ask(`${health}/health/ready`)).toMatch(
      ready ? /^HTTP\/1.1 200 [^]*\{"status":"ready"\}$/ : /^HTTP\/1.1 503 [^]*\{"status":"not-ready"\}$/,
    );
  });
});

describe('the push service', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({ PUSH_MAX_CONNECTIONS: '40', PUSH_MAX_CONNECTIONS_PER_ADDRESS: '10' });
  });

  afterAll(() => stage.close());

  it('answers others while one address has every connection that it may have', async () => {
    expect(await idleSockets(stage.target.url, 2, 40)).toHaveLength(10);
    expect(await ask(`${stage.target.url}/push/v2`)).toMatch(/^HTTP\/1.1 401 /);
  });

  it('answers health on the port of its metrics while that of the interface takes nobody', async () => {
    const health = new URL(stage.target.metricsUrl ?? '').origin;
    for (const from of [2, 3, 4, 5, 6]) await idleSockets(stage.target.url, from, 10);
    expect(await ask(`${stage.target.url}/push/v2`)).toBe('');
    for (const path of ['live', 'ready'])
      expect(await ask(`${health}/health/${path}`)).toMatch(/^HTTP\/1.1 200 /);
  });
});

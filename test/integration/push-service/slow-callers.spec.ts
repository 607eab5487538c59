// Callers who send slowly, or hold many connections: at the gateway, at management, and at the scheduler's API.
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { Management, signatureOf, type Client } from '../../contract/push-service/support/client.js';
import { startOwn, type Target } from '../../contract/push-service/support/target.js';

const LIMITS = { REQUEST_TIMEOUT_MS: '3000', MAX_CONNECTIONS: '20' };

let target: Target;
let client: Client;
let database: TestDatabase;
let scheduler: TestScheduler;
const open = new Set<Socket>();

beforeAll(async () => {
  target = await startOwn(limits('PUSH'));
  client = await new Management(target).newService();
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, limits('SCHEDULER')));
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  open.clear();
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
  await target.close();
});

function limits(of: string): Record<string, string> {
  return Object.fromEntries(Object.entries(LIMITS).map(([name, value]) => [`${of}_${name}`, value]));
}

/** The head of a POST channels whose body is promised and does not come. */
function headOf(secretKey: string): string {
  const path = client.path('channels');
  const timestamp = String(Date.now());
  const { accessKey } = client.keys;
  return [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 1000',
    `x-svc-apigw-timestamp: ${timestamp}`,
    `x-svc-iam-access-key: ${accessKey}`,
    `x-svc-apigw-signature-v2: ${signatureOf('POST', path, timestamp, { accessKey, secretKey })}`,
    '',
    '',
  ].join('\r\n');
}

interface Held {
  readonly socket: Socket;
  /** All that came so far. */
  readonly text: () => string;
  readonly isOver: () => boolean;
}

/** Sends, and if it sent anything a blank every 200 ms from then on, as long as anybody takes it. */
function hold(url: string, bytes: string): Held {
  const { hostname, port } = new URL(url);
  let text = '';
  let over = false;
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  open.add(socket);
  const timer = bytes === '' ? undefined : setInterval(() => socket.write(' '), 200);
  socket.on('data', (chunk) => (text += chunk.toString('utf8')));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    over = true;
    clearInterval(timer);
  });
  return { socket, text: () => text, isOver: () => over };
}

it('refuses a stranger by the headers, whether or not the body comes, and holds no connection for it', async () => {
  const begun = performance.now();
  const held = hold(target.url, headOf('wrong'));
  await eventually(() => held.text().includes('"errorCode":"200"'));
  expect(performance.now() - begun).toBeLessThan(2_900);
  await eventually(held.isOver, { withinMs: 15_000 });
  expect(held.text().split('HTTP/1.1 ').length).toBe(2);
}, 30_000);

it('waits for a signed body no longer than a request may take', async () => {
  const held = hold(target.url, headOf(client.keys.secretKey));
  await eventually(held.isOver, { withinMs: 15_000 });
  expect(held.text()).toMatch(/^HTTP\/1\.1 400 /);
  expect(held.text()).toContain('"errorCode":"100"');
});

it.each([
  ['the gateway', () => target.url],
  ['management', () => target.managementUrl],
  ['the scheduler', () => scheduler.url],
])('waits for half a head no longer at %s', async (_, url) => {
  const head = hold(url(), 'POST /v1/projects HTTP/1.1\r\nHost: x\r\nx-half: ');
  await eventually(head.isOver, { withinMs: 15_000 });
  expect(head.text()).not.toMatch(/^HTTP\/1\.1 [25]/);
});

it.each([
  ['management', '/v1/services', () => target.managementUrl, () => `Bearer ${target.managementToken}`],
  ['the scheduler', '/v1/events', () => scheduler.url, () => scheduler.bearer(['admin'])],
])(
  'keeps no stranger’s body at %s, and waits for a known caller’s no longer than it may take',
  async (_, path, url, token) => {
    const headOfPost = (authorization: string): string =>
      [
        `POST ${path} HTTP/1.1`,
        'Host: x',
        `Authorization: ${authorization}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        '3e8',
        '{',
      ].join('\r\n');
    const begun = performance.now();
    const stranger = hold(url(), headOfPost('Bearer not-a-token-of-anybody'));
    const known = hold(url(), headOfPost(await token()));
    await eventually(() => stranger.text().includes('UNAUTHENTICATED'));
    expect(performance.now() - begun).toBeLessThan(2_900);
    expect(known.text()).toBe('');
    await eventually(() => stranger.isOver() && known.isOver(), { withinMs: 15_000 });
    expect(known.text()).not.toMatch(/^HTTP\/1\.1 [25]/);
  },
);

it.each([
  ['the gateway', () => target.url],
  ['management', () => target.managementUrl],
  ['the scheduler', () => scheduler.url],
])('takes no more connections than it may at %s, and new ones when those are gone', async (_, url) => {
  const sockets = Array.from({ length: 30 }, () => hold(url(), ''));
  // What is over its bound is closed at once, long before anything has taken too long.
  await eventually(() => sockets.filter((one) => one.isOver()).length >= 10, { withinMs: 2_500 });
  expect(sockets.filter((one) => !one.isOver()).length).toBeGreaterThan(0);
  for (const { socket } of sockets) socket.destroy();
  await eventually(async () => {
    const answer = await fetch(url()).catch(() => undefined);
    return answer !== undefined && answer.status < 500;
  });
});

// Webhooks reach a real receiver over a bad network: each beginning and each end is in exactly one message, signed as Standard
// Webhooks asks, however often it had to be posted; and nothing in it was written by a gateway.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { keepAlerts } from '../../../src/scheduler/alerts/alert.store.js';
import type { Status } from '../../../src/scheduler/alerts/status/status.js';
import type { CauseCode } from '../../../src/scheduler/alerts/cause.js';
import { SendWebhooks } from '../../../src/scheduler/alerts/webhooks/send-webhooks.js';
import { WebhookClient } from '../../../src/scheduler/alerts/webhooks/webhook-client.js';
import { noteChanges } from '../../../src/scheduler/alerts/webhooks/webhook-message.store.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

type Answer = (response: ServerResponse) => void;
interface Got {
  readonly id: string;
  readonly body: string;
  readonly type: string;
  readonly data: Record<'began' | 'ended', { cause: string; serviceId: string | null }[]>;
}

const ok: Answer = (response) => response.writeHead(204).end();
const lost: Answer = (response) => response.socket?.resetAndDestroy();
const broken: Answer = (response) => response.writeHead(500).end();
const elsewhere: Answer = (response) => response.writeHead(307, { location: '/other' }).end();
/** It was taken, and the answer was lost. */
const cut: Answer = (response) => response.socket?.destroy();

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const QUIET_MS = 120_000;
let world: World;
let scheduler: TestScheduler;
let admin: string;
let client: WebhookClient;
let sender: SendWebhooks;
let answers: Answer[];
let got: Got[];
let paths: string[];
const clock = new SteppedClock(START);

const receiver = createServer((request, response) => void take(request, response));
async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const of = (name: string): string => String(request.headers[name]);
  const signed = `${of('webhook-id')}.${of('webhook-timestamp')}.${body}`;
  const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(signed).digest('base64');
  expect(of('webhook-signature')).toBe(`v1,${expected}`);
  expect(Math.abs(Date.now() / 1_000 - Number(of('webhook-timestamp')))).toBeLessThan(60);
  paths.push(request.url ?? '');
  got.push({ id: of('webhook-id'), body, ...(JSON.parse(body) as Pick<Got, 'type' | 'data'>) });
  (answers.shift() ?? ok)(response);
}

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  world = await World.open();
  scheduler = await startScheduler(
    schedulerConfig(world.url, { CARILLON_ROLES: 'api', CARILLON_MASTER_KEY: world.masterKey }),
    { clock },
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  // The tests judge and send themselves, once the loops have begun.
  await eventually(async () => {
    const [round] = await world.dataSource.query<{ begun: boolean }>(
      "select isfinite(begun_at) as begun from alert_round where name = 'judge'",
    );
    return round?.begun === true;
  });
  for (const loop of ['alerts', 'webhooks']) await scheduler.internals.loops.end(loop);
  admin = await scheduler.bearer(['admin']);
  client = new WebhookClient();
  const deps = {
    database: world.dataSource,
    sealer: world.sealer,
    client,
    clock,
    log: pino({ level: 'silent' }),
  };
  sender = new SendWebhooks({ ...deps, wall: Date.now }, 0, [0, 0, 0, 0, 0, 0, 0]);
});
afterAll(async () => {
  await scheduler.close();
  await client.close();
  receiver.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate alert, webhook cascade');
  [answers, got, paths] = [[], [], []];
});

const url = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?a=b`;
async function make(body: object = {}): Promise<string> {
  const made = await scheduler.call('POST', '/v1/webhooks', {
    authorization: admin,
    body: { url: url(), secret: SECRET, ...body },
  });
  expect(made).toMatchObject({ status: 201, body: { secret: SECRET, failingSince: null } });
  return (made.body as { id: string }).id;
}
/** These causes are there from now on, and no others. */
async function judged(...causes: readonly (readonly [CauseCode, string | null])[]): Promise<void> {
  const found = causes.map(([cause, serviceId]) => ({
    cause,
    serviceId,
    figure: 1,
    detail: 'user-17 said so',
  }));
  await world.dataSource.transaction(async (sql) => {
    await noteChanges(sql, await keepAlerts(sql, found, { now: clock.now(), quietMs: QUIET_MS }));
  });
}
async function ended(): Promise<void> {
  clock.advance(QUIET_MS + 1);
  await judged();
}
/** Rounds until nothing is due. */
async function sent(): Promise<void> {
  while ((await sender.runOnce()) > 0);
}
const webhook = async () =>
  ((await scheduler.call('GET', '/v1/webhooks', { authorization: admin })).body as { items: object[] })
    .items[0];

describe('a webhook', () => {
  it('is told what began and what ended, once each', async () => {
    await make();
    await judged(['BLOCKED', SERVICE], ['DISK', null]);
    await judged(['BLOCKED', SERVICE], ['DISK', null]);
    await sent();
    await ended();
    await sent();
    expect(got.map(({ data }) => [data.began.length, data.ended.length])).toEqual([
      [2, 0],
      [0, 2],
    ]);
    expect(got[0]?.data.began).toMatchObject([
      { cause: 'BLOCKED', serviceId: SERVICE, endedAt: null, runbook: 'docs/operate/runbook.md#blocked' },
      { cause: 'DISK', serviceId: null },
    ]);
    expect(got.map(({ body }) => body).join('')).not.toContain('user-17');
    expect(paths).toEqual(['/hook?a=b', '/hook?a=b']);
  });

  it('gets each cause in one message over a bad network, whatever was lost', async () => {
    await make();
    await judged(['BLOCKED', SERVICE]);
    answers = [lost, broken, elsewhere, cut, ok];
    await sent();
    expect(new Set(got.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(paths).toEqual(Array.from({ length: 5 }, () => '/hook?a=b'));
    expect(await webhook()).toMatchObject({ failingSince: null, lastError: null });
    await sent();
    expect(got).toHaveLength(5);
  });

  it('is given up after eight tries; the next message is tried anew, and it says since when it fails', async () => {
    await make();
    await judged(['BLOCKED', SERVICE]);
    answers = Array.from({ length: 8 }, () => broken);
    await sent();
    expect(got).toHaveLength(8);
    const { failingSince } = (await webhook()) as { failingSince: string };
    expect(await webhook()).toMatchObject({
      lastError: 'HTTP 500',
      failingSince: expect.any(String) as string,
    });
    await ended();
    answers = [broken];
    await sent();
    expect(got).toHaveLength(10);
    expect(failingSince).not.toBeNull();
    expect(await webhook()).toMatchObject({ failingSince: null });
  });

  it('that nothing reached for a day is named by status', async () => {
    const id = await make();
    const failing = async () =>
      ((await scheduler.call('GET', '/v1/status', { authorization: admin })).body as Status).system
        .webhooksFailing;
    const since = (age: string): Promise<unknown> =>
      world.dataSource.query(`update webhook set failing_since = clock_timestamp() - interval '${age}'`);
    await since('23 hours');
    expect(await failing()).toEqual([]);
    await since('25 hours');
    expect(await failing()).toEqual([{ id, since: expect.any(String) as string }]);
  });

  it('is told only its causes and services', async () => {
    await make({ causes: ['BLOCKED', 'DISK'], services: [SERVICE] });
    await judged(['BLOCKED', SERVICE], ['BLOCKED', 'another-app'], ['LATE', SERVICE], ['DISK', null]);
    await sent();
    expect(got.flatMap(({ data }) => data.began)).toMatchObject([{ cause: 'BLOCKED', serviceId: SERVICE }]);
  });

  it('waits 5 s for an answer, and no longer', async () => {
    const id = await make();
    answers = [() => undefined];
    const began = performance.now();
    const test = await scheduler.call('POST', `/v1/webhooks/${id}/test`, { authorization: admin });
    expect(test).toMatchObject({ status: 200, body: { taken: false, error: 'CALL_TIMEOUT' } });
    expect(performance.now() - began).toBeGreaterThan(4_900);
  });

  it('is tried by hand, and removed with what it was still to be told', async () => {
    const id = await make();
    expect(await scheduler.call('POST', `/v1/webhooks/${id}/test`, { authorization: admin })).toMatchObject({
      body: { taken: true, status: 204, error: null },
    });
    expect(got).toMatchObject([{ type: 'test' }]);
    await judged(['BLOCKED', SERVICE]);
    expect(await scheduler.call('DELETE', `/v1/webhooks/${id}`, { authorization: admin })).toMatchObject({
      status: 204,
    });
    await sent();
    expect(got).toHaveLength(1);
  });

  it.each([
    ['http://169.254.169.254/latest', 'ADDRESS_REFUSED'],
    ['http://[::ffff:169.254.169.254]/', 'ADDRESS_REFUSED'],
    ['ftp://127.0.0.1/', 'INVALID_REQUEST'],
  ])('is not made for %s', async (address, code) => {
    const body = { url: address };
    expect(await scheduler.call('POST', '/v1/webhooks', { authorization: admin, body })).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  it('keeps its secret sealed, and is made only by a holder of all services', async () => {
    await make();
    const [row] = await world.dataSource.query<{ secret_sealed: string }>(
      'select secret_sealed from webhook',
    );
    expect(row?.secret_sealed).not.toContain('whsec');
    expect(JSON.stringify(await webhook())).not.toContain('whsec');
    const authorization = await scheduler.bearer(['admin'], [SERVICE]);
    expect(
      await scheduler.call('POST', '/v1/webhooks', { authorization, body: { url: url() } }),
    ).toMatchObject({ status: 403, body: { code: 'ALL_SERVICES_NEEDED' } });
  });
});

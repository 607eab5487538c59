// The API checks its input: who may set an address and which, bodies that are left out, query members that it does not know.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const HOSTS = 'push.example.com,*.gateway.test,169.254.169.254,localhost';
let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_GATEWAY_HOSTS: HOSTS }));
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
  await create('shop', 'https://push.example.com');
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const as = (authorization: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  scheduler.call(method, path, { authorization, ...(body !== undefined && { body }) });
const create = (serviceId: string, baseUrl: string, authorization = admin): Promise<Answer> =>
  as(authorization, 'POST', '/v1/projects', {
    serviceId,
    baseUrl,
    key: { accessKey: 'ak', secretKey: 'sk' },
  });
const problemsOf = ({ body }: Answer): string[] =>
  (body as { problems: { pointer: string; code: string }[] }).problems.map(
    (one) => `${one.pointer} ${one.code}`,
  );

describe('a baseUrl', () => {
  it.each([
    'push.example.com',
    '',
    'http://',
    'https:push.example.com',
    'ftp://push.example.com',
    'http://[',
    '/',
  ])('that is no address (%j) is refused with its pointer', async (baseUrl) => {
    for (const answer of [
      await create('none', baseUrl),
      await as(admin, 'PATCH', '/v1/projects/shop', { baseUrl }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(problemsOf(answer)).toEqual(['/baseUrl INVALID_VALUE']);
    }
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://2852039166',
    'http://[fe80::1]:80',
    'https://elsewhere.test',
  ])('that no gateway may have (%s) is refused with its pointer', async (baseUrl) => {
    const answer = await create('none', baseUrl);
    expect([answer.status, problemsOf(answer)]).toEqual([400, ['/baseUrl ADDRESS_REFUSED']]);
  });

  it('is set by a token for all services alone', async () => {
    const own = await scheduler.bearer(['admin'], ['shop', 'shop-2']);
    const changed = await as(own, 'PATCH', '/v1/projects/shop', { baseUrl: 'https://a.gateway.test' });
    expect(changed).toMatchObject({ status: 403, body: { code: 'ALL_SERVICES_NEEDED' } });
    const made = await create('shop-2', 'https://a.gateway.test', own);
    expect(made).toMatchObject({ status: 403, body: { code: 'ALL_SERVICES_NEEDED' } });
    expect((await as(own, 'PATCH', '/v1/projects/shop', { ratePerSecond: 9 })).status).toBe(200);
  });

  it('that came past the API is not called: the check says so, and the project is blocked', async () => {
    await create('planted', 'http://localhost:1');
    // A literal address, and a host that this process may not call.
    for (const address of ['http://169.254.169.254', 'http://127.0.0.1:1']) {
      await scheduler.dataSource.query(`update project set base_url = $1 where service_id = 'planted'`, [
        address,
      ]);
      const { status, body } = await as(admin, 'POST', '/v1/projects/planted/check');
      expect(status).toBe(200);
      const { checks } = body as { checks: { name: string; ok: boolean; text: string }[] };
      expect(checks.find(({ name }) => name === 'reachability')).toMatchObject({
        ok: false,
        text: expect.stringContaining('CARILLON_GATEWAY_HOSTS'),
      });
      const shown = await as(admin, 'GET', '/v1/projects/planted');
      expect(shown.body).toMatchObject({ blocked: { code: 'BAD_ADDRESS', until: null } });
    }
    const mended = await as(admin, 'PATCH', '/v1/projects/planted', { baseUrl: 'http://localhost:2' });
    expect(mended.body).toMatchObject({ blocked: null });
  });
});

describe('a POST without a body', () => {
  const UNKNOWN_SEND = '/v1/sends/00000000-0000-4000-8000-000000000000/retry';
  const UNKNOWN_CAMPAIGN = '/v1/campaigns/00000000-0000-4000-8000-000000000000';
  const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'no type', ''];

  it.each([
    ['/v1/projects/shop/stop', 200],
    ['/v1/projects/shop/start', 200],
    [UNKNOWN_SEND, 404],
    [`${UNKNOWN_CAMPAIGN}/cancel`, 404],
    [`${UNKNOWN_CAMPAIGN}/occurrences/x/cancel`, 404],
  ])('is taken by %s whatever its Content-Type', async (path, status) => {
    for (const type of TYPES) {
      expect([type, await rawPost(path, type, '')]).toEqual([type, status]);
      expect([type, await rawPost(path, type, '', true)]).toEqual([type, status]);
    }
    // A body that is there is read by its type, and still judged.
    for (const inChunks of [false, true]) {
      expect(await rawPost(path, 'text/x-unknown', 'x', inChunks)).toBe(415);
      expect(await rawPost(path, 'application/json', '[', inChunks)).toBe(400);
    }
  });

  /** Header and length exactly as given, which fetch() would not send; answers the status. */
  async function rawPost(path: string, type: string, body: string, inChunks = false): Promise<number> {
    const { hostname, port } = new URL(scheduler.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: ${admin}`, `Content-Type: ${type}`];
    const chunks = body === '' ? [] : [body.length.toString(16), body];
    const rest = inChunks
      ? ['Transfer-Encoding: chunked', 'Connection: close', '', ...chunks, '0', '', '']
      : [`Content-Length: ${body.length}`, 'Connection: close', '', body];
    socket.write([...head, ...rest].join('\r\n'));
    return Number((await text(socket)).split(' ')[1]);
  }
});

describe('a query member that an operation does not know', () => {
  it.each([
    ['GET', '/v1/projects?limit=5&serviceid=shop', ['?serviceid UNKNOWN_PARAMETER']],
    ['GET', '/v1/projects/shop?verbose', ['?verbose UNKNOWN_PARAMETER']],
    ['GET', '/%76%31/projects?verbose', ['?verbose UNKNOWN_PARAMETER']],
    ['GET', '/v1/campaigns?status=x&limit=2&a=1', ['?status UNKNOWN_PARAMETER', '?a UNKNOWN_PARAMETER']],
    ['GET', '/v1/sends?states=failed', ['?states UNKNOWN_PARAMETER']],
    ['GET', '/v1/ledger?__proto__=1', ['?__proto__ UNKNOWN_PARAMETER']],
    ['POST', '/v1/projects/shop/stop?dryRun=true', ['?dryRun UNKNOWN_PARAMETER']],
  ])('of %s %s is refused, and nothing is done', async (method, path, problems) => {
    const answer = await as(admin, method, path);
    expect([answer.status, problemsOf(answer)]).toEqual([400, problems]);
    expect((await as(admin, 'GET', '/v1/projects/shop')).body).toMatchObject({ blocked: null });
  });

  it('is not named to a caller without a token, and is ignored outside /v1', async () => {
    expect((await scheduler.call('GET', '/v1/projects?x=1')).status).toBe(401);
    expect((await scheduler.call('GET', '/health/live?x=1')).status).toBe(200);
    expect((await as(admin, 'GET', '/openapi.json?x=1')).status).toBe(200);
  });
});

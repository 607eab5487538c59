// The properties of every answer of the API, whatever the route: ids, problem+json, health, drain.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

describe('a refusal', () => {
  const cases: [what: string, method: string, path: string, options: object, status: number, code: string][] =
    [
      ['an unknown route', 'GET', '/v1/nowhere', {}, 404, 'NO_SUCH_ROUTE'],
      ['a route without a token', 'GET', '/v1/projects', {}, 401, 'UNAUTHENTICATED'],
      ['a URL that cannot be read', 'GET', '/v1/projects/%zz', {}, 400, 'MALFORMED_URL'],
      ['broken JSON', 'POST', '/v1/projects', { body: '{"serviceId":' }, 400, 'MALFORMED_BODY'],
      ['__proto__ in JSON', 'POST', '/v1/projects', { body: '{"__proto__":{"x":1}}' }, 400, 'MALFORMED_BODY'],
      [
        'a body of 2 MiB',
        'POST',
        '/v1/projects',
        { body: `"${'x'.repeat(2 * 1024 * 1024)}"` },
        413,
        'BODY_TOO_LARGE',
      ],
      [
        'a body of 130 KiB that holds neither events nor a plan',
        'POST',
        '/v1/projects',
        { body: `"${'x'.repeat(130 * 1024)}"` },
        413,
        'BODY_TOO_LARGE',
      ],
      [
        'a body of an unknown type',
        'POST',
        '/v1/projects',
        { body: 'x', headers: { 'content-type': 'text/x-unknown' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [
        'a body that is packed',
        'POST',
        '/v1/events',
        { body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      ['a cursor we never gave', 'GET', '/v1/projects?cursor=bm90aGluZw', {}, 400, 'BAD_CURSOR'],
      ['a limit beyond the bound', 'GET', '/v1/projects?limit=501', {}, 400, 'INVALID_REQUEST'],
    ];
  it.each(cases)(
    'of %s is a problem with a code and the request id',
    async (_, method, path, options, status, code) => {
      const authorization = code === 'UNAUTHENTICATED' ? {} : { authorization: admin };
      const answer = await scheduler.call(method, path, { ...authorization, ...options });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      const requestId = answer.headers.get('x-request-id');
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.body).toMatchObject({ status, code, requestId });
    },
  );

  it('names every wrong member with its pointer', async () => {
    const body = { serviceId: 'a b', baseUrl: 'ftp://x', colour: 1, rateperSecond: 5 };
    const answer = await scheduler.call('POST', '/v1/projects', { authorization: admin, body });
    expect(answer.status).toBe(400);
    const { problems } = answer.body as { problems: { pointer: string; code: string }[] };
    expect(problems.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/baseUrl INVALID_VALUE',
      '/colour UNKNOWN_MEMBER',
      '/rateperSecond UNKNOWN_MEMBER',
      '/serviceId INVALID_VALUE',
    ]);
  });

  it('names a wrong query parameter', async () => {
    const answer = await scheduler.call('GET', '/v1/projects?limit=0', { authorization: admin });
    expect(answer.body).toMatchObject({ problems: [{ pointer: '?limit', code: 'INVALID_VALUE' }] });
  });

  it("says which id is meant, and how the publisher's stands in its place", async () => {
    for (const path of [
      'campaigns/spring-sale',
      'campaigns/spring-sale/plan',
      'reports/campaigns/spring-sale',
    ]) {
      const { status, body } = await scheduler.call('GET', `/v1/${path}`, { authorization: admin });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        problems: [
          {
            pointer: '{id}',
            text: 'must be our id of the campaign, a UUID, or serviceId/campaignId with the slash as %2F: POST /v1/events answers our id as campaignId',
          },
        ],
      });
    }
    for (const path of ['sends/one', 'rejections/one']) {
      const { body } = await scheduler.call('GET', `/v1/${path}`, { authorization: admin });
      expect(JSON.stringify(body)).toMatch(/must be our id of the (send|rejection), a UUID: GET/);
    }
  });

  it('has our words, never those of a library', async () => {
    const asked = [
      ['GET', '/v1/campaigns?order=up&limit=x'],
      ['GET', '/v1/reports/summary?groupBy=colour'],
      ['POST', '/v1/retries/preview', { sends: 'all', states: [] }],
      ['POST', '/v1/tokens', { name: 7, roles: ['king'], serviceIds: 'x', expiresInDays: 0.5 }],
      ['POST', '/v1/projects', { serviceId: [], baseUrl: 7, ratePerSecond: -1, handoff: 'now' }],
    ] as const;
    for (const [method, path, body] of asked) {
      const answer = await scheduler.call(method, path, { authorization: admin, ...(body && { body }) });
      expect(answer.status).toBe(400);
      const { problems } = answer.body as { problems: { text: string }[] };
      expect(problems.length).toBeGreaterThan(0);
      for (const { text } of problems)
        expect(text).not.toMatch(/Invalid|Too (small|big)|Unrecognized|expected|received/);
    }
  });

  it('says of what is left out that it is required', async () => {
    const answer = await scheduler.call('GET', '/v1/reports/summary', { authorization: admin });
    expect(answer.body).toMatchObject({ problems: [{ pointer: '?groupBy', text: 'is required' }] });
  });
});

describe('x-request-id', () => {
  it("is the caller's own where it is usable", async () => {
    const answer = await scheduler.call('GET', '/health/live', { headers: { 'x-request-id': 'trace-42' } });
    expect(answer.headers.get('x-request-id')).toBe('trace-42');
  });

  it('is a new one where it is not', async () => {
    const answer = await scheduler.call('GET', '/health/live', { headers: { 'x-request-id': 'two words' } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it('GET / leads to the documents, without a token', async () => {
  const { status, headers, body } = await scheduler.call('GET', '/');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const ways = String(body).match(/^\/\S+/gm) ?? [];
  expect(ways).toContain('/docs');
  for (const way of ways) expect((await scheduler.call('GET', way)).status, way).toBe(200);
});

describe('health', () => {
  it('is live without a token', async () => {
    expect(await scheduler.call('GET', '/health/live')).toMatchObject({
      status: 200,
      body: { status: 'live' },
    });
  });

  /** A scheduler whose connections see a database with that durability. */
  async function onDatabaseWith(
    synchronousCommit: 'on' | 'off',
    run: (other: TestScheduler) => Promise<void>,
  ) {
    const own = await cloneDatabase();
    const name = new URL(own.url).pathname.slice(1);
    await scheduler.dataSource.query(`alter database ${name} set synchronous_commit = ${synchronousCommit}`);
    const other = await startScheduler(schedulerConfig(own.url));
    try {
      await run(other);
    } finally {
      await other.close();
      await own.drop();
    }
  }

  it('refuses to be ready while synchronous_commit is off, and says what to do to a token only', async () => {
    await onDatabaseWith('off', async (other) => {
      await eventually(() => other.dataSource.isInitialized);
      const authorization = await other.bearer(['analyst']);
      const open = await other.call('GET', '/health/ready');
      expect(open).toMatchObject({ status: 503, body: { status: 'not-ready' } });
      expect(Object.keys(open.body as object)).toEqual(['status']);
      await eventually(async () => {
        const { body } = await other.call('GET', '/health/ready', { authorization });
        const { checks } = body as { checks: { name: string; text: string }[] };
        expect(checks.find(({ name }) => name === 'database')?.text).toContain('synchronous_commit is off');
      });
    });
  });

  it('is ready on a durable database, and the metrics say so', async () => {
    await onDatabaseWith('on', async (other) => {
      await eventually(async () => {
        expect((await other.call('GET', '/health/ready')).body).toEqual({ status: 'ready' });
      });
      const metrics = await (await fetch(other.metricsUrl)).text();
      expect(metrics).toMatch(/carillon_health_check\{check="database"\} 1/);
      expect(metrics).toMatch(/carillon_loop_ok\{loop="housekeeping"\} 1/);
      const authorization = await other.bearer(['analyst']);
      const { body } = await other.call('GET', '/health/ready', { authorization });
      const { version, source, yearsBehind } = (body as { zoneRules: Record<string, unknown> }).zoneRules;
      expect(version).toMatch(/^20\d\d[a-z]$/);
      expect(metrics).toContain(
        `carillon_zone_rules_years_behind{version="${String(version)}",source="${String(source)}"} ${String(yearsBehind)}`,
      );
    });
  });

  it('serves nothing but the metrics on their port', async () => {
    const answer = await fetch(scheduler.metricsUrl.replace('/metrics', '/v1/projects'));
    expect(answer.status).toBe(404);
  });
});

describe('a process without the api role', () => {
  it('answers health only', async () => {
    const worker = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'plan' }));
    try {
      expect((await worker.call('GET', '/health/live')).status).toBe(200);
      const refused = await worker.call('GET', '/v1/projects', { authorization: admin });
      expect(refused).toMatchObject({ status: 404, body: { code: 'NO_SUCH_ROUTE' } });
    } finally {
      await worker.close();
    }
  });
});

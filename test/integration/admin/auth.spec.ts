// No token, no data: every route the router knows is walked. A new route fails here until the table says who may call
// it, so that none is forgotten.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/platform/logging/log.js';
import { ROLES, type Role } from '../../../src/scheduler/admin/auth/caller.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { routesOf, type Route } from '../../support/routes.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

/** http-api.md, "Roles"; admin holds every role, operator that of an analyst. A publisher reads its own campaigns. */
const EVERYBODY: Role[] = ['publisher', 'analyst', 'operator', 'admin'];
const READERS: Role[] = ['analyst', 'operator', 'admin'];
const OPERATORS: Role[] = ['operator', 'admin'];
const WHO_MAY: Readonly<Record<string, Role[] | 'open'>> = {
  'GET /': 'open',
  'GET /health/live': 'open',
  'GET /health/ready': 'open',
  'GET /openapi.json': 'open',
  'GET /asyncapi.json': 'open',
  'GET /schemas': 'open',
  'GET /schemas/:name': 'open',
  'GET /docs': 'open',
  'GET /docs/:file': 'open',
  'POST /v1/session': 'open',
  'GET /v1/session': EVERYBODY,
  'DELETE /v1/session': EVERYBODY,
  'GET /v1/zones': EVERYBODY,
  'GET /v1/services': EVERYBODY,
  'GET /v1/channels': ['publisher', 'admin'],
  'GET /v1/schedules': ['publisher', 'admin'],
  'GET /v1/status': READERS,
  'GET /v1/alerts': READERS,
  'POST /v1/alerts/:id/acknowledge': OPERATORS,
  'GET /v1/search': EVERYBODY,
  'GET /v1/stream': EVERYBODY,
  'POST /v1/events': ['publisher', 'admin'],
  'GET /v1/events': ['publisher', 'operator', 'admin'],
  'GET /v1/rejections': ['publisher', 'operator', 'admin'],
  'GET /v1/rejections/:id': ['publisher', 'operator', 'admin'],
  'GET /v1/rejections/:id/body': OPERATORS,
  'POST /v1/rejections/:id/replay': OPERATORS,
  'POST /v1/rejections/:id/discard': OPERATORS,
  'PUT /v1/audiences/:name': ['publisher', 'admin'],
  'GET /v1/audiences': ['publisher', 'admin'],
  'GET /v1/audiences/:name': ['publisher', 'admin'],
  'DELETE /v1/audiences/:name': ['publisher', 'admin'],
  'PUT /v1/recipients/zones': ['publisher', 'admin'],
  'GET /v1/recipients/drift': READERS,
  'GET /v1/campaigns': EVERYBODY,
  'GET /v1/campaigns/:id': EVERYBODY,
  'GET /v1/campaigns/:id/revisions/:revision': EVERYBODY,
  'GET /v1/campaigns/:id/sends': EVERYBODY,
  'GET /v1/campaigns/:id/history': EVERYBODY,
  'GET /v1/campaigns/:id/plan': EVERYBODY,
  'POST /v1/campaigns/:id/cancel': OPERATORS,
  'POST /v1/campaigns/:id/pause': OPERATORS,
  'POST /v1/campaigns/:id/resume': OPERATORS,
  'POST /v1/campaigns/:id/occurrences/:occurrence/cancel': OPERATORS,
  'POST /v1/campaigns/:id/occurrences/:occurrence/pause': OPERATORS,
  'POST /v1/campaigns/:id/occurrences/:occurrence/resume': OPERATORS,
  'POST /v1/campaigns/:id/approve': ['publisher', 'operator', 'admin'],
  'POST /v1/campaigns/:id/decline': ['publisher', 'operator', 'admin'],
  'GET /v1/sends': EVERYBODY,
  'GET /v1/sends/:id': EVERYBODY,
  'GET /v1/sends/:id/attempts': EVERYBODY,
  'POST /v1/sends/:id/retry': OPERATORS,
  'POST /v1/sends/:id/resolve': OPERATORS,
  'POST /v1/retries/preview': OPERATORS,
  'POST /v1/retries': OPERATORS,
  'GET /v1/retries': OPERATORS,
  'GET /v1/retries/:token': OPERATORS,
  'GET /v1/retries/:token/items': OPERATORS,
  'POST /v1/resolves/preview': OPERATORS,
  'POST /v1/resolves': OPERATORS,
  'GET /v1/resolves': OPERATORS,
  'GET /v1/resolves/:token': OPERATORS,
  'GET /v1/resolves/:token/items': OPERATORS,
  'POST /v1/plans': ['publisher', 'admin'],
  'GET /v1/plans/:hash': ['publisher', 'admin'],
  'GET /v1/reports/campaigns/:id': READERS,
  'GET /v1/reports/summary': READERS,
  'GET /v1/reports/lateness': READERS,
  'GET /v1/failures': READERS,
  'GET /v1/ledger': READERS,
  'GET /v1/forecast': READERS,
  'GET /v1/webhooks': ['admin'],
  'POST /v1/webhooks': ['admin'],
  'DELETE /v1/webhooks/:id': ['admin'],
  'POST /v1/webhooks/:id/test': ['admin'],
  'DELETE /v1/recipients/:userId': ['admin'],
  'GET /v1/erasures/:id': ['admin'],
  'GET /v1/projects': OPERATORS,
  'POST /v1/projects': ['admin'],
  'GET /v1/projects/:id': OPERATORS,
  'PATCH /v1/campaigns/:id': ['publisher', 'admin'],
  'PATCH /v1/projects/:id': ['admin'],
  'POST /v1/projects/:id/keys': ['admin'],
  'DELETE /v1/projects/:id/keys/:accessKey': ['admin'],
  'POST /v1/projects/:id/check': OPERATORS,
  'POST /v1/projects/:id/stop': OPERATORS,
  'POST /v1/projects/:id/start': OPERATORS,
  'POST /v1/stop': OPERATORS,
  'POST /v1/start': OPERATORS,
  'GET /v1/tokens': ['admin'],
  'POST /v1/tokens': ['admin'],
  'DELETE /v1/tokens/:id': ['admin'],
  'GET /v1/audit': ['admin'],
};

let database: TestDatabase;
let scheduler: TestScheduler;
let routes: Route[];
const bearer = new Map<Role, string>();

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  routes = routesOf(scheduler.app.getHttpAdapter().getInstance());
  for (const role of ROLES) bearer.set(role, await scheduler.bearer([role]));
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const name = ({ method, path }: Route): string => `${method} ${path}`;
/** An id that no row has. */
const call = ({ method, path }: Route, authorization?: string) =>
  scheduler.call(
    method,
    path.replaceAll(/:\w+/g, v7()),
    authorization === undefined ? {} : { authorization },
  );

describe('every route', () => {
  it('is in the table of who may call it', () => {
    expect(routes.length).toBeGreaterThan(10);
    expect(routes.map(name).filter((route) => WHO_MAY[route] === undefined)).toEqual([]);
  });

  it('answers 401 without a token, but for health', async () => {
    for (const route of routes) {
      const answer = await call(route);
      expect([name(route), answer.status === 401]).toEqual([name(route), WHO_MAY[name(route)] !== 'open']);
      expect(answer.headers.get('www-authenticate')).toBe(answer.status === 401 ? 'Bearer' : null);
    }
  });

  it('answers 401 to a token that is none of ours, however it is written', async () => {
    const wrong = [
      `Bearer car_${'x'.repeat(43)}`,
      'Bearer',
      'Basic dXNlcjpwYXNz',
      `car_${'x'.repeat(43)}`,
      'Bearer a b',
    ];
    for (const route of routes.filter((each) => WHO_MAY[name(each)] !== 'open')) {
      for (const header of wrong)
        expect([name(route), (await call(route, header)).status]).toEqual([name(route), 401]);
    }
  });

  it('answers 403 to a role that may not, and lets through those that may', async () => {
    for (const route of routes) {
      const may = WHO_MAY[name(route)] ?? [];
      if (may === 'open') continue;
      for (const role of ROLES) {
        const { status } = await call(route, bearer.get(role) ?? '');
        const refused = status === 401 || status === 403;
        expect([name(route), role, refused]).toEqual([name(route), role, !may.includes(role)]);
        expect([name(route), role, status >= 500]).toEqual([name(route), role, false]);
      }
    }
  });
});

describe('a token', () => {
  it('is kept as a hash only', async () => {
    const header = await scheduler.bearer(['analyst']);
    const [row] = await scheduler.dataSource.query<{ hash: Buffer; whole: string }>(
      'select hash, api_token::text as whole from api_token order by id desc limit 1',
    );
    expect(row?.hash).toHaveLength(32);
    expect(row?.whole).not.toContain(header.slice('Bearer '.length));
  });

  it('is refused once it has expired', async () => {
    const header = await scheduler.bearer(['analyst']);
    const route = { method: 'GET', path: '/v1/ledger' };
    expect((await call(route, header)).status).not.toBe(401);
    await scheduler.dataSource.query(
      `update api_token set expires_at = created_at where name like 'analyst-%'`,
    );
    const fresh = await scheduler.bearer(['operator']);
    await scheduler.dataSource.query(
      `update api_token set expires_at = created_at where name like 'operator-%'`,
    );
    // Never used before, so no cache stands in the way.
    expect((await call(route, fresh)).status).toBe(401);
  });

  it('is refused at once when it is revoked here, and soon after in another process', async () => {
    const other = await startScheduler(schedulerConfig(database.url));
    try {
      await eventually(() => other.dataSource.isInitialized);
      const admin = await scheduler.bearer(['admin']);
      const made = await scheduler.call('POST', '/v1/tokens', {
        authorization: admin,
        body: { name: 'short', roles: ['operator'], serviceIds: ['*'] },
      });
      expect(made.status).toBe(201);
      const { id, token } = made.body as { id: string; token: string };
      const authorization = `Bearer ${token}`;
      expect((await scheduler.call('GET', '/v1/projects', { authorization })).status).toBe(200);
      expect((await other.call('GET', '/v1/projects', { authorization })).status).toBe(200);
      const revoked = await scheduler.call('DELETE', `/v1/tokens/${id}`, { authorization: admin });
      expect(revoked.status).toBe(204);
      expect((await scheduler.call('GET', '/v1/projects', { authorization })).status).toBe(401);
      await eventually(async () => {
        expect((await other.call('GET', '/v1/projects', { authorization })).status).toBe(401);
      });
      const again = await scheduler.call('DELETE', `/v1/tokens/${id}`, { authorization: admin });
      expect(again.status).toBe(404);
    } finally {
      await other.close();
    }
  });

  it('of nobody, however many come at once, takes two connections at most from those who are known', async () => {
    const held = await OwnConnection.beside(scheduler.dataSource);
    try {
      await held.query('begin; lock table api_token in access exclusive mode');
      const waiting = async (): Promise<number> => {
        const [row] = await held.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row?.count ?? 0;
      };
      const strangers = Array.from({ length: 20 }, (_, index) =>
        scheduler.call('GET', '/v1/projects', {
          authorization: `Bearer car_${String(index).padStart(43, 'x')}`,
        }),
      );
      // Requests that come at once share a statement.
      await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
      expect((await scheduler.call('GET', '/health/live')).status).toBe(200);
      expect(await scheduler.internals.api.query('select 1 as one')).toEqual([{ one: 1 }]);
      expect(await waiting()).toBeLessThanOrEqual(2);
      await held.query('commit');
      expect([...new Set((await Promise.all(strangers)).map(({ status }) => status))]).toEqual([401]);
    } finally {
      await held.release();
    }
  });

  it('has a name that no other live token has: one that has ended leaves it to the next', async () => {
    const authorization = await scheduler.bearer(['admin']);
    const make = () =>
      scheduler.call('POST', '/v1/tokens', {
        authorization,
        body: { name: 'only-one', roles: ['analyst'], serviceIds: ['*'] },
      });
    const both = await Promise.all([make(), make()]);
    const [first, second] = both.toSorted((a, b) => a.status - b.status);
    expect(second).toMatchObject({ status: 409, body: { code: 'TOKEN_NAME_TAKEN' } });
    expect(first?.status).toBe(201);
    const { id } = Object(first?.body) as { id: string };
    await scheduler.call('DELETE', `/v1/tokens/${id}`, { authorization });
    expect((await make()).status).toBe(201);
    await scheduler.dataSource.query(`update api_token set expires_at = created_at where name = 'only-one'`);
    expect((await make()).status).toBe(201);
    expect((await make()).status).toBe(409);
  });

  it('stands in the audit log by its name and id, and is found by either', async () => {
    const authorization = await scheduler.bearer(['admin']);
    const { body } = await scheduler.call('POST', '/v1/tokens', {
      authorization,
      body: { name: 'auditor', roles: ['admin'], serviceIds: ['*'] },
    });
    const { id, token } = body as { id: string; token: string };
    const made = await scheduler.call('POST', '/v1/tokens', {
      authorization: `Bearer ${token}`,
      body: { name: 'made-by-auditor', roles: ['analyst'], serviceIds: ['*'] },
    });
    expect(made.status).toBe(201);
    const who = `token:auditor (${id})`;
    for (const asked of ['token:auditor', who]) {
      const found = await scheduler.call('GET', `/v1/audit?who=${encodeURIComponent(asked)}`, {
        authorization,
      });
      expect(found.body).toMatchObject({ items: [{ who, action: 'token.create' }] });
    }
    const whole = await scheduler.call('GET', '/v1/audit?format=ndjson&action=token.create', {
      authorization,
    });
    expect(whole.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (whole.body as string).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as { id: string; who: string });
    expect(rows).toContainEqual(expect.objectContaining({ who }));
    // Newest first, each once.
    expect(rows.map((row) => row.id)).toEqual(
      [...new Set(rows.map((row) => row.id))].toSorted().toReversed(),
    );
  });

  it('of an admin with some serviceIds makes no tokens', async () => {
    const authorization = await scheduler.bearer(['admin'], ['shop']);
    const body = { name: 'x', roles: ['admin'], serviceIds: ['*'] };
    const answer = await scheduler.call('POST', '/v1/tokens', { authorization, body });
    expect(answer).toMatchObject({ status: 403, body: { code: 'SERVICE_NOT_HELD' } });
  });
});

describe('a caller that is refused', () => {
  it('is counted by the reason, and has a log line with its address, its token named where it is known', async () => {
    const lines: string[] = [];
    const log = createLog('scheduler', 'warn', { write: (line) => void lines.push(line) });
    const own = await startScheduler(schedulerConfig(database.url), { log });
    try {
      await eventually(() => own.dataSource.isInitialized);
      await eventually(async () => expect((await own.call('GET', '/health/ready')).status).toBe(200));
      const admin = await own.bearer(['admin']);
      const made = async (called: string): Promise<{ id: string; token: string }> => {
        const body = { name: called, roles: ['analyst'], serviceIds: ['*'] };
        const answer = await own.call('POST', '/v1/tokens', { authorization: admin, body });
        return answer.body as { id: string; token: string };
      };
      const [revoked, expired, analyst] = [await made('gone'), await made('old'), await made('reader')];
      await own.call('DELETE', `/v1/tokens/${revoked.id}`, { authorization: admin });
      await own.dataSource.query('update api_token set expires_at = created_at where id = $1', [expired.id]);
      const unknown = `car_${'x'.repeat(43)}`;
      const get = (path: string, token?: string, headers = {}) =>
        own.call('GET', path, { headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) });
      await get('/v1/projects');
      await get('/v1/projects', 'short');
      await get('/v1/projects', unknown, { 'x-forwarded-for': '203.0.113.7' });
      await get('/v1/projects', revoked.token);
      await get('/v1/projects', expired.token);
      await get('/v1/projects', analyst.token);
      // A bad token is also counted on a route that needs none; a caller without a token is not refused there.
      expect((await get('/health/ready', unknown)).body).toEqual({ status: 'ready' });
      await get('/health/ready');
      await own.call('POST', '/v1/tokens', { body: {} });

      const metrics = await (await fetch(own.metricsUrl)).text();
      const counted = [
        ...metrics.matchAll(/^carillon_authentication_refused_total\{reason="(.*)"\} (\d+)$/gm),
      ];
      expect(Object.fromEntries(counted.map(([, reason, count]) => [reason, Number(count)]))).toEqual({
        missing: 2,
        malformed: 1,
        unknown: 2,
        revoked: 1,
        expired: 1,
        role: 1,
      });
      const logged = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ reason }) => reason);
      expect(logged.map(({ reason }) => reason)).toEqual(
        'missing malformed unknown revoked expired role unknown missing'.split(' '),
      );
      expect(new Set(logged.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
      expect(logged[2]).toMatchObject({ forwardedFor: '203.0.113.7' });
      expect(logged[3]).toMatchObject({ token: 'gone', tokenId: revoked.id });
      expect(logged[5]).toMatchObject({ token: 'reader', tokenId: analyst.id });
      for (const secret of [revoked.token, expired.token, analyst.token, unknown])
        expect(lines.join('')).not.toContain(secret);
    } finally {
      await own.close();
    }
  });
});

describe('the reasons of /health/ready', () => {
  it('show a token only its services, and the holder of all services every one', async () => {
    const admin = await scheduler.bearer(['admin']);
    for (const serviceId of ['mine', 'theirs']) {
      const body = {
        serviceId,
        baseUrl: 'http://127.0.0.1:9',
        key: { accessKey: `key-of-${serviceId}`, secretKey: 's' },
      };
      await scheduler.call('POST', '/v1/projects', { authorization: admin, body });
      await scheduler.call('POST', `/v1/projects/${serviceId}/stop`, { authorization: admin });
    }
    // Sealed under a master key that nobody has: the note names its row.
    await scheduler.dataSource.query(
      `update project_key set secret_sealed = 'lost.' || secret_sealed where service_id = 'theirs'`,
    );
    const healthSeenBy = async (serviceIds: readonly string[]): Promise<string> => {
      const authorization = await scheduler.bearer(['analyst'], serviceIds);
      return JSON.stringify((await scheduler.call('GET', '/health/ready', { authorization })).body);
    };
    await eventually(async () =>
      expect(await healthSeenBy(['*'])).toMatch(/mine: it is blocked.*theirs: it is blocked/),
    );
    expect(await healthSeenBy(['*'])).toContain('key-of-theirs');
    const mine = await healthSeenBy(['mine']);
    expect(mine).toContain('mine: it is blocked (STOPPED)');
    expect(mine).toContain('secrets are sealed under a former master key');
    expect(mine).not.toContain('theirs');
    expect(await healthSeenBy(['neither'])).toContain('"name":"push projects","ok":true,"text":"ok"');
  });
});

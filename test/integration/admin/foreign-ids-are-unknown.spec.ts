// A row of a serviceId that the token does not hold answers like one that does not exist, on every route that takes an
// id: nobody learns from a 403 or a different text which ids there are.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { routesOf, type Route } from '../../support/routes.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

/** Ids that belong to no service: a token's, names of files, and the hash of a plan, whose reader must hold the plan's service too. */
const OF_NO_SERVICE = [
  'DELETE /v1/tokens/:id',
  'DELETE /v1/webhooks/:id',
  'POST /v1/webhooks/:id/test',
  'GET /v1/plans/:hash',
  'GET /schemas/:name',
  'GET /docs/:file',
  // A name within the service that the query names: lists.spec.
  'PUT /v1/audiences/:name',
  'GET /v1/audiences/:name',
  'DELETE /v1/audiences/:name',
  // Nobody needs to be known: erasure.spec.
  'DELETE /v1/recipients/:userId',
];
const MERGE_PATCH = 'application/merge-patch+json';
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /v1/campaigns/:id': { name: 'other' },
  'PATCH /v1/projects/:id': { ratePerSecond: 5 },
  'POST /v1/projects/:id/keys': { accessKey: 'a', secretKey: 'b' },
  'POST /v1/sends/:id/resolve': { resolution: 'confirmed-sent' },
  'POST /v1/campaigns/:id/approve': { revision: 1, hash: '0'.repeat(64) },
  'POST /v1/campaigns/:id/decline': { reason: 'a test' },
};

let database: TestDatabase;
let scheduler: TestScheduler;
let routes: Route[];
let all: string;
let own: string;
/** What stands for `:id` below each of these paths. */
const foreign: Record<string, string> = { '/v1/projects': 'foreign' };

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  all = await scheduler.bearer(['admin']);
  own = await scheduler.bearer(['admin'], ['own']);
  for (const serviceId of ['foreign', 'own']) {
    const body = { serviceId, baseUrl: 'http://127.0.0.1:9' };
    await scheduler.call('POST', '/v1/projects', { authorization: all, body });
  }
  await scheduler.call('POST', '/v1/events', {
    authorization: all,
    headers: { 'content-type': 'application/cloudevents+json' },
    body: {
      specversion: '1.0',
      id: v7(),
      source: '/spec',
      type: 'carillon.campaign.scheduled.v1',
      subject: 'secret-campaign',
      time: new Date().toISOString(),
      data: {
        serviceId: 'foreign',
        messageType: 'NOTIF',
        audience: { type: 'USER', to: ['anna'] },
        message: { default: { content: 'hello' } },
        delivery: { at: new Date(Date.now() + 86_400_000).toISOString() },
      },
    },
  });
  foreign['/v1/campaigns'] = await eventually(() => firstId('/v1/campaigns?serviceId=foreign'));
  foreign['/v1/reports/campaigns'] = foreign['/v1/campaigns'];
  foreign['/v1/sends'] = await eventually(() => firstId(`/v1/campaigns/${foreign['/v1/campaigns']}/sends`));
  await scheduler.call('POST', '/v1/events', {
    authorization: all,
    body: { specversion: '1.0', data: { serviceId: 'foreign' } },
  });
  foreign['/v1/rejections'] = await firstId('/v1/rejections?serviceId=foreign');
  const retries = await scheduler.call('POST', '/v1/retries/preview', { authorization: all, body: {} });
  foreign['/v1/retries'] = (retries.body as { token: string }).token;
  const body = { resolution: 'confirmed-sent' };
  const resolves = await scheduler.call('POST', '/v1/resolves/preview', { authorization: all, body });
  foreign['/v1/resolves'] = (resolves.body as { token: string }).token;
  const erasure = await scheduler.call('DELETE', '/v1/recipients/anna?serviceId=foreign', {
    authorization: all,
  });
  foreign['/v1/erasures'] = (erasure.body as { id: string }).id;
  foreign['/v1/alerts'] = v7();
  await scheduler.dataSource.query(
    `insert into alert (id, cause, service_id, since, last_seen_at, detail) values ($1, 'BLOCKED', 'foreign', now(), now(), 'why')`,
    [foreign['/v1/alerts']],
  );
  routes = routesOf(scheduler.app.getHttpAdapter().getInstance()).filter(
    (route) => /:\w+/.test(route.path) && !OF_NO_SERVICE.includes(nameOf(route)),
  );
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

async function firstId(path: string): Promise<string> {
  const { body } = await scheduler.call('GET', path, { authorization: all });
  const [first] = (body as { items: { id: string }[] }).items;
  if (first === undefined) throw new Error(`${path} lists nothing`);
  return first.id;
}

function call(route: Route, id: string, authorization: string): Promise<Answer> {
  const body = BODIES[nameOf(route)];
  const path = route.path.replace(/:\w+/, id).replace(':occurrence', 'once').replace(':revision', '1');
  const headers = nameOf(route) === 'PATCH /v1/campaigns/:id' ? { 'content-type': MERGE_PATCH } : {};
  return scheduler.call(route.method, path, { authorization, headers, ...(body !== undefined && { body }) });
}

function idFor(route: Route): string {
  const id = foreign[route.path.slice(0, route.path.indexOf('/:'))];
  if (id === undefined) throw new Error(`${nameOf(route)}: say in this test what its id stands for`);
  return id;
}

/** The answer without the request's own id. */
const textOf = ({ status, body }: Answer) => ({ status, ...(body as object), requestId: undefined });

describe('an id of a foreign serviceId', () => {
  it('answers 404, in the words of an unknown one, on every route', async () => {
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) {
      const ofForeign = textOf(await call(route, idFor(route), own));
      const ofUnknown = textOf(await call(route, idFor(route) === 'foreign' ? 'unknown' : v7(), own));
      expect([nameOf(route), ofForeign.status]).toEqual([nameOf(route), 404]);
      expect([nameOf(route), ofForeign]).toEqual([nameOf(route), ofUnknown]);
    }
  });

  it('is in no list of another’s token', async () => {
    const lists = [
      'campaigns',
      'sends',
      'rejections',
      'projects',
      'audit',
      'retries',
      'resolves',
      'audiences',
      'alerts',
    ];
    const groups = 'failures?groupBy=code,project,campaign';
    for (const path of [...lists, groups].map((list) => `/v1/${list}`)) {
      const { body } = await scheduler.call('GET', path, { authorization: own });
      expect([path, JSON.stringify(body).includes('foreign')]).toEqual([path, false]);
    }
  });

  it('is there for a token that holds it', async () => {
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      expect([nameOf(route), (await call(route, idFor(route), all)).status]).toEqual([nameOf(route), 200]);
    }
  });
});

// Every POST of the API whose answer is lost after its commit: a repeat under the same Idempotency-Key gets the first outcome, and
// nothing is done twice. Lost on the way from the database, and on the way to the client.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { approvalFacts } from '../../../src/scheduler/store/approval.store.js';
import { AnswerLosingProxy } from '../../support/postgres/answer-losing-proxy.js';
import { CuttingProxy } from '../../support/peers/cutting-proxy.js';
import { eventually } from '../../support/eventually.js';
import { Gateway, failure } from '../../support/scheduler/gateway.js';
import { scheduled } from '../../support/scheduler/intake-world.js';
import {
  callJson,
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let scheduler: TestScheduler;
let database: AnswerLosingProxy<'answer'>;
let http: CuttingProxy;
let admin: string;
let losesCommit = false;

beforeAll(async () => {
  world = await World.open();
  gateway = await Gateway.open();
  database = await AnswerLosingProxy.inFrontOf(world.url, {
    nameOf: (text) => (text.includes('update idempotent_answer') ? 'answer' : undefined),
    fateOf: () => {
      if (!losesCommit) return undefined;
      losesCommit = false;
      return 'lost';
    },
  });
  scheduler = await startScheduler(
    schedulerConfig(database.url, { CARILLON_MASTER_KEY: world.masterKey, CARILLON_ROLES: 'api' }),
  );
  http = await CuttingProxy.inFrontOf(scheduler.url);
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
});
afterAll(async () => {
  await http.close();
  await scheduler.close();
  await database.close();
  await gateway.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate rejection, inbox_key, idempotent_answer');
  await world.project({ base_url: gateway.url, sources: ['/shop/promotions'] });
  gateway.answer = failure(404, '100');
});

const event = (name = 'spring'): unknown => scheduled(name, {}, { time: new Date().toISOString() });
const post = (path: string, body: unknown, key = v7(), base = scheduler.url, type = 'application/json') =>
  callJson(`${base}${path}`, 'POST', {
    authorization: admin,
    body,
    headers: { 'idempotency-key': key, 'content-type': type },
  });

async function rejection(): Promise<string> {
  const wrong = scheduled('wrong', { messageType: 'NO_TYPE' });
  expect(await post('/v1/events', wrong, v7(), scheduler.url, EVENT)).toMatchObject({ status: 422 });
  // Kept, though its request was refused.
  const rows = await world.dataSource.query<{ id: string }>('select id from rejection');
  expect(rows).toHaveLength(1);
  return rows[0]?.id ?? '';
}
async function preview(path: string, body: object): Promise<string> {
  const { body: set } = await post(path, body);
  const { token } = set as { token: string };
  await eventually(async () => {
    const { body: now } = await scheduler.call('GET', `${path.replace('/preview', '')}/${token}`, {
      authorization: admin,
    });
    expect(now).toMatchObject({ state: 'ready' });
  });
  return token;
}

const EVENT = 'application/cloudevents+json';
const PROJECT = { serviceId: 'another', baseUrl: 'https://push.example.test' };
const KEY = { accessKey: 'a-second-key', secretKey: 'a-secret-that-is-long-enough' };
const NOT_SENT = { resolution: 'confirmed-not-sent' };

interface Operation {
  /** As the OpenAPI document names it. */
  readonly path: string;
  /** Makes what it needs; returns the path to call, and the body. */
  readonly ask: () =>
    Promise<readonly [path: string, body?: unknown]> | readonly [path: string, body?: unknown];
  readonly type?: string;
  readonly status: number;
  /** Counts the changes that it has made; undefined: it changes nothing. */
  readonly done?: string;
}

const audited = (action: string): string => `select from audit where action = '${action}'`;

/** A campaign that somebody has paused, or one occurrence of it. */
async function paused(of = ''): Promise<string> {
  const campaign = await world.campaign();
  expect(await post(`/v1/campaigns/${campaign}${of}/pause`, {})).toMatchObject({ status: 202 });
  return campaign;
}

async function awaiting(): Promise<string> {
  const campaign = await world.campaign({ state: 'awaiting-approval' });
  await world.dataSource.query("update revision set state = 'awaiting-approval' where campaign = $1", [
    campaign,
  ]);
  await world.insert('campaign_act', {
    campaign,
    mark: 'approval',
    act: 'approve',
    goal: 'held',
    code: 'AWAITING_APPROVAL',
    asked_at: new Date(),
    asked_by: 'plan',
  });
  return campaign;
}

const OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/projects',
    ask: () => ['/v1/projects', PROJECT],
    status: 201,
    done: audited('project.create'),
  },
  {
    path: '/v1/projects/{id}/keys',
    ask: () => [`/v1/projects/${SERVICE}/keys`, KEY],
    status: 201,
    done: audited('project.key'),
  },
  {
    path: '/v1/projects/{id}/stop',
    ask: () => [`/v1/projects/${SERVICE}/stop`],
    status: 200,
    done: audited('project.stop'),
  },
  {
    path: '/v1/projects/{id}/start',
    ask: () => [`/v1/projects/${SERVICE}/start`],
    status: 200,
    done: audited('project.start'),
  },
  { path: '/v1/stop', ask: () => ['/v1/stop'], status: 200, done: audited('project.stop') },
  { path: '/v1/start', ask: () => ['/v1/start'], status: 200, done: audited('project.start') },
  { path: '/v1/projects/{id}/check', ask: () => [`/v1/projects/${SERVICE}/check`], status: 200 },
  {
    path: '/v1/tokens',
    ask: () => ['/v1/tokens', { name: `t-${v7()}`, roles: ['analyst'], serviceIds: ['*'] }],
    status: 201,
    done: audited('token.create'),
  },
  {
    path: '/v1/campaigns/{id}/cancel',
    ask: async () => [`/v1/campaigns/${await world.campaign()}/cancel`],
    status: 202,
    done: 'select from command',
  },
  {
    path: '/v1/campaigns/{id}/occurrences/{occurrence}/cancel',
    ask: async () => [`/v1/campaigns/${await world.campaign()}/occurrences/once/cancel`],
    status: 202,
    done: 'select from command',
  },
  ...['', '/occurrences/{occurrence}'].flatMap((of): Operation[] => {
    const once = of.replace('{occurrence}', 'once');
    const kind = of === '' ? 'campaign' : 'occurrence';
    return [
      {
        path: `/v1/campaigns/{id}${of}/pause`,
        ask: async () => [`/v1/campaigns/${await world.campaign()}${once}/pause`],
        status: 202,
        done: audited(`${kind}.pause`),
      },
      {
        path: `/v1/campaigns/{id}${of}/resume`,
        ask: async () => [`/v1/campaigns/${await paused(once)}${once}/resume`],
        status: 202,
        done: audited(`${kind}.resume`),
      },
    ];
  }),
  {
    path: '/v1/campaigns/{id}/approve',
    ask: async () => {
      const campaign = await awaiting();
      const { revision, hash } = await approvalFacts(world.dataSource, campaign);
      return [`/v1/campaigns/${campaign}/approve`, { revision, hash }];
    },
    status: 202,
    done: audited('campaign.approve'),
  },
  {
    path: '/v1/campaigns/{id}/decline',
    ask: async () => [`/v1/campaigns/${await awaiting()}/decline`, { reason: 'not like this' }],
    status: 202,
    done: audited('campaign.decline'),
  },
  {
    path: '/v1/sends/{id}/retry',
    ask: async () => [`/v1/sends/${await world.send({ state: 'rejected' })}/retry`],
    status: 201,
    done: 'select from send where retry_of is not null',
  },
  {
    path: '/v1/sends/{id}/resolve',
    ask: async () => [`/v1/sends/${await world.send({ state: 'uncertain' })}/resolve`, NOT_SENT],
    status: 200,
    done: audited('send.resolve'),
  },
  {
    path: '/v1/retries/preview',
    ask: () => ['/v1/retries/preview', {}],
    status: 201,
    done: "select from send_set where kind = 'retry'",
  },
  {
    path: '/v1/retries',
    ask: async () => {
      await world.send({ state: 'rejected' });
      return ['/v1/retries', { token: await preview('/v1/retries/preview', {}) }];
    },
    status: 202,
    done: audited('retries.confirm'),
  },
  {
    path: '/v1/resolves/preview',
    ask: () => ['/v1/resolves/preview', NOT_SENT],
    status: 201,
    done: "select from send_set where kind = 'resolve'",
  },
  {
    path: '/v1/resolves',
    ask: async () => {
      await world.send({ state: 'uncertain' });
      return ['/v1/resolves', { token: await preview('/v1/resolves/preview', NOT_SENT) }];
    },
    status: 202,
    done: audited('resolves.confirm'),
  },
  {
    path: '/v1/events',
    ask: () => ['/v1/events', event()],
    type: EVENT,
    status: 202,
    done: 'select from event',
  },
  {
    path: '/v1/rejections/{id}/replay',
    ask: async () => [`/v1/rejections/${await rejection()}/replay`, { event: event('wrong') }],
    status: 200,
    done: audited('rejection.replay'),
  },
  {
    path: '/v1/rejections/{id}/discard',
    ask: async () => [`/v1/rejections/${await rejection()}/discard`],
    status: 200,
    done: audited('rejection.discard'),
  },
  {
    path: '/v1/alerts/{id}/acknowledge',
    ask: async () => {
      const id = v7();
      await world.dataSource.query('delete from alert');
      await world.insert('alert', {
        id,
        cause: 'BACKLOG',
        since: new Date(),
        last_seen_at: new Date(),
        detail: 'why',
      });
      return [`/v1/alerts/${id}/acknowledge`];
    },
    status: 200,
    done: audited('alert.acknowledge'),
  },
  {
    path: '/v1/webhooks',
    ask: () => ['/v1/webhooks', { url: 'http://127.0.0.1:9/hook', causes: ['LATE'] }],
    status: 201,
    done: 'select from webhook',
  },
];

it('are all of them here', async () => {
  const { body } = await scheduler.call('GET', '/openapi.json', { authorization: admin });
  const { paths } = body as { paths: Record<string, Record<string, unknown>> };
  const posts = Object.keys(paths).filter((path) => paths[path]?.['post'] !== undefined);
  // A dry run changes nothing, nor does a try of a webhook; who signs in has a cookie, not a row.
  const others = ['/v1/plans', '/v1/session', '/v1/webhooks/{id}/test'];
  expect([...OPERATIONS.map(({ path }) => path), ...others].toSorted()).toEqual(posts.toSorted());
});

/** How often it was done; NaN: it changes nothing. */
async function count(done: string | undefined): Promise<number> {
  return done === undefined ? Number.NaN : (await world.dataSource.query(done)).length;
}

function expectFirstOutcome(again: Answer, status: number): void {
  expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([
    status,
    'true',
    expect.anything(),
  ]);
}

describe.each(OPERATIONS)('POST $path', ({ ask, status, done, type }) => {
  it('whose commit got no answer: its repeat gets the first outcome, and it is done once', async () => {
    const [path, body] = await ask();
    const before = await count(done);
    const key = v7();
    losesCommit = true;
    const first = await post(path, body, key, scheduler.url, type);
    losesCommit = false;
    // Where nothing is changed, an answer that could not be kept is no fault of the request.
    expect([status, 503]).toContain(first.status);
    expect(await count(done)).toBe(before + 1);
    const again = await post(path, body, key, scheduler.url, type);
    expectFirstOutcome(again, status);
    expect(await count(done)).toBe(before + 1);
  });

  it('whose answer was cut off: its repeat gets the first outcome, and it is done once', async () => {
    const [path, body] = await ask();
    const before = await count(done);
    const key = v7();
    http.cutNext(['unanswered']);
    await expect(post(path, body, key, http.url, type)).rejects.toThrow('fetch failed');
    await eventually(async () => {
      const again = await post(path, body, key, http.url, type);
      expectFirstOutcome(again, status);
    });
    expect(await count(done)).toBe(before + 1);
  });
});

it('POST /v1/events is committed before a thread looks for its warnings', async () => {
  const { workers } = scheduler.internals;
  const run = workers.run.bind(workers);
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const spy = vi.spyOn(workers, 'run').mockImplementation(async (...job) => {
    await held;
    return run(...job);
  });
  try {
    const delivery = {
      at: '2027-03-01T09:00',
      zone: 'Asia/Seoul',
      recurrence: 'FREQ=WEEKLY;BYDAY=MO;COUNT=10',
    };
    const body = scheduled('weekly', { delivery }, { time: new Date().toISOString() });
    const key = v7();
    const first = post('/v1/events', body, key, scheduler.url, EVENT);
    await eventually(async () => expect(await count('select from campaign')).toBe(1));
    const again = await post('/v1/events', body, key, scheduler.url, EVENT);
    expectFirstOutcome(again, 202);
    expect(again.body).toMatchObject({ events: [{ verdict: 'accepted', warnings: null }] });
    goOn();
    expect((await first).body).toMatchObject({
      events: [{ verdict: 'accepted', warnings: expect.any(Array) }],
    });
  } finally {
    goOn();
    spy.mockRestore();
  }
});

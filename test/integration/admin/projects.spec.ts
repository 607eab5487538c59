// Push projects over the API: settings are stored as given, secrets go in and never come out, and everything is audited.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/platform/clock.js';
import { createLog } from '../../../src/platform/logging/log.js';
import type { ProjectStore } from '../../../src/scheduler/store/project.store.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const SECRETS = ['s3cret-one', 's3cret-two', 's3cret-three', 'api-s3cret'];
const logged: string[] = [];

let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;
let projects: ProjectStore;

beforeAll(async () => {
  database = await cloneDatabase();
  const log = createLog('scheduler', 'trace', { write: (line: string) => void logged.push(line) });
  scheduler = await startScheduler(schedulerConfig(database.url), { log, clock: new SystemClock() });
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
  projects = scheduler.internals.projects;
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const asAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  scheduler.call(method, path, { authorization: admin, ...(body !== undefined && { body }) });

async function newProject(serviceId: string, more: object = {}): Promise<Answer> {
  return asAdmin('POST', '/v1/projects', { serviceId, baseUrl: 'https://push.example.test/gw/', ...more });
}

/** Access and secret keys as the dispatcher would sign with them. */
async function keysOf(serviceId: string): Promise<string[]> {
  projects.forget();
  const project = await projects.get(serviceId);
  return (project?.keys ?? []).map(({ accessKey, secretKey }) => `${accessKey}:${secretKey.reveal()}`);
}

describe('POST /v1/projects', () => {
  it('makes a project with the defaults of the interface', async () => {
    const made = await newProject('shop', {
      key: { accessKey: 'ak-1', secretKey: SECRETS[0] },
      apiKey: SECRETS[3],
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      serviceId: 'shop',
      baseUrl: 'https://push.example.test/gw',
      defaultZone: 'Asia/Seoul',
      gatewayZone: 'Asia/Seoul',
      minReserveLeadMs: 180_000,
      maxTo: 1000,
      sources: [],
      onUncertain: 'wait',
      weight: 1,
      dispatch: { rate: expect.any(Number), slowedAt: null, troubles: [] },
      keys: [{ accessKey: 'ak-1', position: 1 }],
      hasApiKey: true,
      blocked: null,
      warnings: [expect.stringContaining('names no sources')],
    });
    expect(await keysOf('shop')).toEqual([`ak-1:${SECRETS[0]}`]);
    expect((await projects.get('shop'))?.apiKey?.reveal()).toBe(SECRETS[3]);
  });

  it('is refused for a serviceId that is taken', async () => {
    await newProject('taken');
    expect(await newProject('taken')).toMatchObject({ status: 409, body: { code: 'PROJECT_EXISTS' } });
  });

  it('is refused for a serviceId the token does not hold', async () => {
    const authorization = await scheduler.bearer(['admin'], ['shop']);
    const body = { serviceId: 'other', baseUrl: 'https://x.test' };
    const answer = await scheduler.call('POST', '/v1/projects', { authorization, body });
    expect(answer).toMatchObject({ status: 403, body: { code: 'SERVICE_NOT_HELD' } });
  });

  it('warns of an address without TLS, but for loopback', async () => {
    const open = await newProject('plain', { baseUrl: 'http://push.example.test', sources: ['/a'] });
    expect((open.body as { warnings: string[] }).warnings).toHaveLength(1);
    const loopback = await newProject('loop', { baseUrl: 'http://127.0.0.1:3200', sources: ['/a'] });
    expect((loopback.body as { warnings: string[] }).warnings).toEqual([]);
  });

  const wrong: [member: string, body: object, pointer: string][] = [
    ['a zone nobody knows', { defaultZone: 'Asia/Soul' }, '/defaultZone'],
    ['a principal zone nobody knows', { principalZones: { US: 'America/Gotham' } }, '/principalZones/US'],
    ['an address with a password', { baseUrl: 'https://u:p@x.test' }, '/baseUrl'],
    ['an address with a query', { baseUrl: 'https://x.test?a=1' }, '/baseUrl'],
    ['a file for an address', { baseUrl: 'file:///etc/passwd' }, '/baseUrl'],
    ['a source with a star inside', { sources: ['/shop/*/x'] }, '/sources/0'],
    ['an extension that does not exist', { extensionsOff: ['telepathy'] }, '/extensionsOff/0'],
    [
      'a policy that each campaign says itself',
      { policyDefaults: { approval: 'required' } },
      '/policyDefaults/approval',
    ],
    ['test recipients for all campaigns', { policyDefaults: { testTo: ['anna'] } }, '/policyDefaults/testTo'],
    ['a deadline that is no duration', { policyDefaults: { deadline: 'a day' } }, '/policyDefaults/deadline'],
    [
      'a floor in a zone nobody knows',
      { policyDefaults: { passedZone: 'floor:Asia/Soul' } },
      '/policyDefaults/passedZone',
    ],
    [
      'quiet hours that are none',
      { policyDefaults: { quietHours: { start: '22:00', end: '22:00', action: 'skip' } } },
      '/policyDefaults/quietHours/end',
    ],
    ['a secret with a line break', { key: { accessKey: 'a', secretKey: 'b\nc' } }, '/key/secretKey'],
    ['a rate of nothing', { ratePerSecond: 0 }, '/ratePerSecond'],
    ['a weight of nothing', { weight: 0 }, '/weight'],
  ];
  it.each(wrong)('is refused with %s', async (_, body, pointer) => {
    const answer = await newProject('wrong', body);
    expect(answer.status).toBe(400);
    const { problems } = answer.body as { problems: { pointer: string }[] };
    expect(problems.map((problem) => problem.pointer)).toEqual([pointer]);
    expect((await asAdmin('GET', '/v1/projects/wrong')).status).toBe(404);
  });
});

describe('PATCH /v1/projects/{id}', () => {
  it('changes what it names and nothing else', async () => {
    await newProject('patched', { ratePerSecond: 7, sources: ['/a'] });
    const answer = await asAdmin('PATCH', '/v1/projects/patched', {
      sources: ['/shop/*'],
      policyDefaults: { night: 'defer' },
      minReserveLeadMs: 20_000,
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        sources: ['/shop/*'],
        ratePerSecond: 7,
        minReserveLeadMs: 20_000,
        policyDefaults: { night: 'defer' },
      },
    });
    // The cached project was forgotten, here and (by the same notification) everywhere.
    await eventually(async () => expect((await projects.get('patched'))?.sources).toEqual(['/shop/*']));
  });
});

describe('POST /v1/projects/{id}/keys', () => {
  it('puts the new key first, keeps the former one second, and drops the one before', async () => {
    await newProject('rotating', { key: { accessKey: 'ak-1', secretKey: SECRETS[0] } });
    await asAdmin('POST', '/v1/projects/rotating/keys', { accessKey: 'ak-2', secretKey: SECRETS[1] });
    expect(await keysOf('rotating')).toEqual([`ak-2:${SECRETS[1]}`, `ak-1:${SECRETS[0]}`]);
    await asAdmin('POST', '/v1/projects/rotating/keys', { accessKey: 'ak-3', secretKey: SECRETS[2] });
    expect(await keysOf('rotating')).toEqual([`ak-3:${SECRETS[2]}`, `ak-2:${SECRETS[1]}`]);
  });

  it('gives a key that is there its new secret, and the front', async () => {
    await newProject('renewing', { key: { accessKey: 'ak-1', secretKey: SECRETS[0] } });
    await asAdmin('POST', '/v1/projects/renewing/keys', { accessKey: 'ak-2', secretKey: SECRETS[1] });
    await asAdmin('POST', '/v1/projects/renewing/keys', { accessKey: 'ak-1', secretKey: SECRETS[2] });
    expect(await keysOf('renewing')).toEqual([`ak-1:${SECRETS[2]}`, `ak-2:${SECRETS[1]}`]);
  });
});

describe('DELETE /v1/projects/{id}/keys/{accessKey}', () => {
  it('ends a rotation: the former key goes, and the last one stays', async () => {
    await newProject('ending', { key: { accessKey: 'ak/1', secretKey: SECRETS[0] } });
    await asAdmin('POST', '/v1/projects/ending/keys', { accessKey: 'ak-2', secretKey: SECRETS[1] });
    const path = `/v1/projects/ending/keys/${encodeURIComponent('ak/1')}`;
    expect(await asAdmin('DELETE', path)).toMatchObject({
      status: 200,
      body: { keys: [{ accessKey: 'ak-2', position: 1 }] },
    });
    expect(await asAdmin('DELETE', path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const last = await asAdmin('DELETE', '/v1/projects/ending/keys/ak-2');
    expect(last).toMatchObject({ status: 409, body: { code: 'LAST_KEY' } });
    expect(await keysOf('ending')).toEqual([`ak-2:${SECRETS[1]}`]);
    const { body } = await asAdmin('GET', '/v1/audit?target=ending');
    expect((body as { items: object[] }).items[0]).toMatchObject({
      action: 'project.key.remove',
      before: { keys: [{ accessKey: 'ak-2' }, { accessKey: 'ak/1' }] },
      after: { keys: [{ accessKey: 'ak-2' }] },
    });
  });

  it('of the first key makes the second the first, so that the next rotation drops neither too early', async () => {
    await newProject('mistaken', { key: { accessKey: 'ak-1', secretKey: SECRETS[0] } });
    await asAdmin('POST', '/v1/projects/mistaken/keys', { accessKey: 'ak-2', secretKey: SECRETS[1] });
    await asAdmin('DELETE', '/v1/projects/mistaken/keys/ak-2');
    await asAdmin('POST', '/v1/projects/mistaken/keys', { accessKey: 'ak-3', secretKey: SECRETS[2] });
    expect(await keysOf('mistaken')).toEqual([`ak-3:${SECRETS[2]}`, `ak-1:${SECRETS[0]}`]);
  });

  it('leaves one key of two that two administrators remove at once', async () => {
    await newProject('both', { key: { accessKey: 'ak-1', secretKey: SECRETS[0] } });
    await asAdmin('POST', '/v1/projects/both/keys', { accessKey: 'ak-2', secretKey: SECRETS[1] });
    const answers = await Promise.all(
      ['ak-1', 'ak-2'].map((key) => asAdmin('DELETE', `/v1/projects/both/keys/${key}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(await keysOf('both')).toHaveLength(1);
  });
});

describe('stop and start', () => {
  it('blocks the project until it is started, for operators too', async () => {
    await newProject('panic');
    const authorization = await scheduler.bearer(['operator'], ['panic']);
    const stopped = await scheduler.call('POST', '/v1/projects/panic/stop', { authorization });
    expect(stopped).toMatchObject({ status: 200, body: { blocked: { code: 'STOPPED', until: null } } });
    await eventually(async () => expect((await projects.get('panic'))?.blockedUntil).toBe(Infinity));
    const started = await scheduler.call('POST', '/v1/projects/panic/start', { authorization });
    expect(started).toMatchObject({ status: 200, body: { blocked: null } });
    const { body } = await asAdmin('GET', '/v1/audit?target=panic');
    expect((body as { items: object[] }).items.slice(0, 2)).toMatchObject([
      {
        action: 'project.start',
        who: expect.stringMatching(/^token:operator-\w+ \([0-9a-f-]{36}\)$/) as unknown,
        before: { blocked: { code: 'STOPPED' } },
        after: { blocked: null },
      },
      {
        action: 'project.stop',
        who: expect.stringMatching(/^token:operator-\w+ \([0-9a-f-]{36}\)$/) as unknown,
        before: { blocked: null },
        after: { blocked: { code: 'STOPPED' } },
      },
    ]);
  });
});

describe('the bounds of a project', () => {
  const patchAs = (authorization: string, serviceId: string, body: object) =>
    scheduler.call('PATCH', `/v1/projects/${serviceId}`, { authorization, body });

  it('hold back admins of the service, and not a token for all services', async () => {
    await newProject('bounded', { ratePerSecond: 20, sources: ['/shop/*', '/till'] });
    const own = await scheduler.bearer(['admin'], ['bounded']);
    const all = await scheduler.bearer(['admin']);
    const beyond: [object, string][] = [
      [{ weight: 2 }, '/weight'],
      [{ ratePerSecond: 21 }, '/ratePerSecond'],
      [{ inFlight: 65 }, '/inFlight'],
      [{ sources: ['/shop/promotions', '/other/*'] }, '/sources/1'],
      [{ sources: ['/*'] }, '/sources/0'],
      [{ sources: ['/till/*'] }, '/sources/0'],
    ];
    for (const [body, pointer] of beyond) {
      const answer = await patchAs(own, 'bounded', body);
      expect(answer).toMatchObject({ status: 403, body: { code: 'BEYOND_BOUNDS', problems: [{ pointer }] } });
    }
    expect(await patchAs(own, 'bounded', { bounds: { weight: 9 } })).toMatchObject({
      status: 403,
      body: { code: 'ALL_SERVICES_NEEDED' },
    });
    // Less, and back up to the bound.
    const less = { ratePerSecond: 5, inFlight: 1, sources: ['/shop/promotions', '/shop/a/*', '/till'] };
    expect((await patchAs(own, 'bounded', less)).status).toBe(200);
    expect(
      (await patchAs(own, 'bounded', { ratePerSecond: 20, inFlight: 64, sources: ['/shop/*'] })).status,
    ).toBe(200);

    // The value that such a token sets is the bound, higher or lower, unless it names another bound.
    expect((await patchAs(all, 'bounded', { ratePerSecond: 7, weight: 3 })).body).toMatchObject({
      bounds: { ratePerSecond: 7, weight: 3, inFlight: 64, sources: ['/shop/*', '/till'] },
    });
    expect((await patchAs(own, 'bounded', { ratePerSecond: 8 })).status).toBe(403);
    await patchAs(all, 'bounded', { bounds: { ratePerSecond: 100, sources: ['/*'] } });
    const wider = { ratePerSecond: 100, sources: ['/any/source'] };
    expect((await patchAs(own, 'bounded', wider)).body).toMatchObject({ ...wider, weight: 3 });
    const { body } = await asAdmin('GET', '/v1/audit?target=bounded&action=project.change');
    expect((body as { items: object[] }).items[1]).toMatchObject({
      before: { bounds: { ratePerSecond: 7 } },
      after: { bounds: { ratePerSecond: 100, sources: ['/*'] } },
    });
  });
});

describe('a foreign project', () => {
  it('answers like an unknown one on every route, and is not listed', async () => {
    await newProject('foreign');
    await newProject('own');
    const authorization = await scheduler.bearer(['admin'], ['own']);
    const tries: [string, string, unknown?][] = [
      ['GET', ''],
      ['PATCH', '', { ratePerSecond: 1 }],
      ['POST', '/keys', { accessKey: 'a', secretKey: 'b' }],
      ['DELETE', '/keys/a'],
      ['POST', '/stop'],
      ['POST', '/start'],
    ];
    for (const [method, tail, body] of tries) {
      const options = { authorization, ...(body !== undefined && { body }) };
      const foreign = await scheduler.call(method, `/v1/projects/foreign${tail}`, options);
      const unknown = await scheduler.call(method, `/v1/projects/unknown${tail}`, options);
      expect([tail, foreign.status, unknown.status]).toEqual([tail, 404, 404]);
      const { requestId: _a, ...foreignBody } = foreign.body as Record<string, unknown>;
      const { requestId: _b, ...unknownBody } = unknown.body as Record<string, unknown>;
      expect(foreignBody).toEqual(unknownBody);
    }
    const { body } = await scheduler.call('GET', '/v1/projects', { authorization });
    expect((body as { items: { serviceId: string }[] }).items.map((item) => item.serviceId)).toEqual(['own']);
  });
});

describe('GET /v1/projects', () => {
  it('pages through all of them by cursor', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await asAdmin('GET', `/v1/projects?limit=3&cursor=${cursor}`);
      const page = body as { items: { serviceId: string }[]; nextCursor: string | null };
      seen.push(...page.items.map((item) => item.serviceId));
      cursor = page.nextCursor;
    }
    expect(seen.length).toBeGreaterThan(6);
    expect(seen).toEqual([...new Set(seen)].toSorted());
  });
});

describe('the audit log', () => {
  it('shows who did what to a project, with before and after', async () => {
    await newProject('audited', { ratePerSecond: 5 });
    await asAdmin('PATCH', '/v1/projects/audited', { ratePerSecond: 6 });
    const { body } = await asAdmin('GET', '/v1/audit?target=audited');
    const { items } = body as { items: { action: string; who: string; before: unknown; after: unknown }[] };
    const change = items.find(({ action }) => action === 'project.change');
    expect(items.map(({ action }) => action).toSorted()).toEqual(['project.change', 'project.create']);
    expect(change).toMatchObject({
      who: expect.stringMatching(/^token:admin-\w+ \([0-9a-f-]{36}\)$/) as unknown,
      before: { ratePerSecond: 5 },
      after: { ratePerSecond: 6 },
    });
  });
});

describe('secrets', () => {
  it('stand in no answer, log line, audit row or plain column', async () => {
    const answers = await Promise.all(
      ['/v1/projects?limit=500', '/v1/projects/shop', '/v1/audit?limit=500'].map((path) =>
        asAdmin('GET', path),
      ),
    );
    const rows = await scheduler.dataSource.query<unknown>(
      'select k::text from project_key k union all select p::text from project p union all select a::text from audit a',
    );
    const everything = JSON.stringify([answers.map(({ body }) => body), rows, logged]);
    // The searched texts do have what they should.
    expect(everything).toContain('ak-1');
    expect(logged.some((line) => line.includes('/v1/projects'))).toBe(true);
    for (const secret of [...SECRETS, admin.slice('Bearer '.length)])
      expect(everything).not.toContain(secret);
  });

  it('are not logged when a statement fails with them in its parameters', async () => {
    await scheduler.dataSource.query(`alter table project_key rename to project_key_away`);
    try {
      const answer = await asAdmin('POST', '/v1/projects/shop/keys', {
        accessKey: 'ak-9',
        secretKey: SECRETS[1],
      });
      expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    } finally {
      await scheduler.dataSource.query(`alter table project_key_away rename to project_key`);
    }
    const errors = logged.filter((line) => line.includes('a request failed'));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.join('')).not.toContain('parameters');
  });
});

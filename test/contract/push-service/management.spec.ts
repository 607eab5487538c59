// The management API and the carillon-push command: on a port of their own, with a token, and never a secret twice.
import { generateKeyPairSync } from 'node:crypto';
import { v4 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { carillonPush as runCarillonPush } from './support/carillon-push.js';
import { exchange, Management, type Client } from './support/client.js';
import { apnsCredential, pemOf, serviceAccount } from './support/credentials.js';
import { query } from './support/replica.js';
import { finalResult, message, openStage, send, type Stage } from './support/stage.js';
import { IS_OUTSIDE, startTarget } from './support/target.js';

let stage: Stage;
let client: Client & { accountId: string };

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

/** An id that nothing has. */
const NOBODY = '01a3fe63-0800-728e-a965-74f922d1406b';

describe('the management API', () => {
  it('takes no request without its token, but for health', async () => {
    for (const token of ['', 'wrong', `${stage.target.managementToken}x`]) {
      expect((await stage.management.call('GET', '/v1/services', undefined, token)).status).toBe(401);
    }
    for (const path of ['/health/live', '/health/ready']) {
      // A database that takes two seconds to answer, as on a busy machine, makes it unready for a while.
      await eventually(async () =>
        expect((await exchange(stage.target.managementUrl, 'GET', path, {})).status).toBe(200),
      );
    }
    // Why it is not ready names hosts and keys.
    const ready = async (token: string) =>
      (await stage.management.call('GET', '/health/ready', undefined, token)).json();
    expect(await ready('wrong')).toEqual({ ready: true });
    expect(await ready(stage.target.managementToken)).toMatchObject({
      ready: true,
      checks: expect.any(Array) as unknown,
    });
  });

  it('is not under /push/v2, and the interface knows nothing of it', async () => {
    expect((await stage.management.call('GET', client.path('channels'))).status).toBe(404);
    expect((await client.get('/v1/services')).status).toBe(404);
  });

  it('shows a secret once and keeps it sealed', async () => {
    const shown = await stage.management.ask('GET', `/v1/accounts/${client.accountId}/access-keys`);
    const service = await stage.management.ask('GET', `/v1/services/${encodeURIComponent(client.serviceId)}`);
    expect(shown.text + service.text).not.toContain(client.keys.secretKey);
    expect(shown.list()).toMatchObject([{ accessKey: client.keys.accessKey, enabled: true }]);
    const { databaseUrl } = stage.target;
    const rows = databaseUrl === undefined ? [] : await query(databaseUrl, 'select * from access_key');
    expect(JSON.stringify(rows)).not.toContain(client.keys.secretKey);
  });

  it('answers 409 to a service id that is taken, also by a removed one', async () => {
    const serviceId = `svc:once:${v4()}`;
    await stage.management.ask('POST', '/v1/services', { serviceId });
    expect((await stage.management.call('POST', '/v1/services', { serviceId })).status).toBe(409);
    await stage.management.ask('DELETE', `/v1/services/${encodeURIComponent(serviceId)}`);
    expect((await stage.management.call('POST', '/v1/services', { serviceId })).status).toBe(409);
  });

  it.each([
    [{ zone: 'Mars/Base' }],
    [{ answerTimes: 'utc' }],
    [{ ratePerSecond: 0 }],
    [{ quotaPerDay: -1 }],
    [{ serviceId: 'a/b' }],
    [{ unknown: 1 }],
    [[]],
  ])('refuses a service of %j', async (body) => {
    expect((await stage.management.call('POST', '/v1/services', body)).status).toBe(400);
  });

  it('answers 404 to what is not there', async () => {
    const calls: [string, string, unknown?][] = [
      ['GET', '/v1/services/none'],
      ['PATCH', '/v1/services/none', {}],
      ['DELETE', '/v1/services/none'],
      ['GET', '/v1/accounts/none/access-keys'],
      ['POST', '/v1/accounts/none/access-keys'],
      ['PATCH', '/v1/access-keys/none', { enabled: true }],
      ['DELETE', '/v1/access-keys/none'],
      ['PUT', '/v1/services/none/api-keys/primary'],
      ['GET', '/v1/services/none/totals?from=2027-03-01&to=2027-03-02'],
      ['GET', '/v1/services/none/messages'],
      ['GET', `/v1/services/none/messages/${NOBODY}`],
      ['GET', `/v1/services/${encodeURIComponent(client.serviceId)}/messages/${NOBODY}`],
      ['GET', '/v1/services/none/users/ann'],
      ['GET', `/v1/services/${encodeURIComponent(client.serviceId)}/users/nobody`],
      ['GET', '/v1/services/none/schedules'],
      ['GET', '/v1/services/none/credentials'],
      ['DELETE', '/v1/services/none/credentials/fcm'],
      ['POST', '/v1/services/none/credentials/apns/check'],
    ];
    for (const [method, path, body] of calls) {
      expect([path, (await stage.management.call(method, path, body)).status]).toEqual([path, 404]);
    }
  });

  it.each([
    '',
    '?from=2027-03-01',
    '?from=2027-03-01&to=2027-03-01',
    '?from=2027-3-1&to=2027-03-02',
    '?from=1969-12-31&to=1970-01-01',
    '?from=2027-03-01&to=2027-04-02',
    '?from=2027-03-01&to=2027-03-02&by=day',
  ])('refuses totals of %j', async (asked) => {
    const path = `/v1/services/${encodeURIComponent(client.serviceId)}/totals${asked}`;
    expect((await stage.management.call('GET', path)).status).toBe(400);
  });

  it('answers by day what a service took and what became of it', async () => {
    const own = await stage.project();
    for (const deviceToken of ['fine-1', 'fine-2', 'fail-1'])
      await own.register({ userId: deviceToken, deviceToken });
    await stage.freeze('2027-03-01T12:00:00Z');
    try {
      await finalResult(own, await send(own, message()));
      const reserved = message({ reserveTime: '2099-01-01 00:00' });
      await own.delete(`reservations/${await send(own, reserved)}`);
      await send(own, reserved);
    } finally {
      await stage.thaw();
    }

    const path = `/v1/services/${encodeURIComponent(own.serviceId)}/totals?from=2027-03-01&to=2027-03-03`;
    const none = { messages: 0, target: 0, sent: 0, failed: 0, unknown: 0, pending: 0 };
    const final = { messages: 2, target: 3, sent: 2, failed: 1, unknown: 0, pending: 0 };
    expect((await stage.management.ask('GET', path)).json()['days']).toEqual([
      {
        day: '2027-03-01',
        whole: true,
        total: { ...final, messages: 3 },
        final,
        open: { ...none, messages: 1 },
      },
      { day: '2027-03-02', whole: true, total: none, final: none, open: none },
    ]);
  });

  describe('the list of messages', () => {
    const list = async (serviceId: string, asked = '') =>
      (
        await stage.management.ask('GET', `/v1/services/${encodeURIComponent(serviceId)}/messages${asked}`)
      ).json() as { items: Record<string, unknown>[]; nextBefore: string | null };

    it('has the newest first, with its key, who signed and whom it is for, in pages', async () => {
      const own = await stage.project();
      const long = 'x'.repeat(90);
      const first = await send(own, message({ target: { type: 'USER', to: ['ann', 'bob'] } }));
      const headers = { 'idempotency-key': 'its-key' };
      const keyed = await own.post('messages', message({ message: { default: { content: long } } }), {
        headers,
      });
      await own.call('PUT', 'messages/keys/closed');
      for (const requestId of [first, keyed.field('requestId')]) await finalResult(own, requestId);
      const { items, nextBefore } = await list(own.serviceId);
      expect(nextBefore).toBeNull();
      expect(items.map(({ requestId }) => requestId)).toEqual([keyed.field('requestId'), first]);
      const { accessKey } = own.keys;
      expect(items).toMatchObject([
        {
          kind: 'immediate',
          key: 'its-key',
          accessKey,
          targetType: 'ALL',
          targetSize: null,
          text: long.slice(0, 80),
        },
        { kind: 'immediate', key: null, accessKey, targetType: 'USER', targetSize: 2, text: 'hello' },
      ]);
      const page = await list(own.serviceId, '?limit=1');
      expect(page).toMatchObject({ items: [items[0]], nextBefore: keyed.field('requestId') });
      expect((await list(own.serviceId, `?limit=1&before=${page.nextBefore}`)).items).toEqual([items[1]]);
      expect((await list(own.serviceId, '?key=its-key')).items).toEqual([items[0]]);
      expect((await list(own.serviceId, '?key=closed')).items).toEqual([]);
      expect((await list(own.serviceId, '?q=BOB')).items).toEqual([items[1]]);
      expect((await list(own.serviceId, '?to=2020-01-01T00:00:00Z')).items).toEqual([]);
    });

    it.each(['?limit=0', '?limit=101', '?from=x', '?before=7', '?key=', '?by=day', '?q=%00'])(
      'refuses %j',
      async (asked) => {
        const path = `/v1/services/${encodeURIComponent(client.serviceId)}/messages${asked}`;
        expect((await stage.management.call('GET', path)).status).toBe(400);
      },
    );
  });

  const APNS = apnsCredential();
  const short = pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }));

  it.each<[string, unknown, Record<string, RegExp>]>([
    [
      'apns',
      {},
      { key: /\.p8/, keyId: /Key ID/, teamId: /Team ID/, topic: /bundle id/, environment: /production/ },
    ],
    ['apns', { ...APNS, key: short }, { key: /P-256/ }],
    ['apns', { ...APNS, keyId: 'abcde12345' }, { keyId: /capital letters/ }],
    ['apns', { ...APNS, environment: 'development' }, { environment: /sandbox/ }],
    ['apns', { ...APNS, serviceAccount: {} }, { serviceAccount: /does not know/ }],
    ['fcm', {}, { serviceAccount: /key file/ }],
    [
      'fcm',
      { serviceAccount: { project_info: {} } },
      {
        'serviceAccount/project_id': /google-services\.json/,
        'serviceAccount/client_email': /address/,
        'serviceAccount/private_key_id': /id of the key/,
        'serviceAccount/private_key': /private key/,
      },
    ],
    [
      'fcm',
      { serviceAccount: serviceAccount({ private_key: short }) },
      { 'serviceAccount/private_key': /at least 2048 bits/ },
    ],
  ])('refuses a credential by the members that are wrong: %s, %#', async (kind, body, wanted) => {
    const path = `/v1/services/${encodeURIComponent(client.serviceId)}/credentials/${kind}`;
    const answer = await stage.management.call('PUT', path, body);
    expect([answer.status, answer.text.includes('BEGIN')]).toEqual([400, false]);
    const { problems } = answer.json() as { problems: { pointer: string; text: string }[] };
    expect(problems.map(({ pointer }) => pointer).toSorted()).toEqual(
      Object.keys(wanted)
        .map((name) => `/${name}`)
        .toSorted(),
    );
    for (const { pointer, text } of problems) expect(text).toMatch(wanted[pointer.slice(1)] ?? /never/);
  });

  it('never shows the key of a credential, and keeps it sealed', async () => {
    const path = `/v1/services/${encodeURIComponent(client.serviceId)}/credentials`;
    const put = await stage.management.ask('PUT', `${path}/apns`, APNS);
    const list = await stage.management.ask('GET', path);
    const { key, ...settings } = APNS;
    expect(list.list()).toMatchObject([{ kind: 'apns', version: 1, settings, fault: null, checkedAt: null }]);
    const { databaseUrl } = stage.target;
    const rows =
      databaseUrl === undefined ? [] : await query(databaseUrl, 'select * from provider_credential');
    const secret = key.split('\n')[1] ?? key;
    expect(put.text + list.text + JSON.stringify(rows)).not.toContain(secret);
    expect((await stage.management.ask('DELETE', `${path}/apns`)).status).toBe(204);
    expect((await stage.management.call('DELETE', `${path}/apns`)).status).toBe(404);
  });

  it.each(['%ff', '%', '%zz'])(
    'answers a path that cannot be read (%s) as it does every refusal',
    async (part) => {
      const answer = await stage.management.call('GET', `/v1/services/${part}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([
        400,
        'application/problem+json; charset=utf-8',
      ]);
      expect(answer.json()).toMatchObject({ status: 400, code: 'MALFORMED_URL' });
    },
  );

  it.each([
    'offset=',
    'offset=%20',
    'offset=-1',
    'offset=1.0',
    'limit=0',
    'limit=0x10',
    'limit=1e2',
    'limit=10001',
  ])('refuses the page %s, which is no integer of its bounds', async (page) => {
    const path = `/v1/sandbox/services/${encodeURIComponent(client.serviceId)}/messages?${page}`;
    expect((await stage.management.call('GET', path)).status).toBe(400);
  });

  it('gives an account two keys and no more, to whoever asks at once, and refuses all others with 409', async () => {
    const { accountId } = await stage.project();
    const [first] = (await stage.management.ask('GET', `/v1/accounts/${accountId}/access-keys`)).list();
    await stage.management.ask('DELETE', `/v1/access-keys/${String(first?.['accessKey'])}`);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        stage.management.call('POST', `/v1/accounts/${accountId}/access-keys`),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, ...Array.from({ length: 10 }, () => 409)]);
  });

  it('sets the sandbox’s clock ahead, and back to the machine’s', async () => {
    const hour = 3_600_000;
    await stage.management.setClock({ mode: 'ahead', ms: hour });
    const ahead = (await stage.management.ask('GET', '/v1/sandbox/clock')).json();
    const away = (): number => Date.parse(String(ahead['now'])) - Date.now();
    expect([ahead['mode'], away() <= hour, away() > hour / 2]).toEqual(['ahead', true, true]);
    expect((await client.get('channels')).status).toBe(401);
    expect((await client.get('channels', { timestamp: Date.now() + hour })).status).toBe(200);
    await stage.management.setClock({ mode: 'real' });
    expect((await client.get('channels')).status).toBe(200);
  });

  it.skipIf(IS_OUTSIDE)('has no faults, deliveries or clock outside of the sandbox', async () => {
    const production = await startTarget({ CARILLON_SANDBOX: 'false', PUSH_MAX_BODY_BYTES: '1024' });
    for (const path of ['faults', 'clock', 'deliveries?requestId=x']) {
      const headers = { authorization: `Bearer ${production.managementToken}` };
      const answer = await exchange(production.managementUrl, 'GET', `/v1/sandbox/${path}`, headers);
      expect(answer.status).toBe(404);
    }
    // What a request may hold is a setting.
    const small = await new Management(production).newService();
    const padded = (length: number): string => '{"channelName":"c"}'.padEnd(length, ' ');
    expect((await small.post('channels', padded(1_025))).status).toBe(413);
    expect((await small.post('channels', padded(1_024))).status).toBe(201);
    await production.close();
  });
});

describe('the OpenAPI documents', () => {
  const documentOf = async (name: string): Promise<Record<string, Record<string, unknown>>> => {
    const answer = await exchange(stage.target.managementUrl, 'GET', `/openapi/${name}.json`, {});
    return answer.json() as Record<string, Record<string, unknown>>;
  };

  it('describe every operation of §4 with its bodies and statuses', async () => {
    const { paths = {} } = await documentOf('push');
    const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, unknown>));
    expect(operations.length).toBe(26);
    expect(paths['/push/v2/services/{serviceId}/users']).toMatchObject({
      post: {
        operationId: 'registerUser',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                required: expect.arrayContaining(['userId', 'deviceType', 'deviceToken']) as unknown,
                properties: { deviceType: { enum: ['GCM', 'APNS', 'FCMv1'] } },
              },
            },
          },
        },
        responses: { 201: {}, 400: {}, 401: {}, 403: {}, 404: {}, 500: {} },
      },
    });
  });

  it('describe the management API', async () => {
    const { paths = {} } = await documentOf('management');
    for (const path of [
      '/v1/services',
      '/v1/access-keys/{accessKey}',
      '/v1/sandbox/faults',
      '/v1/sandbox/clock',
    ]) {
      expect(Object.keys(paths)).toContain(path);
    }
  });
});

const carillonPush = (...args: string[]) => runCarillonPush(stage.target, args);

describe('carillon-push', () => {
  it('makes a service, limits it, rotates its keys and plans a schedule', async () => {
    const serviceId = `svc:cli:${v4()}`;
    const made = await carillonPush(
      'service',
      'create',
      '--service-id',
      serviceId,
      '--zone',
      'UTC',
      '--quota-per-day',
      '9',
    );
    expect(made.code).toBe(0);
    const { service, key } = JSON.parse(made.out) as {
      service: { accountId: string };
      key: { accessKey: string };
    };
    expect(service).toMatchObject({ serviceId, zone: 'UTC', quotaPerDay: 9 });

    const changed = await carillonPush(
      'service',
      'change',
      serviceId,
      '--quota-per-day',
      'none',
      '--rate-per-second',
      '5',
    );
    expect([changed.code, changed.err]).toEqual([0, '']);
    expect(JSON.parse(changed.out)).toMatchObject({ quotaPerDay: null, ratePerSecond: 5, zone: 'UTC' });

    const totals = await carillonPush('service', 'totals', serviceId, '2027-03-01', '2027-03-03');
    expect(JSON.parse(totals.out)).toMatchObject({ days: [{ day: '2027-03-01' }, { day: '2027-03-02' }] });

    expect((await carillonPush('key', 'create', service.accountId)).code).toBe(0);
    const third = await carillonPush('key', 'create', service.accountId);
    expect([third.code, third.err]).toEqual([
      1,
      'an account has at most two access keys; delete one first\n',
    ]);
    const disabled = await carillonPush('key', 'disable', key.accessKey);
    expect(JSON.parse(disabled.out)).toMatchObject({ enabled: false });

    const schedule = await carillonPush(
      'schedule',
      'create',
      serviceId,
      'daily',
      '--schedule-time',
      '09:00',
      '--day-of-weeks',
      'MON',
      'FRI',
    );
    expect(JSON.parse(schedule.out)).toMatchObject({ scheduleCode: 'daily', dayOfWeeks: ['MON', 'FRI'] });
    expect((await carillonPush('service', 'remove', serviceId)).code).toBe(0);
  });

  it('says what is wrong: 1 for a refusal, 2 for a call that cannot be used', async () => {
    const refused = await carillonPush('service', 'show', 'none');
    expect([refused.code, refused.err]).toEqual([1, 'there is no such service\n']);
    const bad = await carillonPush('service', 'create', '--zone', 'Mars/Base');
    expect(bad.code).toBe(1);
    expect(bad.err).toContain('/zone: is no name of the time-zone database');
    expect((await carillonPush('service', 'create', '--quota-per-day', 'many')).code).toBe(2);
    expect((await carillonPush('nonsense')).code).toBe(2);
  });
});

describe('one message and one user', () => {
  it('are shown to people: the request as it is kept, and of each token only its end', async () => {
    await client.register({ userId: 'shown', deviceToken: 'a-long-token-123456', country: 'KR' });
    const sent = await send(client, message({ target: { type: 'USER', to: ['shown'] } }));
    const below = `/v1/services/${encodeURIComponent(client.serviceId)}`;
    const one = await stage.management.call('GET', `${below}/messages/${sent}`);
    expect([one.status, one.json()]).toEqual([
      200,
      expect.objectContaining({
        requestId: sent,
        kind: 'immediate',
        targetType: 'USER',
        targetSize: 1,
        request: expect.objectContaining({ target: expect.objectContaining({ to: ['shown'] }) }),
      }),
    ]);
    const user = await stage.management.call('GET', `${below}/users/shown`);
    expect([user.status, user.json()]).toEqual([
      200,
      expect.objectContaining({
        userId: 'shown',
        country: 'KR',
        consents: { notification: true, ad: true, nightAd: true },
        devices: [{ deviceType: 'GCM', tokenEnd: '123456' }],
      }),
    ]);
    expect((await carillonPush('users', 'show', client.serviceId, 'shown')).out).toContain('"tokenEnd"');
    expect((await carillonPush('messages', 'show', client.serviceId, sent)).code).toBe(0);
  });
});

describe('carillon-push status', () => {
  it('ends with 0 where all is well, and with 2 where nobody answers', async () => {
    expect(await carillonPush('status')).toMatchObject({ code: 0, out: 'All is well\n' });
    const away = { ...stage.target, managementUrl: 'http://127.0.0.1:1' };
    expect(await runCarillonPush(away, ['status'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('MANAGEMENT_URL'),
    });
  });
});

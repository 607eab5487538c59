// push-interface.md §5 authentication, push-interface.md §7 errors and push-decisions.md, "Gateway".
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { exchange, signatureOf, type Client } from './support/client.js';
import { message, openStage, refusal, type Stage } from './support/stage.js';
import { IS_OUTSIDE } from './support/target.js';
import { createLog } from '../../../src/platform/logging/log.js';

let stage: Stage;
let client: Client & { accountId: string };

const REFUSED = [401, '200', 'Authentication Failed'];
/** The gateway's own: §7 gives its words, and what names a field is an operation's. */
const BAD_REQUEST = [400, '100', 'Bad Request Exception'];

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

/** Sends bytes as they are and returns all that came back. */
function rawExchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(stage.target.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => (text += chunk.toString('utf8')));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('§5 headers', () => {
  it.each(['x-svc-', 'x-ncp-'] as const)('takes the headers under the prefix %s', async (prefix) => {
    expect((await client.get('channels', { prefix })).status).toBe(200);
  });

  it('takes no request whose headers are spread over both prefixes', async () => {
    const answer = await client.get('channels', {
      headers: { 'x-svc-iam-access-key': undefined, 'x-ncp-iam-access-key': client.keys.accessKey },
    });
    expect(refusal(answer)).toEqual(REFUSED);
  });

  it.each(['x-svc-apigw-timestamp', 'x-svc-iam-access-key', 'x-svc-apigw-signature-v2'])(
    'refuses a request without %s, and with an empty one',
    async (name) => {
      expect(refusal(await client.get('channels', { headers: { [name]: undefined } }))).toEqual(REFUSED);
      expect(refusal(await client.get('channels', { headers: { [name]: '' } }))).toEqual(REFUSED);
    },
  );

  it('answers one and the same 401/200 to an unknown key, a wrong secret and a wrong signature', async () => {
    const answers = await Promise.all([
      client.get('channels', { keys: { ...client.keys, accessKey: 'unknown' } }),
      client.get('channels', { keys: { ...client.keys, secretKey: 'wrong' } }),
      client.get('channels', { headers: { 'x-svc-apigw-signature-v2': 'bm8=' } }),
      client.get('channels', { signed: client.path('users') }),
      client.call('GET', 'channels', { signed: `/push/v2/services/${client.serviceId}/channels?a` }),
    ]);
    for (const answer of answers) expect(refusal(answer)).toEqual(REFUSED);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  });

  it('signs the method: a GET’s signature opens no DELETE', async () => {
    const timestamp = String(client.now());
    const path = client.path('users/nobody');
    const signature = signatureOf('GET', path, timestamp, client.keys);
    const answer = await client.delete('users/nobody', undefined, {
      timestamp,
      headers: { 'x-svc-apigw-signature-v2': signature },
    });
    expect(refusal(answer)).toEqual(REFUSED);
  });
});

describe.runIf(!IS_OUTSIDE)('a caller that is refused', () => {
  it('is distinguished by the metric and the log: clock, key, signature and the rest', async () => {
    const lines: string[] = [];
    const log = createLog('push-service', 'warn', { write: (line) => void lines.push(line) });
    const own = await openStage({}, { log });
    try {
      const project = await own.project();
      const other = await own.project();
      const { keys } = project;
      await project.get('channels', { headers: { 'x-svc-iam-access-key': undefined } });
      await project.get('channels', { keys: { ...keys, accessKey: 'nobody' } });
      await project.get('channels', { keys: { ...keys, secretKey: 'wrong' } });
      await project.get('channels', { timestamp: Date.now() - 300_000 });
      await project.get('channels', { timestamp: 1, keys: { ...keys, secretKey: 'wrong' } });
      await project.get(other.path('channels'), { headers: { 'x-forwarded-for': '203.0.113.7' } });
      await own.management.call('GET', '/v1/services', undefined, 'not the token');

      const metrics = await (await fetch(own.target.metricsUrl ?? '')).text();
      const counted = metrics.matchAll(
        /^carillon_push_authentication_refused_total\{reason="(.*)"\} (\d+)$/gm,
      );
      expect(Object.fromEntries([...counted].map(([, reason, count]) => [reason, Number(count)]))).toEqual({
        headers: 1,
        key: 1,
        signature: 2,
        clock: 1,
        service: 1,
        'management-token': 1,
      });
      const logged = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ reason }) => reason);
      expect(logged.map(({ reason }) => reason)).toEqual(
        'headers key signature clock signature service management-token'.split(' '),
      );
      expect(logged[3]).toMatchObject({ address: '127.0.0.1', accessKey: keys.accessKey });
      expect(logged[5]).toMatchObject({ forwardedFor: '203.0.113.7' });
      expect(lines.join('')).not.toMatch(/apigw-signature|not the token/);
      expect(lines.join('')).not.toContain(keys.secretKey);
    } finally {
      await own.close();
    }
  });
});

describe('§5 clock', () => {
  beforeAll(() => stage.freeze('2026-11-20T10:00:00.000Z'));
  afterAll(() => stage.thaw());

  it.each([
    [0, 200],
    [299_999, 200],
    [-299_999, 200],
    [300_000, 401],
    [-300_000, 401],
    [300_001, 401],
  ])('a timestamp %d ms away from the gateway’s clock is answered %d', async (away, status) => {
    expect((await client.get('channels', { timestamp: client.now() + away })).status).toBe(status);
  });

  it.each(['', 'now', '1e3', '0x10', '1.5', '-1'])('refuses the timestamp %j', async (timestamp) => {
    expect(refusal(await client.get('channels', { timestamp }))).toEqual(REFUSED);
  });

  it('refuses a timestamp in seconds', async () => {
    const timestamp = String(Math.floor(client.now() / 1_000));
    expect(refusal(await client.get('channels', { timestamp }))).toEqual(REFUSED);
  });
});

describe('§5 keys', () => {
  it('gives an account two keys and refuses a third; each can be disabled and deleted', async () => {
    const project = await stage.project();
    const keys = `/v1/accounts/${project.accountId}/access-keys`;
    const second = (await stage.management.ask('POST', keys)).json() as unknown as typeof project.keys;
    expect((await stage.management.call('POST', keys)).status).toBe(409);
    expect((await project.get('channels', { keys: second })).status).toBe(200);

    await stage.management.ask('PATCH', `/v1/access-keys/${second.accessKey}`, { enabled: false });
    expect(refusal(await project.get('channels', { keys: second }))).toEqual(REFUSED);
    expect((await project.get('channels')).status).toBe(200);
    await stage.management.ask('PATCH', `/v1/access-keys/${second.accessKey}`, { enabled: true });
    expect((await project.get('channels', { keys: second })).status).toBe(200);

    await stage.management.ask('DELETE', `/v1/access-keys/${second.accessKey}`);
    expect(refusal(await project.get('channels', { keys: second }))).toEqual(REFUSED);
    expect((await stage.management.call('POST', keys)).status).toBe(201);
  });

  it('answers 401/210 to a valid key without right to the service, existing or not', async () => {
    const other = await stage.project();
    const foreign = await client.get(other.path('channels'));
    const nowhere = await client.get('/push/v2/services/nowhere/channels');
    for (const answer of [foreign, nowhere])
      expect(refusal(answer)).toEqual([401, '210', 'Permission Denied']);
  });

  it('lets one account’s keys into each of its services', async () => {
    const second = await stage.management.ask('POST', '/v1/services', { accountId: client.accountId });
    const { service, key } = second.json() as { service: { serviceId: string }; key: unknown };
    expect(key).toBeNull();
    expect(
      (await client.get(`/push/v2/services/${encodeURIComponent(service.serviceId)}/channels`)).status,
    ).toBe(200);
  });

  it('answers 403/210 while the service is suspended, and 404/300 once it is removed', async () => {
    const project = await stage.project();
    const service = `/v1/services/${encodeURIComponent(project.serviceId)}`;
    await stage.management.ask('PATCH', service, { suspended: true });
    expect(refusal(await project.get('channels'))).toEqual([403, '210', 'Permission Denied']);
    await stage.management.ask('PATCH', service, { suspended: false });
    expect((await project.get('channels')).status).toBe(200);
    await stage.management.ask('DELETE', service);
    expect(refusal(await project.get('channels')).slice(0, 2)).toEqual([404, '300']);
  });

  it('asks for an API key only where the service requires one; it must be active', async () => {
    const project = await stage.project({ apiKeyRequired: true });
    const slots = `/v1/services/${encodeURIComponent(project.serviceId)}/api-keys`;
    const primary = (await stage.management.ask('PUT', `${slots}/primary`)).field('apiKey');
    const secondary = (await stage.management.ask('PUT', `${slots}/secondary`)).field('apiKey');
    const withKey = (key: string | undefined) =>
      project.get('channels', { headers: { 'x-svc-apigw-api-key': key } });
    for (const key of [undefined, '', 'wrong']) expect(refusal(await withKey(key))).toEqual(REFUSED);
    expect((await withKey(primary)).status).toBe(200);
    expect((await withKey(secondary)).status).toBe(200);

    await stage.management.ask('PATCH', `${slots}/secondary`, { active: false });
    expect(refusal(await withKey(secondary))).toEqual(REFUSED);
    const changed = (await stage.management.ask('PUT', `${slots}/primary`)).field('apiKey');
    expect(refusal(await withKey(primary))).toEqual(REFUSED);
    expect((await withKey(changed)).status).toBe(200);
    expect((await client.get('channels', { headers: { 'x-svc-apigw-api-key': 'of no use' } })).status).toBe(
      200,
    );
  });
});

describe('§7 errors', () => {
  // Quotas are of days: none may end in the middle of a test.
  beforeAll(() => stage.freeze('2026-11-20T10:00:00.000Z'));
  afterAll(() => stage.thaw());

  it('answers 404/300 to unknown paths and methods under /push/v2', async () => {
    const answers = await Promise.all([
      client.get('nothing'),
      client.get('channels/'),
      client.put('messages', {}),
      client.call('PATCH', 'channels'),
      client.call('OPTIONS', 'channels'),
      client.get('/push/v2'),
      client.get('/push/v2/other'),
    ]);
    for (const answer of answers) expect(refusal(answer).slice(0, 2)).toEqual([404, '300']);
    expect((await client.call('HEAD', 'channels')).status).toBe(404);
  });

  it('authenticates before it says what is not there', async () => {
    const keys = { ...client.keys, secretKey: 'wrong' };
    expect(refusal(await client.get('nothing', { keys }))).toEqual(REFUSED);
    expect(refusal(await client.post('messages', '{', { keys }))).toEqual(REFUSED);
  });

  it('counts the rate before it says what is not there, and looks for the route before the members of a body', async () => {
    expect(refusal(await client.post('nothing', '{')).slice(0, 2)).toEqual([404, '300']);
    expect(refusal(await client.post('channels/c', { channelName: 7 })).slice(0, 2)).toEqual([404, '300']);
    const project = await stage.project({ quotaPerDay: 1 });
    expect((await project.get('channels')).status).toBe(200);
    expect(refusal(await project.get('nothing'))).toEqual([429, '400', 'Quota Exceeded']);
    expect(refusal(await project.post('channels', '{'))).toEqual([429, '400', 'Quota Exceeded']);
  });

  it('says every refusal as XML to an XML request, 413, 429 and 503 as well', async () => {
    const headers = { 'content-type': 'application/xml' };
    const project = await stage.project({ quotaPerDay: 1 });
    const of = (code: string): string => `<Message><error><errorCode>${code}</errorCode><message>`;
    const { serviceId } = project;
    await stage.management.addFault({
      kind: 'error',
      error: 'endpointError',
      operation: '*',
      count: 1,
      serviceId,
    });
    const answers = [
      [await project.get('channels', { headers }), 503, '500'],
      [await project.get('channels', { headers }), 429, '400'],
      [await project.post('channels', ' '.repeat(1_048_577), { headers }), 413, '430'],
      [await project.get('channels', { headers, timestamp: 1 }), 401, '200'],
    ] as const;
    for (const [answer, status, code] of answers) {
      expect([answer.status, answer.text.includes(of(code))]).toEqual([status, true]);
      expect(answer.headers['content-type']).toMatch(/^application\/xml/);
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(answer.headers['retry-after'] !== undefined).toBe(status === 429 || status === 503);
    }
  });

  it('refuses a body that is not UTF-8 with 400/100: after 401 and 429, before 404', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    const project = await stage.project({ quotaPerDay: 1 });
    expect(refusal(await project.post('nothing', body))).toEqual(BAD_REQUEST);
    expect(refusal(await project.post('channels', body))).toEqual([429, '400', 'Quota Exceeded']);
    const keys = { ...project.keys, secretKey: 'wrong' };
    expect(refusal(await project.post('channels', body, { keys }))).toEqual(REFUSED);
  });

  it('refuses a body that is packed by the name of the header that says so', async () => {
    const packed = gzipSync('{"channelName":"packed"}');
    const headers = { 'content-encoding': 'gzip' };
    expect(refusal(await client.post('channels', packed, { headers }))).toEqual([
      400,
      '100',
      'Content-Encoding: must be identity, or not be given',
    ]);
    // A call that has no body takes no notice of it.
    expect((await client.get('channels', { headers })).status).toBe(200);
    const plain = { 'content-encoding': 'Identity' };
    expect((await client.post('channels', { channelName: 'plain' }, { headers: plain })).status).toBe(201);
  });

  it('refuses a path whose escapes are no UTF-8 with 400/100', async () => {
    for (const name of ['%FF', '%zz'])
      expect(refusal(await client.get(`users/${name}`))).toEqual(BAD_REQUEST);
    expect(refusal(await client.get('/push/v2/services/%FF/channels'))).toEqual(BAD_REQUEST);
  });

  it('refuses a path with a part of over 4096 characters with 400/100', async () => {
    expect(refusal(await client.get(`users/${'x'.repeat(4_097)}`))).toEqual(BAD_REQUEST);
    expect((await client.get(`users/${'x'.repeat(4_096)}`)).status).toBe(404);
  });

  it.each([
    ['requestId', 'messages/xx'],
    ['reserveId', 'reservations/x/reserve-status'],
    ['messageId', 'schedules/s/messages/x-y'],
  ])('answers 404/300 that names the %s that is no UUID', async (name, path) => {
    expect(refusal(await client.get(path))).toEqual([404, '300', `${name}: is no UUID`]);
  });

  it('answers broken HTTP with 400/100 as JSON', async () => {
    const answer = await rawExchange('NOT HTTP\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"error":{"errorCode":"100"');
  });

  it('answers as XML when the request was application/xml', async () => {
    const headers = { 'content-type': 'application/xml; charset=utf-8' };
    const unsigned = await exchange(stage.target.url, 'GET', client.path('channels'), headers);
    expect(unsigned.status).toBe(401);
    expect(unsigned.headers['content-type']).toMatch(/^application\/xml/);
    expect(unsigned.text).toContain(
      '<Message><error><errorCode>200</errorCode><message>Authentication Failed</message></error></Message>',
    );
    const unknown = await client.get('nothing', { headers });
    expect(unknown.text).toContain('<Message><error><errorCode>300</errorCode>');
  });

  it('uses responseError for a missing required field of an XML request, and resolves no entity', async () => {
    const body = '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><user><userId>&x;</userId></user>';
    const answer = await client.post('users', body, { headers: { 'content-type': 'application/xml' } });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(
      /<responseError><returnCode>900<\/returnCode><returnMessage>[^<]+<\/returnMessage><\/responseError>/,
    );
    expect(answer.text).not.toContain('root:');
  });

  it('gives every answer an x-request-id of its own and names the extensions', async () => {
    const answers = await Promise.all([
      client.get('channels'),
      client.get('nothing'),
      client.get('channels', { timestamp: 1 }),
    ]);
    const ids = answers.map((answer) => answer.headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
    for (const answer of answers) {
      expect(answer.headers['x-carillon-extensions']).toBe(
        'idempotency-key,close-key,target-timezone,user-timezones,result-breakdown',
      );
    }
  });

  it('sends no CORS headers', async () => {
    const answer = await client.get('channels', { headers: { origin: 'https://example.com' } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('§7 413/430 the size of a request', () => {
  const LIMIT = 1_048_576;

  it('takes a body of the limit and refuses one byte more, before anything else', async () => {
    const padded = (length: number): string => `{"channelName":"size-${length}"}`.padEnd(length, ' ');
    expect((await client.post('channels', padded(LIMIT))).status).toBe(201);
    const answer = await client.post('channels', padded(LIMIT + 1), {
      keys: { ...client.keys, secretKey: 'wrong' },
    });
    expect(refusal(answer)).toEqual([413, '430', 'Request Entity Too Large']);
  });

  it('refuses a declared length at once, without the body', async () => {
    const text = await rawExchange(
      [
        `POST ${client.path('channels')} HTTP/1.1`,
        'Host: x',
        'Content-Type: application/json',
        'Content-Length: 99999999999',
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('"errorCode":"430"');
  });

  it.each([
    ['a request without Host', [], /^HTTP\/1\.1 400 /, '"errorCode":"100","message":"Bad Request Exception"'],
    ['an expectation nobody knows', ['Host: x', 'Expect: miracles'], /^HTTP\/1\.1 401 /, '"errorCode":"200"'],
  ])('answers %s with a body and an id as everything else', async (_, headers, status, body) => {
    const lines = [`GET ${client.path('channels')} HTTP/1.1`, ...headers, 'Connection: close', '', ''];
    const text = await rawExchange(lines.join('\r\n'));
    expect(text).toMatch(status);
    expect(text).toContain(body);
    expect(text).toMatch(/\r\nx-request-id: /);
  });

  it.each([
    ['stops reading', (): string => client.keys.secretKey, /^HTTP\/1\.1 413 /],
    ['reads nothing without a signature of', () => 'wrong', /^HTTP\/1\.1 401 /],
  ])('%s a body that is too large and of no declared length', async (_, secretKey, status) => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const path = client.path('channels');
    const timestamp = String(client.now());
    const keys = { ...client.keys, secretKey: secretKey() };
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      `x-svc-apigw-timestamp: ${timestamp}`,
      `x-svc-iam-access-key: ${keys.accessKey}`,
      `x-svc-apigw-signature-v2: ${signatureOf('POST', path, timestamp, keys)}`,
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      '',
    ].join('\r\n');
    const text = await rawExchange(head + chunk.repeat(17) + '0\r\n\r\n');
    expect(text).toMatch(status);
  });
});

/** What `attempt` resolves to, once it took less than the second in which a bucket of one a second gets a token back. */
async function withinASecond<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const began = performance.now();
    const result = await attempt();
    if (performance.now() - began < 1_000) return result;
  }
}

describe('§7 429 rate and quota', () => {
  it('throttles each access key by its own bucket: 429/410 with Retry-After', async () => {
    const [project, answers] = await withinASecond(async () => {
      const fresh = await stage.project({ ratePerSecond: 1, rateBurst: 3 });
      return [fresh, await Promise.all(Array.from({ length: 6 }, () => fresh.get('channels')))] as const;
    });
    const second = await stage.management.ask('POST', `/v1/accounts/${project.accountId}/access-keys`);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 200).length).toBe(3);
    expect(refused.length).toBe(3);
    for (const answer of refused) {
      expect(refusal(answer)).toEqual([429, '410', 'Throttle Limited']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const keys = { accessKey: second.field('accessKey'), secretKey: second.field('secretKey') };
    expect((await project.get('channels', { keys })).status).toBe(200);
    await eventually(async () => (await project.get('channels')).status === 200);
  });

  it('counts each service of a key apart: a slow one takes nothing of a fast one', async () => {
    const fast = await stage.project({ ratePerSecond: 100, rateBurst: 100 });
    const { accountId } = fast;
    const statuses = async (path: string, count: number): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: count }, () => fast.get(path)));
      return answers.map(({ status }) => status).sort((one, other) => one - other);
    };
    const ofSlow = await withinASecond(async () => {
      const made = await stage.management.ask('POST', '/v1/services', { accountId, ratePerSecond: 1 });
      const { service } = made.json() as { service: { serviceId: string } };
      return statuses(`/push/v2/services/${encodeURIComponent(service.serviceId)}/channels`, 3);
    });
    expect(ofSlow).toEqual([200, 429, 429]);
    expect(await statuses('channels', 20)).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('ends a day’s quota with 429/400 until the day is over', async () => {
    await stage.freeze('2026-11-20T23:00:00.000Z');
    const project = await stage.project({ quotaPerDay: 5 });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await project.get('channels')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    const answer = await project.post('messages', message());
    expect(refusal(answer)).toEqual([429, '400', 'Quota Exceeded']);
    expect(answer.headers['retry-after']).toBe('3600');
    await stage.freeze('2026-11-21T00:00:00.000Z');
    expect((await project.get('channels')).status).toBe(200);
    await stage.thaw();
  });

  it('authenticates before it counts: a stranger uses nobody’s rate', async () => {
    const project = await stage.project({ ratePerSecond: 1, rateBurst: 1 });
    const stranger = { ...project.keys, secretKey: 'wrong' };
    for (let index = 0; index < 5; index += 1) {
      expect((await project.get('channels', { keys: stranger })).status).toBe(401);
    }
    expect((await project.get('channels')).status).toBe(200);
  });
});

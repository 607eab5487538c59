// What real clients do, replayed byte by byte: none of them may learn that the service behind the name has changed.
import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { v4 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatureOf, type Client } from './support/client.js';
import { message, openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

/** Of the form real ones have, and new each time: the service may be one that ran this suite before. */
const SERVICE_ID = `ncp:push:kr:${randomInt(1e11, 1e12)}:shop`;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project({ serviceId: SERVICE_ID });
  await client.register({ userId: 'u' });
  await client.post('channels', { channelName: 'c' });
});

afterAll(() => stage.close());

interface Wire {
  readonly method: string;
  readonly target: string;
  /** What the client signs; the target by default. */
  readonly signed?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly timestamp?: string;
  /** x-ncp- by default; names of headers are sent as they are written here. */
  readonly prefix?: string;
}

/** The bytes of one request as a client puts them on the wire, and the status line and body of the answer. */
function replay({
  method,
  target,
  signed,
  headers = [],
  body = '',
  timestamp = String(Date.now()),
  prefix = 'x-ncp-',
}: Wire): Promise<{
  status: number;
  body: string;
}> {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${new URL(stage.target.url).host}`,
    `${prefix}apigw-timestamp: ${timestamp}`,
    `${prefix}iam-access-key: ${client.keys.accessKey}`,
    `${prefix}apigw-signature-v2: ${signatureOf(method, signed ?? target, timestamp, client.keys)}`,
    'Connection: close',
    ...headers,
    '',
    body,
  ];
  const { hostname, port } = new URL(stage.target.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n')));
    socket.on('data', (chunk) => (text += chunk.toString('utf8')));
    socket.on('error', reject);
    socket.on('end', () => {
      const [head = '', answer = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: answer });
    });
  });
}

const json = (body: string): string[] => [
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(body)}`,
];

const RAW = `/push/v2/services/${SERVICE_ID}`;
const ENCODED = `/push/v2/services/${encodeURIComponent(SERVICE_ID)}`;

describe('§5 paths as clients write and sign them', () => {
  it('takes raw colons and %3A, each signed as it was sent', async () => {
    for (const base of [RAW, ENCODED, ENCODED.replaceAll('%3A', '%3a')]) {
      expect((await replay({ method: 'GET', target: `${base}/users/u` })).status).toBe(200);
    }
  });

  it('takes the signature over the decoded path of an encoded target', async () => {
    expect(
      (await replay({ method: 'GET', target: `${ENCODED}/users/u`, signed: `${RAW}/users/u` })).status,
    ).toBe(200);
    const korean = encodeURIComponent('공지');
    const listed = await replay({
      method: 'GET',
      target: `${ENCODED}/channels?channelName=${korean}`,
      signed: `${RAW}/channels?channelName=${korean}`,
    });
    expect(listed.status).toBe(200);
  });

  it('takes the signature over the normal form of an encoded target, and over no other', async () => {
    const asked = (target: string, signed: string) =>
      replay({ method: 'GET', target: RAW + target, signed: RAW + signed });
    const taken = [
      await asked('/channels?channelName=a%2bb', '/channels?channelName=a%2Bb'),
      await asked('/channels?channelName=a%2Db', '/channels?channelName=a-b'),
      await asked('/channels?channelName=%ea%b3%b5', '/channels?channelName=%EA%B3%B5'),
    ];
    const refused = [
      await asked('/channels?channelName=a%2Bb', '/channels?channelName=a%2bb'),
      await asked('/channels?channelName=a-b', '/channels?channelName=a%2Db'),
      await asked('/channels?channelName=a%2bb', '/channels?channelName=a+b'),
      await asked('/channels?channelName=a%252Db', '/channels?channelName=a%2Db'),
    ];
    expect([...taken, ...refused].map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401, 401]);
  });

  it('refuses it where decoding would change the path, and where the query was decoded', async () => {
    const slash = await replay({ method: 'GET', target: `${RAW}/users/a%2Fb`, signed: `${RAW}/users/a/b` });
    const query = await replay({
      method: 'GET',
      target: `${RAW}/channels?channelName=a%20b`,
      signed: `${RAW}/channels?channelName=a b`,
    });
    expect([slash.status, query.status]).toEqual([401, 401]);
  });

  it('takes a trailing ? that was signed but not sent, and one that was sent', async () => {
    expect(
      (await replay({ method: 'GET', target: `${RAW}/channels`, signed: `${RAW}/channels?` })).status,
    ).toBe(200);
    expect((await replay({ method: 'GET', target: `${RAW}/channels?` })).status).toBe(200);
    expect(
      (await replay({ method: 'GET', target: `${RAW}/channels?`, signed: `${RAW}/channels` })).status,
    ).toBe(401);
  });

  it('signs the order of query parameters as sent', async () => {
    const target = `${RAW}/channels?pageSize=1&pageIndex=0`;
    expect((await replay({ method: 'GET', target })).status).toBe(200);
    expect(
      (await replay({ method: 'GET', target, signed: `${RAW}/channels?pageIndex=0&pageSize=1` })).status,
    ).toBe(401);
  });
});

describe('§5 headers as clients write them', () => {
  it.each(['x-svc-', 'x-ncp-', 'X-SVC-', 'X-NCP-', 'x-Ncp-'])('takes the prefix %s', async (prefix) => {
    expect((await replay({ method: 'GET', target: `${RAW}/users/u`, prefix })).status).toBe(200);
    const body = JSON.stringify(message({ prefix }));
    const sent = { method: 'POST', target: `${RAW}/messages`, headers: json(body), body, prefix };
    expect((await replay(sent)).status).toBe(202);
  });

  it('takes no other prefix, and none that is left out', async () => {
    for (const prefix of ['x-', 'x-foo-', ''])
      expect((await replay({ method: 'GET', target: `${RAW}/users/u`, prefix })).status).toBe(401);
  });
});

describe('§4 bodies as clients send them', () => {
  it('takes explicit nulls for whatever is optional, as serializers write them', async () => {
    const bodies = {
      users:
        '{"userId":"nulls","country":null,"language":null,"timezone":null,"channelName":null,"deviceType":"GCM","deviceToken":"nulls","isNotificationAgreement":true,"isAdAgreement":true,"isNightAdAgreement":true}',
      channels: '{"channelName":"nulls","channelDesc":null}',
      messages:
        '{"messageType":null,"target":{"type":"USER","deviceType":null,"to":["nulls"],"country":null},"message":{"default":{"content":"x","custom":null,"option":null,"i18n":{"en":null}},"gcm":null,"apns":null,"i18n":null},"reserveTime":null,"reserveTimeZone":null,"scheduleCode":null}',
      schedules:
        '{"scheduleCode":"nulls","scheduleDesc":null,"scheduleTimeZone":null,"scheduleTime":"00:00","startDate":null,"endDate":null,"dayOfWeeks":null}',
    };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await replay({ method: 'POST', target: `${RAW}/${path}`, headers: json(body), body });
      expect([path, answer.status, answer.body]).toEqual([
        path,
        path === 'messages' ? 202 : 201,
        answer.body,
      ]);
    }
  });

  it('takes a JSON Content-Type without a body on GET, and on POST and DELETE of operations without one', async () => {
    const headers = ['Content-Type: application/json', 'Content-Length: 0'];
    expect((await replay({ method: 'GET', target: `${RAW}/users/u`, headers })).status).toBe(200);
    expect((await replay({ method: 'POST', target: `${RAW}/channels/c/users/u`, headers })).status).toBe(201);
    expect((await replay({ method: 'DELETE', target: `${RAW}/channels/c/users/u`, headers })).status).toBe(
      204,
    );
    const bare = ['Content-Type: application/json'];
    expect(
      (await replay({ method: 'DELETE', target: `${RAW}/channels/c/users/u`, headers: bare })).status,
    ).toBe(204);
  });

  it.each(['', 'foo', 'application/json, application/json', ';;'])(
    'ignores a Content-Type that is none (%j) where there is no body',
    async (type) => {
      for (const length of [[], ['Content-Length: 0']]) {
        const headers = [`Content-Type: ${type}`, ...length];
        const target = `${RAW}/channels/c/users/u`;
        expect((await replay({ method: 'GET', target: `${RAW}/users/u`, headers })).status).toBe(200);
        expect((await replay({ method: 'POST', target, headers })).status).toBe(201);
        expect((await replay({ method: 'DELETE', target, headers })).status).toBe(204);
      }
    },
  );

  it('takes POST to add a channel user', async () => {
    expect((await replay({ method: 'POST', target: `${ENCODED}/channels/c/users/u` })).status).toBe(201);
  });

  it('takes DELETE with a JSON array', async () => {
    await client.post('channels', { channelName: 'to delete' });
    const body = JSON.stringify([{ channelName: 'to delete' }]);
    expect(
      (await replay({ method: 'DELETE', target: `${RAW}/channels`, headers: json(body), body })).status,
    ).toBe(204);
  });

  it('ignores a body on GET', async () => {
    const body = '{"some":"thing"}';
    expect(
      (await replay({ method: 'GET', target: `${RAW}/users/u`, headers: json(body), body })).status,
    ).toBe(200);
  });

  it('takes an empty API-key header', async () => {
    const headers = ['x-ncp-apigw-api-key: '];
    expect((await replay({ method: 'GET', target: `${RAW}/users/u`, headers })).status).toBe(200);
  });

  it('takes a UUID with and without hyphens', async () => {
    const requestId = (await client.post('messages', message())).field('requestId');
    for (const id of [requestId, requestId.replaceAll('-', ''), requestId.toUpperCase()]) {
      expect((await replay({ method: 'GET', target: `${RAW}/messages/${id}` })).status).toBe(200);
    }
  });
});

describe('§4.3 a POST re-sent after a lost answer', () => {
  const body = JSON.stringify(message());
  const post = (timestamp: string, text = body) =>
    replay({ method: 'POST', target: `${RAW}/messages`, headers: json(text), body: text, timestamp });

  it('gets the first answer, and nothing is sent again', async () => {
    const timestamp = String(Date.now() - 1_000);
    const first = await post(timestamp);
    const again = await post(timestamp);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body).toBe(first.body);
  });

  it('is another request with another timestamp or another body', async () => {
    const timestamp = String(Date.now() - 2_000);
    const answers = [
      await post(timestamp),
      await post(String(Number(timestamp) + 1)),
      await post(timestamp, `${body} `),
    ];
    expect(
      new Set(answers.map((answer) => (JSON.parse(answer.body) as { requestId: string }).requestId)).size,
    ).toBe(3);
  });

  it('gets the one answer when both arrive at once', async () => {
    const timestamp = String(Date.now() - 3_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(timestamp)));
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
  });

  it('gets the first answer after the answer was lost', async () => {
    await stage.management.addFault({ kind: 'answerLost', operation: 'sendMessage', count: 1 });
    const timestamp = String(Date.now() - 4_000);
    expect((await post(timestamp)).status).toBeNaN();
    expect((await post(timestamp)).status).toBe(202);
  });

  it('is checked anew when it was refused', async () => {
    const text = JSON.stringify(message({ scheduleCode: 'made-later' }));
    const timestamp = String(Date.now() - 5_000);
    expect((await post(timestamp, text)).status).toBe(404);
    await client.post('schedules', { scheduleCode: 'made-later', scheduleTime: '00:00' });
    expect((await post(timestamp, text)).status).toBe(202);
  });

  it('gets the first answer even after its reserveTime has passed', async () => {
    await stage.freeze('2026-11-20T00:59:00Z');
    const text = JSON.stringify(message({ reserveTime: '2026-11-20 10:00' }));
    const timestamp = String(Date.parse('2026-11-20T01:00:00Z'));
    const first = await post(timestamp, text);
    await stage.freeze('2026-11-20T01:02:00Z');
    const again = await post(timestamp, text);
    expect([again.status, again.body]).toEqual([202, first.body]);
    await stage.thaw();
  });

  it('is another request under another Idempotency-Key once it is signed anew, and refused as it was', async () => {
    const signedAt = client.now() - 6_000;
    const options = { body, prefix: 'x-svc-', headers: { 'idempotency-key': v4() } } as const;
    const plain = await client.call('POST', 'messages', { ...options, timestamp: signedAt, headers: {} });
    const caught = await client.call('POST', 'messages', { ...options, timestamp: signedAt });
    const keyed = await client.call('POST', 'messages', { ...options, timestamp: signedAt + 1 });
    expect([plain.status, caught.status, keyed.status]).toEqual([202, 409, 202]);
    expect(keyed.field('requestId')).not.toBe(plain.field('requestId'));
    expect(refusal(await client.get('nothing'))[0]).toBe(404);
  });
});

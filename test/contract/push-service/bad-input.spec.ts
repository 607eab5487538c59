// Bodies no client should send: the right status, a message that names the fault, never a 500, never half a change.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registration, type Client } from './support/client.js';
import { finalResult, message, openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

/** Operations with a body, and a right one for each. */
const BODIES: readonly [method: string, path: string, body: unknown][] = [
  ['POST', 'users', registration()],
  ['POST', 'channels', { channelName: 'x' }],
  ['PUT', 'channels', []],
  ['DELETE', 'channels', []],
  ['POST', 'messages', message()],
  ['POST', 'schedules', { scheduleCode: 'x', scheduleTime: '00:00' }],
];

describe.each(BODIES)('§4 %s %s', (method, path, right) => {
  const json = JSON.stringify(right);

  it.each([undefined, ''])('refuses a request without a body (%j)', async (body) => {
    const answer = await client.call(method, path, { body, headers: { 'content-type': 'application/json' } });
    expect(refusal(answer)).toEqual([400, '100', 'body: is required, as JSON']);
  });

  it.each(['{', '[', 'nul', '{"a":1,}', "{'a':1}", '\u{FEFF}', 'undefined', '{"a":01}', '\\'])(
    'refuses %j, which is no JSON',
    async (body) => {
      expect(refusal(await client.call(method, path, { body }))).toEqual([400, '100', 'body: is no JSON']);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    '',
  ])('refuses the Content-Type %j', async (type) => {
    const answer = await client.call(method, path, { body: json, headers: { 'content-type': type } });
    expect(refusal(answer).slice(0, 2)).toEqual([400, '100']);
  });

  it('refuses a request without a Content-Type, and one in XML', async () => {
    const none = await client.call(method, path, { body: json, headers: { 'content-type': undefined } });
    expect(refusal(none)[2]).toBe('Content-Type: must be application/json; charset=utf-8');
    const xml = await client.call(method, path, {
      body: '<x/>',
      headers: { 'content-type': 'application/xml' },
    });
    expect(xml.status).toBe(400);
    expect(xml.text).toContain('<responseError>');
  });

  it.each([
    ['nested objects', '{"a":'.repeat(40) + '1' + '}'.repeat(40)],
    ['nested arrays', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['a very deep document', '['.repeat(400_000) + ']'.repeat(400_000)],
  ])('refuses %s', async (_, body) => {
    const [status, code, text] = refusal(await client.call(method, path, { body }));
    expect([status, code]).toEqual([400, '100']);
    expect(text).toMatch(/nested deeper than 32 levels|is no JSON/);
  });

  it.each(['"text"', '7', 'true', 'null'])('refuses %s, which is the wrong kind of JSON', async (body) => {
    expect(refusal(await client.call(method, path, { body })).slice(0, 2)).toEqual([400, '100']);
  });
});

describe('texts that cannot be kept', () => {
  it.each([
    ['a NUL', '\\u0000'],
    ['a lone high surrogate', '\\ud83d'],
    ['a lone low surrogate', '\\udc00'],
  ])('refuses %s wherever it stands, naming the place', async (_, escaped) => {
    const cases: [string, string, string][] = [
      ['channels', `{"channelName":"a${escaped}b"}`, 'channelName'],
      ['channels', `{"channelName":"fine","channelDesc":"${escaped}"}`, 'channelDesc'],
      ['channels', `{"channelName":"fine","${escaped}":1}`, 'body'],
      [
        'messages',
        `{"target":{"type":"USER","to":["a","${escaped}"]},"message":{"default":{}}}`,
        'target.to[1]',
      ],
      [
        'messages',
        `{"target":{"type":"ALL"},"message":{"default":{"custom":{"k":["${escaped}"]}}}}`,
        'message.default.custom.k[0]',
      ],
      ['users', `{"userId":"${escaped}"}`, 'userId'],
    ];
    for (const [path, body, place] of cases) {
      const [status, code, text] = refusal(await client.post(path, body));
      expect([status, code]).toEqual([400, '100']);
      expect(text.startsWith(`${place}: `)).toBe(true);
    }
    expect((await client.get('channels')).list()).toEqual([]);
  });

  it('keeps every other character', async () => {
    const channelName = '\u0001\t "\\/ é 가 🔑 \u{10FFFF} \u202E';
    expect((await client.post('channels', { channelName, channelDesc: channelName })).status).toBe(201);
    expect((await client.get('channels')).list()).toMatchObject([{ channelName, channelDesc: channelName }]);
    await client.delete('channels', [{ channelName }]);
  });
});

describe('members with names of their own', () => {
  it('takes no prototype from a body', async () => {
    const body =
      '{"channelName":"proto","__proto__":{"channelDesc":"stolen"},"constructor":{"prototype":{"x":1}}}';
    expect((await client.post('channels', body)).status).toBe(201);
    expect((await client.get('channels')).list()).toMatchObject([
      { channelName: 'proto', channelDesc: null },
    ]);
    await client.delete('channels', [{ channelName: 'proto' }]);
  });

  it('takes the last of duplicate members', async () => {
    expect((await client.post('channels', '{"channelName":"first","channelName":"last"}')).status).toBe(201);
    expect((await client.get('channels')).list()).toMatchObject([{ channelName: 'last' }]);
    await client.delete('channels', [{ channelName: 'last' }]);
  });

  it('delivers custom keys that are names of Object’s own', async () => {
    const project = await stage.project();
    await project.register({ userId: 'u' });
    const body = JSON.stringify(
      message({
        message: {
          default: { content: 'x', custom: { toString: 'a', hasOwnProperty: 'b', constructor: 'c' } },
        },
      }),
    );
    const requestId = (await project.post('messages', body)).field('requestId');
    await finalResult(project, requestId);
    const [delivery] = await stage.management.deliveries(requestId);
    expect(delivery?.payload).toMatchObject({
      message: { data: { content: 'x', toString: 'a', hasOwnProperty: 'b', constructor: 'c' } },
    });
  });

  it('looks i18n up by its own members alone', async () => {
    const project = await stage.project();
    await project.register({ userId: 'u', language: 'to' });
    const requestId = (
      await project.post(
        'messages',
        message({ message: { default: { content: 'x' }, i18n: { en: { content: 'e' } } } }),
      )
    ).field('requestId');
    expect(await finalResult(project, requestId)).toMatchObject({ sentCount: 1 });
  });
});

describe('numbers', () => {
  it.each(['1e400', '32400.0001', '-1e30', '"0"', 'true', '[]'])('refuses timezone %s', async (value) => {
    const body = JSON.stringify(registration({ timezone: '?' })).replace('"?"', value);
    const [status, , text] = refusal(await client.post('users', body));
    expect(status).toBe(400);
    expect(text).toBe('timezone: must be an integer from -64800 to 64800');
  });
});

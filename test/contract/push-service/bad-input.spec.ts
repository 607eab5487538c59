// Bodies no client should send: the right status, a message that names the fault, never a 500, never half a change.
import { gzipSync } from 'node:zlib';
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
    'json',
    '',
  ])('refuses the Content-Type %j', async (type) => {
    const answer = await client.call(method, path, { body: json, headers: { 'content-type': type } });
    expect(refusal(answer)).toEqual([400, '100', 'Content-Type: must be application/json; charset=utf-8']);
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

  it('refuses a body that is not UTF-8, in a text as anywhere, in the words of §7', async () => {
    const broken = [
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      // A slash in two bytes, and half of a pair: UTF-8 has no such forms.
      Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      gzipSync(json),
    ];
    for (const body of broken) {
      const answer = await client.call(method, path, { body });
      expect(refusal(answer)).toEqual([400, '100', 'Bad Request Exception']);
    }
    // UTF-8 of NULs between letters.
    const wide = await client.call(method, path, { body: Buffer.from(json, 'utf16le').swap16() });
    expect(refusal(wide)).toEqual([400, '100', 'body: is no JSON']);
  });

  it('refuses a compressed body by its Content-Encoding', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const answer = await client.call(method, path, { body: gzipSync(json), headers });
    expect(refusal(answer)).toEqual([400, '100', 'Content-Encoding: must be identity, or not be given']);
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

  it('drops a prototype wherever it stands, and ignores members it does not know', async () => {
    const project = await stage.project();
    await project.register({ userId: 'u' });
    const proto = '"__proto__":{"stolen":1},"other":{"deep":[null]}';
    const bodies: [method: string, path: string, body: string][] = [
      ['POST', 'channels', `{"channelName":"c",${proto}}`],
      ['PUT', 'channels', `[{"channelName":"c","createTime":"never",${proto}}]`],
      [
        'POST',
        'schedules',
        `{"scheduleCode":"s","scheduleTime":"00:00","scheduleStatus":"INACTIVE",${proto}}`,
      ],
      ['PUT', 'schedules/s', `{"scheduleTime":"00:00","scheduleId":"x",${proto}}`],
      [
        'POST',
        'messages',
        `{"target":{"type":"ALL",${proto}},"message":{"default":{"content":"x","custom":{${proto}},"option":{${proto}}},${proto}},${proto}}`,
      ],
      ['DELETE', 'channels', `[{"channelName":"c",${proto}}]`],
    ];
    for (const [method, path, body] of bodies) {
      const answer = await project.call(method, path, { body });
      expect([method, path, answer.status < 300, answer.text.includes('stolen')]).toEqual([
        method,
        path,
        true,
        false,
      ]);
      if (path !== 'messages') continue;
      const requestId = answer.field('requestId');
      expect((await finalResult(project, requestId))['message']).toEqual({
        default: { content: 'x', custom: { other: { deep: [null] } }, option: { other: { deep: [null] } } },
      });
    }
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

describe('path encodings', () => {
  /** Every operation that takes a name or an id from its path; `?` stands for it. */
  const PATHS: readonly [method: string, path: string][] = [
    ['GET', 'users/?'],
    ['DELETE', 'users/?'],
    ['GET', 'channels/?/users/u'],
    ['POST', 'channels/c/users/?'],
    ['DELETE', 'channels/?/users/u'],
    ['GET', 'messages/?'],
    ['GET', 'messages/?/breakdown'],
    ['GET', 'reservations/?/reserve-status'],
    ['DELETE', 'reservations/?'],
    ['GET', 'schedules/?'],
    ['DELETE', 'schedules/?'],
    ['GET', 'schedules/?/messages'],
    ['DELETE', 'schedules/?/messages/00000000-0000-7000-8000-000000000000'],
    ['GET', 'schedules/s/messages/?'],
  ];

  it.each(PATHS)(
    '%s %s: 400 to what is no UTF-8, 404 to what names nothing, never another status',
    async (method, path) => {
      const ask = async (name: string): Promise<number> =>
        (await client.call(method, path.replace('?', name))).status;
      // A byte alone, a form too long, half of a pair, digits that are none, an escape cut off.
      for (const name of ['%FF', '%C0%AF', '%ED%A0%80', '%zz', '%', 'a%', '%E4%BD'])
        expect([name, await ask(name)]).toEqual([name, 400]);
      for (const name of [
        'nobody',
        '%2E%2E',
        '..%2F..',
        '%3F',
        '%23',
        '%25',
        '%2500',
        'a+b',
        '%F0%9F%94%91',
        "';--",
      ])
        expect([name, await ask(name)]).toEqual([name, 404]);
      // An id that no id can be names nothing; a name that no text can be is refused.
      expect([400, 404]).toContain(await ask('%00'));
      expect([400, 404]).toContain(await ask('x'.repeat(4_096)));
      expect([400, 404]).toContain(await ask('x'.repeat(5_000)));
    },
  );

  it('refuses a serviceId that is no UTF-8 with 400/100', async () => {
    for (const id of ['%FF', '%zz', '%ED%A0%80'])
      expect(refusal(await client.get(`/push/v2/services/${id}/channels`)).slice(0, 2)).toEqual([400, '100']);
  });

  it('keeps names apart that a careless path would mix', async () => {
    const project = await stage.project();
    const names = [
      '.',
      '..',
      'a/b',
      'a%2Fb',
      'a?b',
      'a#b',
      'a b',
      'a+b',
      'a%20b',
      'é',
      'e\u0301',
      'A',
      'a',
      'timezones ',
    ];
    for (const name of names) {
      await project.post('channels', { channelName: name });
      await project.register({ userId: name });
      const path = encodeURIComponent(name).replaceAll('.', '%2E');
      expect([name, (await project.post(`channels/${path}/users/${path}`)).status]).toEqual([name, 201]);
      expect((await project.get(`users/${path}`)).json()).toMatchObject({ userId: name, channelName: name });
    }
  });
});

describe('queries', () => {
  it('ignores parameters it does not know, and takes none twice', async () => {
    for (const query of ['other=1', 'pageSize[]=1', '=1', '&&', 'a', 'a=b=c', '%20=1'])
      expect([query, (await client.get(`channels?${query}`)).status]).toEqual([query, 200]);
    expect(refusal(await client.get('channels?pageIndex=0&pageIndex=0'))[2]).toBe(
      'pageIndex: must be given once',
    );
  });

  it.each(['0x10', '1e2', '%2B1', '+1', ' 1', '1 ', '٣', '99999999999999999999', 'null', 'NaN'])(
    'refuses pageSize=%s with 400',
    async (value) => {
      const [status, , text] = refusal(await client.get(`channels?pageSize=${encodeURI(value)}`));
      expect([status, text]).toEqual([400, 'pageSize: must be an integer from 0 to 100']);
    },
  );
});

describe('bodies nobody asked for', () => {
  it.each([
    ['GET', 'channels', 200],
    ['DELETE', 'users/u', 404],
    ['POST', 'channels/none/users/u', 404],
    ['DELETE', 'channels/none/users/u', 404],
  ])('are ignored, whatever they hold: %s %s answers %d', async (method, path, status) => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/xml', '<a>'],
      ['text/plain', 'x'],
      ['application/octet-stream', Buffer.from([0, 1, 2])],
    ] as const) {
      const answer = await client.call(method, path, { body, headers: { 'content-type': type } });
      expect([type, answer.status]).toEqual([type, status]);
    }
  });
});

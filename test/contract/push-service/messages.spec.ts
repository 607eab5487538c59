// push-interface.md §2.3, §2.6 and §4.3: sending a message and asking for its result.
import { v4 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from './support/client.js';
import { finalResult, message, openStage, reached, refusal, send, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
  await client.register({ userId: 'kr' });
  await client.register({ userId: 'us', country: 'US', timezone: -18_000 });
  await client.register({ userId: 'apple', deviceType: 'APNS', country: 'US', timezone: 0 });
  await client.post('channels', { channelName: 'news' });
  await client.post('channels', { channelName: 'sport' });
  for (const user of ['kr', 'apple']) await client.get(`channels/news/users/${user}`);
  for (const user of ['us', 'apple']) await client.get(`channels/sport/users/${user}`);
});

afterAll(() => stage.close());

async function reachedBy(target: Record<string, unknown>): Promise<string[]> {
  const requestId = await send(client, message({ target }));
  await finalResult(client, requestId);
  return reached(await stage.management.deliveries(requestId));
}

describe('§4.3 send a message', () => {
  afterAll(() => stage.thaw());

  it('answers 202 with requestId, requestTime, statusCode and statusName, all texts', async () => {
    await stage.freeze('2026-11-20T00:00:00.007Z');
    const answer = await client.post('messages', message());
    expect(answer.status).toBe(202);
    expect(answer.json()).toEqual({
      requestId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      ) as unknown,
      requestTime: '2026-11-20T09:00:00.007',
      statusCode: '202',
      statusName: 'success',
    });
  });

  it('says reserved of a reserved message, and scheduled of one under a schedule', async () => {
    const reserved = await client.post('messages', message({ reserveTime: '2099-01-01 00:00' }));
    expect(reserved.json()).toMatchObject({ statusCode: '202', statusName: 'reserved' });
    await client.post('schedules', { scheduleCode: 'some', scheduleTime: '00:00', startDate: '2099-01-01' });
    const scheduled = await client.post('messages', message({ scheduleCode: 'some' }));
    expect(scheduled.json()).toMatchObject({ statusCode: '202', statusName: 'scheduled' });
  });
});

describe('§2.3 targets', () => {
  it('reaches all, a channel, several channels at once, and users; unknown names target nobody', async () => {
    expect(await reachedBy({ type: 'ALL' })).toEqual(['apple', 'kr', 'us']);
    expect(await reachedBy({ type: 'ALL', to: ['ignored'] })).toEqual(['apple', 'kr', 'us']);
    expect(await reachedBy({ type: 'CHANNEL', to: ['news'] })).toEqual(['apple', 'kr']);
    expect(await reachedBy({ type: 'CHANNEL', to: ['news', 'sport', 'unknown'] })).toEqual([
      'apple',
      'kr',
      'us',
    ]);
    expect(await reachedBy({ type: 'USER', to: ['us', 'us', 'unknown'] })).toEqual(['us']);
  });

  it('filters by device type and by country', async () => {
    expect(await reachedBy({ type: 'ALL', deviceType: 'APNS' })).toEqual(['apple']);
    expect(await reachedBy({ type: 'ALL', deviceType: null, country: null, to: null })).toEqual([
      'apple',
      'kr',
      'us',
    ]);
    expect(await reachedBy({ type: 'ALL', country: ['US'] })).toEqual(['apple', 'us']);
    expect(await reachedBy({ type: 'ALL', country: ['US', 'KR'], deviceType: 'GCM' })).toEqual(['kr', 'us']);
    expect(await reachedBy({ type: 'CHANNEL', to: ['sport'], country: ['US'], deviceType: 'GCM' })).toEqual([
      'us',
    ]);
  });

  it('takes lower case and FCMv1, and echoes upper case and GCM', async () => {
    const body = message({ target: { type: 'all', deviceType: 'apns' } });
    const requestId = await send(client, body);
    expect(await finalResult(client, requestId)).toMatchObject({
      target: { type: 'ALL', deviceType: 'APNS' },
      sentCount: 1,
    });
    const alias = await send(client, message({ target: { type: 'ALL', deviceType: 'FCMv1' } }));
    expect(await finalResult(client, alias)).toMatchObject({
      target: { type: 'ALL', deviceType: 'GCM' },
      sentCount: 2,
    });
  });

  it('takes 10 000 names in to and refuses 10 001', async () => {
    const to = Array.from({ length: 10_001 }, (_, index) => `nobody-${index}`);
    expect(
      (await client.post('messages', message({ target: { type: 'USER', to: to.slice(1) } }))).status,
    ).toBe(202);
    expect(refusal(await client.post('messages', message({ target: { type: 'USER', to } })))).toEqual([
      400,
      '100',
      'target.to: must have at most 10000 elements',
    ]);
  });
});

describe('§2.3 what is refused, with 400 naming field and rule', () => {
  const content = { default: { content: 'x' } };
  it.each<[Record<string, unknown>, string]>([
    [{ target: undefined }, 'target: is required'],
    [{ target: null }, 'target: is required'],
    [{ target: {} }, 'target.type: is required'],
    [{ target: { type: null } }, 'target.type: is required'],
    [{ target: { type: 'SOME' } }, 'target.type: must be ALL or CHANNEL or USER'],
    [{ target: { type: 7 } }, 'target.type: must be ALL or CHANNEL or USER'],
    [{ target: [] }, 'target: must be an object'],
    [{ target: { type: 'USER' } }, 'target.to: is required and not empty for USER'],
    [{ target: { type: 'CHANNEL', to: [] } }, 'target.to: is required and not empty for CHANNEL'],
    [{ target: { type: 'USER', to: 'a' } }, 'target.to: must be an array'],
    [{ target: { type: 'USER', to: [''] } }, 'target.to[0]: must not be empty'],
    [{ target: { type: 'USER', to: ['a', null] } }, 'target.to[1]: is required'],
    [{ target: { type: 'ALL', deviceType: 'IOS' } }, 'target.deviceType: must be GCM or APNS'],
    [
      { target: { type: 'ALL', country: ['us'] } },
      'target.country[0]: must be an ISO 3166-1 alpha-2 code in upper case',
    ],
    [{ target: { type: 'ALL', country: [] } }, 'target.country: must not be empty'],
    [{ target: { type: 'ALL', country: 'US' } }, 'target.country: must be an array'],
    [{ messageType: 'ADA' }, 'messageType: must be NOTIF or AD'],
    [{ messageType: 'ad' }, 'messageType: must be NOTIF or AD'],
    [{ message: undefined }, 'message: is required'],
    [{ message: 'x' }, 'message: must be an object'],
    [{ message: {} }, 'message.default: is required'],
    [{ message: { default: null } }, 'message.default: is required'],
    [{ message: { default: { content: 7 } } }, 'message.default.content: must be a string'],
    [{ message: { default: { custom: 'x' } } }, 'message.default.custom: must be an object'],
    [{ message: { default: { option: [] } } }, 'message.default.option: must be an object'],
    [{ message: { ...content, gcm: [] } }, 'message.gcm: must be an object'],
    [{ message: { ...content, i18n: { en: {} } } }, 'message.i18n.en.content: is required'],
    [{ message: { ...content, i18n: { en: 'x' } } }, 'message.i18n.en: must be an object'],
    [
      { message: { ...content, i18n: { EN: { content: 'x' } } } },
      'message.i18n.EN: is no language: an ISO 639-1 code in lower case, zh-Hant, zh-Hans or default',
    ],
    [{ reserveTime: '2099-01-01T00:00' }, 'reserveTime: must have the format yyyy-MM-dd HH:mm'],
    [{ reserveTime: '2099-02-30 00:00' }, 'reserveTime: is no date and time of the calendar'],
    [{ reserveTime: '2099-01-01 24:00' }, 'reserveTime: is no date and time of the calendar'],
    [{ reserveTime: '' }, 'reserveTime: must have the format yyyy-MM-dd HH:mm'],
    [{ reserveTime: '2000-01-01 00:00' }, 'reserveTime: is in the past'],
    [
      { reserveTime: '2099-01-01 00:00', reserveTimeZone: 'Asia/Nowhere' },
      'reserveTimeZone: is no name of the time-zone database',
    ],
    [
      { reserveTime: '2099-01-01 00:00', reserveTimeZone: '+09:00' },
      'reserveTimeZone: is no name of the time-zone database',
    ],
    [{ scheduleCode: 'a b' }, 'scheduleCode: must match [A-Za-z0-9_-]{1,64}'],
    [
      { scheduleCode: 'code', reserveTime: '2099-01-01 00:00' },
      'scheduleCode: must not be given together with reserveTime',
    ],
  ])('%j: %s', async (members, text) => {
    expect(refusal(await client.post('messages', message(members)))).toEqual([400, '100', text]);
  });

  it('answers 404 to a schedule code that does not exist', async () => {
    const answer = await client.post('messages', message({ scheduleCode: 'no-such-code' }));
    expect(refusal(answer)).toEqual([404, '300', 'scheduleCode: there is no such schedule']);
  });

  it('takes explicit nulls as absent and ignores unknown members', async () => {
    const body = {
      target: { type: 'ALL', deviceType: null, to: null, country: null, timezone: null, other: 1 },
      message: {
        default: { content: 'x', custom: null, option: null, i18n: null, other: 1 },
        gcm: null,
        apns: null,
        i18n: null,
      },
      messageType: null,
      reserveTime: null,
      reserveTimeZone: null,
      scheduleCode: null,
      other: { deep: [] },
    };
    const requestId = await send(client, body);
    expect(await finalResult(client, requestId)).toMatchObject({
      messageType: 'NOTIF',
      target: { type: 'ALL' },
      message: { default: { content: 'x' } },
    });
  });

  it('takes what is too large for one type or language, and says who gets nothing', async () => {
    const apart = await stage.project();
    await apart.register({ userId: 'android', deviceToken: 'size-android' });
    await apart.register({ userId: 'apple', deviceType: 'APNS', deviceToken: 'size-apple' });
    await apart.register({ userId: 'japan', deviceToken: 'size-japan', language: 'ja' });
    // In APNs its body counts, in FCM keys and values.
    const i18n = { ja: { content: 'あ'.repeat(1_400) } };
    const body = message({ message: { default: { content: 'x'.repeat(4_080), i18n } } });
    const answer = await apart.post('messages', body);
    expect(answer.status).toBe(202);
    expect(String(answer.headers['x-carillon-warnings']).split(' | ')).toEqual([
      'PAYLOAD_TOO_LARGE keys and values for FCM in ja must have at most 4096 bytes; those devices get nothing',
      'PAYLOAD_TOO_LARGE the payload for APNs must have at most 4096 bytes; those devices get nothing',
      'PAYLOAD_TOO_LARGE the payload for APNs in ja must have at most 4096 bytes; those devices get nothing',
    ]);
    const requestId = answer.field('requestId');
    expect(await finalResult(apart, requestId)).toMatchObject({ targetCount: 3, sentCount: 1 });
    const { breakdown } = (await apart.get(`messages/${requestId}/breakdown`)).json();
    expect(breakdown).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ deviceType: 'GCM', language: 'ko', outcome: 'sent' }),
        expect.objectContaining({ deviceType: 'GCM', language: 'ja', reason: 'PAYLOAD_TOO_LARGE' }),
        expect.objectContaining({ deviceType: 'APNS', language: 'ko', reason: 'PAYLOAD_TOO_LARGE' }),
      ]),
    );
  });

  it('refuses what is too large for everybody that it is for', async () => {
    const post = (text: string, target: object) =>
      client.post('messages', {
        target: { type: 'ALL', ...target },
        message: { default: { content: text } },
      });
    expect([...refusal(await post('x'.repeat(4_100), {}))].join(' ')).toContain(
      'keys and values for FCM must have at most 4096 bytes',
    );
    expect([...refusal(await post('x'.repeat(4_080), { deviceType: 'APNS' }))].join(' ')).toContain(
      'the payload for APNs must have at most 4096 bytes',
    );
    expect((await post('x'.repeat(4_080), { deviceType: 'GCM' })).status).toBe(202);
  });

  it('says in a header what a provider refuses, also when the same request is sent again', async () => {
    const custom = { from: 'x', 보낸이: 1 };
    const option = { ttl: 9_999_999, 'apns-priority': '주문' };
    const body = message({ message: { default: { content: 'c', custom, option } } });
    const again = { headers: { 'idempotency-key': 'what-is-refused' } };
    const answers = [await client.post('messages', body, again), await client.post('messages', body, again)];
    for (const { status, headers } of answers) {
      expect(status).toBe(202);
      expect(String(headers['x-carillon-warnings']).split(' | ')).toEqual([
        'PROVIDER_REFUSES data.from: FCM takes no member of this name: from, message_type, collapse_key and what begins with google or gcm are its own; it is left out',
        'PROVIDER_REFUSES android.ttl: FCM takes a length of at most 28 days in seconds, "2419200s", not "9999999s"; "2419200s" is sent',
        'PROVIDER_REFUSES webpush.headers.TTL: FCM takes at most 28 days in seconds, "2419200", not "9999999"; "2419200" is sent',
        'PROVIDER_REFUSES apns-priority: APNs takes 1, 5 or 10, not "\\uc8fc\\ubb38"; it is left out',
      ]);
    }
    expect(answers[1]?.field('requestId')).toBe(answers[0]?.field('requestId'));
    const plain = await client.post('messages', message());
    expect(plain.headers['x-carillon-warnings']).toBeUndefined();
  });

  it('refuses settings for FCM that would be rendered in every language, and more languages than there are', async () => {
    const android = { notes: Array.from({ length: 100_000 }, (_, n) => n % 10) };
    const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n));
    const languages = letters.flatMap((first) => letters.map((second) => first + second));
    const i18n = Object.fromEntries(languages.map((language) => [language, { content: '' }]));
    const large = { default: { content: 'x', option: { android }, i18n } };
    const target = { type: 'ALL', deviceType: 'GCM' };
    const inFull = await client.post('messages', { target, message: large });
    expect([...refusal(inFull)].join(' ')).toContain('keys and values for FCM');
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`l${n}`, 0]));
    const tooMany = await client.post('messages', {
      target,
      message: { default: { content: 'x' }, i18n: many },
    });
    expect([...refusal(tooMany)].join(' ')).toContain('message.i18n: must have at most 1000 languages');
  });

  it('refuses an option it does not know only under strictOptions, by name', async () => {
    const body = message({
      message: { default: { content: 'x' }, apns: { option: { sound: 'a', colour: 'red' } } },
    });
    expect((await client.post('messages', body)).status).toBe(202);
    const strict = await stage.project({ strictOptions: true });
    expect(refusal(await strict.post('messages', body))).toEqual([
      400,
      '100',
      'message.apns.option.colour: is no option of this push type',
    ]);
  });
});

describe('§2.6 the result', () => {
  it('exists from the 202 on: processing, with a null code and no completion', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const requestId = await send(client, message({ reserveTime: '2026-11-20 09:05' }));
    const answer = await client.get(`messages/${requestId}`);
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      requestId,
      requestTime: '2026-11-20T09:00:00.000',
      statusCode: '202',
      statusName: 'success',
      messageStatusCode: null,
      messageStatusName: 'processing',
      completeTime: null,
      targetCount: 0,
      sentCount: 0,
      messageType: 'NOTIF',
      target: { type: 'ALL' },
      message: { default: { content: 'hello' } },
    });
    await stage.thaw();
  });

  it('is 200 success once a device was reached, with the counts of devices', async () => {
    const project = await stage.project();
    for (const token of ['ok-1', 'fail-1', 'gone-1'])
      await project.register({ deviceToken: `${token}-${v4()}` });
    const result = await finalResult(project, await send(project, message()));
    expect(result).toMatchObject({
      statusCode: '202',
      statusName: 'success',
      messageStatusCode: '200',
      messageStatusName: 'success',
      targetCount: 3,
      sentCount: 1,
    });
    expect(result['completeTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
  });

  it('is 404 fail when nobody was targeted, and 500 fail when nobody was reached', async () => {
    const project = await stage.project();
    const nobody = await finalResult(project, await send(project, message()));
    expect(nobody).toMatchObject({
      messageStatusCode: '404',
      messageStatusName: 'fail',
      targetCount: 0,
      sentCount: 0,
    });
    await project.register({ deviceToken: `fail-${v4()}` });
    const unreached = await finalResult(project, await send(project, message()));
    expect(unreached).toMatchObject({
      messageStatusCode: '500',
      messageStatusName: 'fail',
      targetCount: 1,
      sentCount: 0,
    });
  });

  it('echoes the request as it was meant, custom and option untouched', async () => {
    const custom = { key: 'v', n: 1.5, deep: { list: [1, null, 'x'] }, nothing: null };
    const body = {
      messageType: 'AD',
      target: { type: 'USER', to: ['kr'], country: ['KR'] },
      message: {
        default: { content: 'd' },
        gcm: { content: 'g', custom, option: { android: { priority: 'high' } } },
      },
    };
    const requestId = await send(client, body);
    expect(await finalResult(client, requestId)).toMatchObject(body);
  });

  it('deactivates a device whose token is gone; registering it again brings it back', async () => {
    const project = await stage.project();
    const deviceToken = `gone-${v4()}`;
    await project.register({ userId: 'u', deviceToken });
    await finalResult(project, await send(project, message()));
    expect((await project.get('users/u')).json()).toMatchObject({ devices: [] });
    expect(await finalResult(project, await send(project, message()))).toMatchObject({ targetCount: 0 });
    await project.register({ userId: 'u', deviceToken });
    expect((await project.get('users/u')).json()).toMatchObject({ devices: [{ deviceToken }] });
  });

  it('is found by the id in upper case and without hyphens, by no other form, and not from another project', async () => {
    const requestId = await send(client, message());
    for (const id of [
      requestId.toUpperCase(),
      requestId.replaceAll('-', ''),
      requestId.replaceAll('-', '').toUpperCase(),
    ]) {
      expect((await client.get(`messages/${id}`)).json()).toMatchObject({ requestId });
    }
    for (const id of [requestId.slice(1), `${requestId}0`, 'x', requestId.replace('-', '')]) {
      expect(refusal(await client.get(`messages/${id}`)).slice(0, 2)).toEqual([404, '300']);
    }
    const other = await stage.project();
    expect((await other.get(`messages/${requestId}`)).status).toBe(404);
    expect((await client.get(`messages/${v4()}`)).status).toBe(404);
  });
});

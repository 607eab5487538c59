// push-interface.md §2.1 and §4.1: devices and users, field by field.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registration, type Client } from './support/client.js';
import { openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client;

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

async function userOf(userId: string): Promise<Record<string, unknown>> {
  return (await client.get(`users/${encodeURIComponent(userId)}`)).json();
}

describe('§4.1 register a device token', () => {
  it('answers 201 without a body and fills in the defaults', async () => {
    const answer = await client.register({ userId: 'plain', deviceToken: 'plain-token' });
    expect([answer.status, answer.text]).toEqual([201, '']);
    expect(await userOf('plain')).toMatchObject({
      userId: 'plain',
      country: 'KR',
      language: 'ko',
      timezone: 32_400,
      channelName: null,
      notificationAgreement: true,
      adAgreement: true,
      nightAdAgreement: true,
      devices: [{ deviceType: 'GCM', deviceToken: 'plain-token' }],
    });
  });

  it('keeps what it is given, zh-Hant and zh-Hans included', async () => {
    for (const language of ['en', 'zh-Hant', 'zh-Hans']) {
      await client.register({
        userId: 'given',
        deviceToken: 'given',
        country: 'US',
        language,
        timezone: -18_000,
      });
      expect(await userOf('given')).toMatchObject({ country: 'US', language, timezone: -18_000 });
    }
  });

  it('takes FCMv1 as a name of GCM, and answers GCM', async () => {
    expect((await client.register({ userId: 'fcm', deviceToken: 'fcm', deviceType: 'FCMv1' })).status).toBe(
      201,
    );
    expect(await userOf('fcm')).toMatchObject({ devices: [{ deviceType: 'GCM', deviceToken: 'fcm' }] });
  });

  it('takes an explicit null as absent for every optional field', async () => {
    const nulls = { country: null, language: null, timezone: null, channelName: null };
    expect((await client.register({ userId: 'nulls', ...nulls })).status).toBe(201);
    expect(await userOf('nulls')).toMatchObject({
      country: 'KR',
      language: 'ko',
      timezone: 32_400,
      channelName: null,
    });
  });

  it('ignores unknown members', async () => {
    expect(
      (await client.register({ userId: 'unknown', createTime: 'never', other: { deep: [1] } })).status,
    ).toBe(201);
  });

  it.each([
    'userId',
    'deviceType',
    'deviceToken',
    'isNotificationAgreement',
    'isAdAgreement',
    'isNightAdAgreement',
  ])('refuses a body without %s, and with null for it, naming it', async (field) => {
    const { [field]: _, ...rest } = registration();
    for (const body of [rest, { ...rest, [field]: null }]) {
      const [status, code, text] = refusal(await client.post('users', body));
      expect([status, code]).toEqual([400, '100']);
      expect(text).toBe(`${field}: is required`);
    }
  });

  it.each([
    ['userId', ''],
    ['userId', 'u'.repeat(129)],
    ['userId', 7],
    ['country', 'kr'],
    ['country', 'KOR'],
    ['country', ''],
    ['language', 'KO'],
    ['language', 'kor'],
    ['language', 'zh-hant'],
    ['language', 'zh-HANS'],
    ['language', 'en-US'],
    ['timezone', '32400'],
    ['timezone', 1.5],
    ['timezone', 1_000_000],
    ['channelName', ''],
    ['channelName', 5],
    ['deviceType', 'gcm'],
    ['deviceType', 'apns'],
    ['deviceType', 'IOS'],
    ['deviceType', ''],
    ['deviceToken', ''],
    ['deviceToken', ['t']],
    ['isNotificationAgreement', 'true'],
    ['isAdAgreement', 1],
    ['isNightAdAgreement', {}],
  ])('refuses %s = %j with 400 naming it', async (field, value) => {
    const [status, code, text] = refusal(await client.register({ [field]: value }));
    expect([status, code]).toEqual([400, '100']);
    expect(text.startsWith(`${field}: `)).toBe(true);
  });

  it('takes a userId of 128 characters, whatever they are', async () => {
    for (const userId of ['u'.repeat(128), '🔑'.repeat(128), 'a b/c?d#e%f+g:가']) {
      expect((await client.register({ userId })).status).toBe(201);
      expect(await userOf(userId)).toMatchObject({ userId });
    }
    expect(refusal(await client.register({ userId: '🔑'.repeat(129) }))[0]).toBe(400);
  });

  it('answers 404 to a channel that does not exist, and registers nobody', async () => {
    expect(refusal(await client.register({ userId: 'lost', channelName: 'no such' })).slice(0, 2)).toEqual([
      404,
      '300',
    ]);
    expect((await client.get('users/lost')).status).toBe(404);
  });

  it('adds the user to the channel it names', async () => {
    await client.post('channels', { channelName: 'at-registration' });
    await client.register({ userId: 'joined', channelName: 'at-registration' });
    expect(await userOf('joined')).toMatchObject({ channelName: 'at-registration' });
  });

  it('updates the same registration, and holds several devices of a user', async () => {
    await client.register({ userId: 'many', deviceToken: 'many-1', language: 'en' });
    await client.register({ userId: 'many', deviceToken: 'many-1', language: 'ja' });
    await client.register({ userId: 'many', deviceToken: 'many-2', deviceType: 'APNS', language: 'ja' });
    expect(await userOf('many')).toMatchObject({
      language: 'ja',
      devices: [
        { deviceType: 'GCM', deviceToken: 'many-1' },
        { deviceType: 'APNS', deviceToken: 'many-2' },
      ],
    });
  });

  it('moves a token to its newest owner: one token, one user', async () => {
    await client.register({ userId: 'old-owner', deviceToken: 'moving' });
    await client.register({ userId: 'new-owner', deviceToken: 'moving' });
    expect(await userOf('old-owner')).toMatchObject({ devices: [] });
    expect(await userOf('new-owner')).toMatchObject({ devices: [{ deviceToken: 'moving' }] });
  });

  // An APNs token is 32 bytes or more, which apps write as hexadecimal digits, in upper or lower case.
  it('knows an APNs token in upper and in lower case for the same device', async () => {
    const token = 'a0B1'.repeat(16);
    await client.register({ userId: 'apple-before', deviceType: 'APNS', deviceToken: token.toUpperCase() });
    await client.register({ userId: 'apple-after', deviceType: 'APNS', deviceToken: token });
    await client.register({ userId: 'apple-after', deviceType: 'APNS', deviceToken: token.toLowerCase() });
    expect(await userOf('apple-before')).toMatchObject({ devices: [] });
    expect(await userOf('apple-after')).toMatchObject({
      devices: [{ deviceType: 'APNS', deviceToken: token.toLowerCase() }],
    });
  });

  it('keeps the case of every other token', async () => {
    for (const [deviceType, deviceToken] of [
      ['GCM', 'ABcd'],
      ['APNS', 'No-Hex'],
    ]) {
      await client.register({ userId: 'cased', deviceType, deviceToken });
      expect(await userOf('cased')).toMatchObject({
        devices: expect.arrayContaining([{ deviceType, deviceToken }]) as unknown,
      });
    }
  });

  it('survives many registrations of one user and one token at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.register({ userId: `race-${index % 3}`, deviceToken: 'race' }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 201));
    const users = await Promise.all([0, 1, 2].map((index) => userOf(`race-${index}`)));
    expect(users.flatMap((user) => user['devices'])).toEqual([{ deviceType: 'GCM', deviceToken: 'race' }]);
  });

  it('keeps projects apart: the same userId and token elsewhere is another user', async () => {
    const other = await stage.project();
    await client.register({ userId: 'both', deviceToken: 'both', country: 'KR' });
    await other.register({ userId: 'both', deviceToken: 'both', country: 'US' });
    expect(await userOf('both')).toMatchObject({ country: 'KR', devices: [{ deviceToken: 'both' }] });
    expect((await other.get('users/both')).json()).toMatchObject({
      country: 'US',
      devices: [{ deviceToken: 'both' }],
    });
  });
});

describe('§2.1 the times of a user', () => {
  afterAll(() => stage.thaw());

  it('sets a consent’s time at first registration if true, and when it turns from false to true', async () => {
    const base = { userId: 'consent', deviceToken: 'consent' };
    await stage.freeze('2026-11-20T00:00:00.500Z');
    await client.register({ ...base, isAdAgreement: false, isNightAdAgreement: false });
    expect(await userOf('consent')).toMatchObject({
      notificationAgreementTime: '2026-11-20T09:00:00.500',
      adAgreementTime: null,
      nightAdAgreementTime: null,
      createTime: '2026-11-20T09:00:00.500',
      updateTime: '2026-11-20T09:00:00.500',
    });
    await stage.freeze('2026-11-20T01:00:00Z');
    await client.register({ ...base, isAdAgreement: true, isNightAdAgreement: false });
    await stage.freeze('2026-11-20T02:00:00Z');
    await client.register({ ...base, isNotificationAgreement: false, isAdAgreement: true });
    expect(await userOf('consent')).toMatchObject({
      notificationAgreement: false,
      notificationAgreementTime: '2026-11-20T09:00:00.500',
      adAgreementTime: '2026-11-20T10:00:00.000',
      nightAdAgreementTime: '2026-11-20T11:00:00.000',
      createTime: '2026-11-20T09:00:00.500',
      updateTime: '2026-11-20T11:00:00.000',
    });
    await stage.freeze('2026-11-20T03:00:00Z');
    await client.register({ ...base });
    expect(await userOf('consent')).toMatchObject({ notificationAgreementTime: '2026-11-20T12:00:00.000' });
  });

  it('answers times in the service’s zone, with the offset where it was asked for', async () => {
    await stage.freeze('2026-11-20T00:00:00Z');
    const berlin = await stage.project({ zone: 'Europe/Berlin', answerTimes: 'offset' });
    await berlin.register({ userId: 'times' });
    expect((await berlin.get('users/times')).json()).toMatchObject({
      createTime: '2026-11-20T01:00:00.000+01:00',
    });
  });
});

describe('§4.1 query and delete a user', () => {
  it('answers exactly the fields of §2.1', async () => {
    await client.register({ userId: 'exact' });
    const answer = await client.get('users/exact');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(Object.keys(answer.json())).toEqual([
      'userId',
      'country',
      'language',
      'timezone',
      'channelName',
      'notificationAgreement',
      'adAgreement',
      'nightAdAgreement',
      'notificationAgreementTime',
      'adAgreementTime',
      'nightAdAgreementTime',
      'createTime',
      'updateTime',
      'devices',
    ]);
  });

  it('answers 404/300 to a user who is not there, to query and to deletion', async () => {
    expect(refusal(await client.get('users/nobody')).slice(0, 2)).toEqual([404, '300']);
    expect(refusal(await client.delete('users/nobody')).slice(0, 2)).toEqual([404, '300']);
  });

  it('refuses a path name no text can hold', async () => {
    expect(refusal(await client.get(client.path('users/%00')))[0]).toBe(400);
  });

  it('deletes the user with all devices: 204 without a body', async () => {
    await client.register({ userId: 'gone', deviceToken: 'gone-1' });
    await client.register({ userId: 'gone', deviceToken: 'gone-2' });
    const answer = await client.delete('users/gone');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await client.get('users/gone')).status).toBe(404);
    await client.register({ userId: 'gone', deviceToken: 'gone-3' });
    expect(await userOf('gone')).toMatchObject({ devices: [{ deviceToken: 'gone-3' }] });
  });
});

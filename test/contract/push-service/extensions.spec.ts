// The extensions (push-decisions.md, "Extensions"): idempotency-key, target-timezone, user-timezones, result-breakdown.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v4 } from 'uuid';
import type { Answer, Client } from './support/client.js';
import { finalResult, message, openStage, reached, refusal, send, type Stage } from './support/stage.js';

let stage: Stage;
let client: Client & { accountId: string };

beforeAll(async () => {
  stage = await openStage();
  client = await stage.project();
});

afterAll(() => stage.close());

describe('idempotency-key', () => {
  afterAll(() => stage.thaw());

  const post = (key: string, body: unknown, project = client): Promise<Answer> =>
    project.post('messages', body, { headers: { 'idempotency-key': key } });

  it('returns the first answer to the same key and body, whatever access key signs', async () => {
    const key = v4();
    const first = await post(key, message());
    const second = await stage.management.ask('POST', `/v1/accounts/${client.accountId}/access-keys`);
    const keys = { accessKey: second.field('accessKey'), secretKey: second.field('secretKey') };
    const again = await client.post('messages', message(), { keys, headers: { 'idempotency-key': key } });
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.text).toBe(first.text);
  });

  it('answers 409 to the same key with another body, before the body is checked', async () => {
    const key = v4();
    await post(key, message());
    for (const body of [message({ messageType: 'AD' }), '{', { target: 7 }]) {
      expect(refusal(await post(key, body)).slice(0, 2)).toEqual([409, '409']);
    }
  });

  it('refuses a signed request that was caught and comes again under another key', async () => {
    const body = message();
    const signed = { timestamp: client.now() };
    const under = (key?: string, bytes: unknown = body) =>
      client.post('messages', bytes, {
        ...signed,
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      });
    const taken = async (): Promise<number> => {
      const all = await stage.management.ask(
        'GET',
        `/v1/sandbox/services/${encodeURIComponent(client.serviceId)}/messages?limit=1000`,
      );
      return all.list().length;
    };
    const [first, before] = [await under('its-own'), await taken()];
    expect(first.status).toBe(202);
    for (const key of ['another', 'one-more'])
      expect(refusal(await under(key)).slice(0, 2)).toEqual([409, '409']);
    // The same request, and its bytes without a key, are answered as they were.
    expect((await under('its-own')).text).toBe(first.text);
    expect((await under()).text).toBe(first.text);
    expect(await taken()).toBe(before);
    // Two replicas that sign in one millisecond: another body is another request, under its own key and without one.
    expect((await under('a-third', message({ messageType: 'AD' }))).status).toBe(202);
    expect(await taken()).toBe(before + 1);
  });

  it('refuses under a key what came without one, and of many at once takes one', async () => {
    const signed = { timestamp: client.now() };
    const body = message({ message: { default: { content: 'caught' } } });
    const first = await client.post('messages', body, signed);
    const caught = await client.post('messages', body, { ...signed, headers: { 'idempotency-key': v4() } });
    expect(refusal(caught).slice(0, 2)).toEqual([409, '409']);
    expect((await client.post('messages', body, signed)).text).toBe(first.text);

    const at = { timestamp: client.now() + 1 };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        client.post('messages', body, { ...at, headers: { 'idempotency-key': v4() } }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, ...Array.from({ length: 7 }, () => 409)]);
  });

  it('refuses such a request under a schedule as well, and frees what a schedule that is gone refused', async () => {
    const scheduleCode = `replayed-${v4().slice(0, 8)}`;
    const signed = { timestamp: client.now() };
    const body = message({ scheduleCode });
    const under = (key: string) =>
      client.post('messages', body, { ...signed, headers: { 'idempotency-key': key } });
    expect((await under('early')).status).toBe(404);
    await client.post('schedules', { scheduleCode, scheduleTime: '00:00', startDate: '2099-01-01' });
    const first = await under('early');
    expect(first.status).toBe(202);
    expect((await under('early')).text).toBe(first.text);
    expect(refusal(await under('late')).slice(0, 2)).toEqual([409, '409']);
  });

  it('is scoped to the serviceId', async () => {
    const key = v4();
    const other = await stage.project();
    const answers = [await post(key, message()), await post(key, message({ messageType: 'AD' }), other)];
    expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
  });

  it('gives one answer to many at once', async () => {
    const key = v4();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(key, message())));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
  });

  it('is freed by a refusal', async () => {
    const key = v4();
    expect((await post(key, { target: {} })).status).toBe(400);
    expect((await post(key, message())).status).toBe(202);
  });

  it('lasts 30 days', async () => {
    await stage.freeze('2026-10-01T00:00:00Z');
    const key = v4();
    const first = await post(key, message());
    await stage.freeze('2026-10-30T23:59:59.999Z');
    expect((await post(key, message())).text).toBe(first.text);
    await stage.freeze('2026-10-31T00:00:00Z');
    const later = await post(key, message({ messageType: 'AD' }));
    expect(later.status).toBe(202);
    expect(later.field('requestId')).not.toBe(first.field('requestId'));
  });

  it('counts as absent when empty, and is refused when too long', async () => {
    expect((await post('', message())).status).toBe(202);
    expect((await post('', message({ messageType: 'AD' }))).status).toBe(202);
    expect(refusal(await post('k'.repeat(256), message()))[0]).toBe(400);
  });
});

describe('target-timezone', () => {
  let project: Client;

  beforeAll(async () => {
    project = await stage.project();
    await project.post('channels', { channelName: 'c' });
    await project.register({ userId: 'seoul', channelName: 'c' });
    await project.register({ userId: 'seoul', deviceType: 'APNS' });
    await project.register({ userId: 'utc', timezone: 0, channelName: 'c' });
    await project.register({ userId: 'new-york', timezone: -18_000 });
    await project.register({ userId: 'new-york', timezone: -18_000, deviceToken: `gone-${v4()}` });
  });

  async function reachedBy(target: Record<string, unknown>): Promise<string[]> {
    const requestId = await send(project, message({ target }));
    await finalResult(project, requestId);
    return reached(await stage.management.deliveries(requestId));
  }

  it('filters users by their registered offset', async () => {
    expect(await reachedBy({ type: 'ALL', timezone: [0] })).toEqual(['utc']);
    expect(await reachedBy({ type: 'ALL', timezone: [0, 32_400], deviceType: 'APNS' })).toEqual(['seoul']);
    expect(await reachedBy({ type: 'CHANNEL', to: ['c'], timezone: [32_400, -18_000] })).toEqual([
      'seoul',
      'seoul',
    ]);
    expect(await reachedBy({ type: 'ALL', timezone: [3_600] })).toEqual([]);
  });

  it.each([[[]], [['0']], [[0.5]], [7]])('refuses timezone %j', async (timezone) => {
    const answer = await project.post('messages', message({ target: { type: 'ALL', timezone } }));
    expect(refusal(answer)[2]).toMatch(/^target\.timezone/);
  });

  it('counts users and devices by offset, of all or of a channel', async () => {
    await reachedBy({ type: 'ALL' });
    expect((await project.get('timezones')).list()).toEqual([
      { timezone: -18_000, users: 1, devices: 1 },
      { timezone: 0, users: 1, devices: 1 },
      { timezone: 32_400, users: 1, devices: 2 },
    ]);
    expect((await project.get('timezones?channelName=c')).list()).toEqual([
      { timezone: 0, users: 1, devices: 1 },
      { timezone: 32_400, users: 1, devices: 2 },
    ]);
    expect((await project.get('timezones?channelName=none')).list()).toEqual([]);
  });

  it('counts by offset in pages: one that is not full is the last', async () => {
    const all = (await project.get('timezones')).list();
    const pages = await Promise.all(
      [0, 1, 2].map(async (page) => (await project.get(`timezones?pageSize=2&pageIndex=${page}`)).list()),
    );
    expect(pages.map((page) => page.length)).toEqual([2, 1, 0]);
    expect(pages.flat()).toEqual(all);
    for (const query of ['pageSize=0', 'pageSize=1001', 'pageSize=x', 'pageIndex=-1'])
      expect(refusal(await project.get(`timezones?${query}`))[0]).toBe(400);
  });

  it('answers the offsets of many users, each once, and leaves out those that there are not', async () => {
    const of = async (userIds: unknown): Promise<Answer> => project.post('timezones', { userIds });
    expect((await of(['utc', 'nobody', 'new-york', 'utc'])).list()).toEqual([
      { userId: 'new-york', timezone: -18_000 },
      { userId: 'utc', timezone: 0 },
    ]);
    const many = Array.from({ length: 1_000 }, (_, index) => `user-${index}`);
    expect((await of(many)).list()).toEqual([]);
    for (const wrong of [undefined, [], [...many, 'one-more'], ['x'.repeat(129)], [''], 'utc', [7]])
      expect(refusal(await of(wrong))[0]).toBe(400);
    const other = await stage.project();
    expect((await other.post('timezones', { userIds: ['utc'] })).list()).toEqual([]);
  });

  it.each(['timezones', 'breakdown', 'users'])('hides no user of the id %s', async (userId) => {
    const other = await stage.project();
    expect((await other.register({ userId })).status).toBe(201);
    expect((await other.get(`users/${userId}`)).json()).toMatchObject({ userId });
    const requestId = await send(other, message({ target: { type: 'USER', to: [userId] } }));
    expect(await finalResult(other, requestId)).toMatchObject({ sentCount: 1 });
    expect((await other.get('timezones')).list()).toEqual([{ timezone: 32_400, users: 1, devices: 1 }]);
    expect((await other.delete(`users/${userId}`)).status).toBe(204);
    expect((await other.get('timezones')).list()).toEqual([]);
  });
});

describe('result-breakdown', () => {
  it('counts by device type, country, language, offset, outcome and reason; the sums are the result’s', async () => {
    const project = await stage.project();
    await project.register({});
    await project.register({});
    await project.register({
      deviceType: 'APNS',
      country: 'US',
      language: 'en',
      timezone: 0,
      deviceToken: `fail-${v4()}`,
    });
    await project.register({ isNotificationAgreement: false });
    const requestId = await send(project, message());
    expect(await finalResult(project, requestId)).toMatchObject({ targetCount: 3, sentCount: 2 });
    const seoul = { deviceType: 'GCM', country: 'KR', language: 'ko', timezone: 32_400 };
    expect((await project.get(`messages/${requestId}/breakdown`)).json()).toEqual({
      requestId,
      breakdown: [
        {
          deviceType: 'APNS',
          country: 'US',
          language: 'en',
          timezone: 0,
          outcome: 'failed',
          reason: 'REJECTED',
          count: 1,
        },
        { ...seoul, outcome: 'sent', reason: null, count: 2 },
        { ...seoul, outcome: 'suppressed', reason: 'NO_NOTIFICATION_AGREEMENT', count: 1 },
      ],
    });
    const page = await project.get(`messages/${requestId}/breakdown?pageSize=2&pageIndex=1`);
    expect((page.json() as { breakdown: object[] }).breakdown).toMatchObject([{ outcome: 'suppressed' }]);
    expect((await project.get(`messages/${requestId}/breakdown?pageSize=0`)).status).toBe(400);
    expect((await project.get(`messages/${v4()}/breakdown`)).status).toBe(404);
  });

  it('says on its first page how many of the ids that the target names are unknown or have no device', async () => {
    const project = await stage.project();
    await project.register({ userId: 'a' });
    await project.register({ userId: 'b', deviceToken: `gone-${v4()}` });
    const to = ['a', 'b', 'nobody', 'nobody else', 'a'];
    const gone = await send(project, message({ target: { type: 'USER', to: ['b'] } }));
    await finalResult(project, gone);
    const requestId = await send(project, message({ target: { type: 'USER', to } }));
    await finalResult(project, requestId);
    const page = async (query: string) =>
      (await project.get(`messages/${requestId}/breakdown${query}`)).json();
    expect(await page('')).toMatchObject({ ids: { named: 4, unknown: 2, withoutDevice: 1 } });
    expect(await page('?pageIndex=1')).toEqual({ requestId, breakdown: [] });
  });
});

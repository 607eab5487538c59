// push-interface.md §2.1 consent, night by each user's own clock, and push-interface.md §2.4, §2.5 content: what a device is handed, if anything.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, Delivery } from './support/client.js';
import { finalResult, message, openStage, reached, send, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

async function deliver(project: Client, members: Record<string, unknown>): Promise<Delivery[]> {
  const requestId = await send(project, message(members));
  await finalResult(project, requestId);
  return stage.management.deliveries(requestId);
}

describe('§2.1 consent', () => {
  it('keeps everything from a user without notification agreement, and advertising from one without ad agreement', async () => {
    const project = await stage.project();
    await project.register({ userId: 'yes' });
    await project.register({ userId: 'none', isNotificationAgreement: false });
    await project.register({ userId: 'no-ad', isAdAgreement: false });
    expect(reached(await deliver(project, {}))).toEqual(['no-ad', 'yes']);
    expect(reached(await deliver(project, { messageType: 'NOTIF' }))).toEqual(['no-ad', 'yes']);
    const requestId = await send(project, message({ messageType: 'AD' }));
    expect(await finalResult(project, requestId)).toMatchObject({ targetCount: 1, sentCount: 1 });
    expect(reached(await stage.management.deliveries(requestId))).toEqual(['yes']);
  });

  it('counts the suppressed by reason, outside of targetCount', async () => {
    const project = await stage.project();
    await project.register({ isNotificationAgreement: false });
    await project.register({ isNotificationAgreement: false, isAdAgreement: false });
    await project.register({ isAdAgreement: false, country: 'US', language: 'en' });
    const requestId = await send(project, message({ messageType: 'AD' }));
    expect(await finalResult(project, requestId)).toMatchObject({ targetCount: 0, messageStatusCode: '404' });
    const base = { deviceType: 'GCM', timezone: 32_400, outcome: 'suppressed' };
    expect((await project.get(`messages/${requestId}/breakdown`)).json()).toEqual({
      requestId,
      breakdown: [
        { ...base, country: 'KR', language: 'ko', reason: 'NO_NOTIFICATION_AGREEMENT', count: 2 },
        { ...base, country: 'US', language: 'en', reason: 'NO_AD_AGREEMENT', count: 1 },
      ],
    });
  });
});

describe('§2.1 night is 21:00 to 08:00 by the user’s own offset at the moment of sending', () => {
  let project: Client;
  const offsets = [-43_200, -18_000, -12_600, 0, 19_800, 20_700, 32_400, 50_400];

  beforeAll(async () => {
    project = await stage.project();
    for (const timezone of offsets) {
      await project.register({ userId: `at ${timezone}`, timezone, isNightAdAgreement: false });
      await project.register({ userId: `day and night ${timezone}`, timezone });
    }
  });

  afterAll(() => stage.thaw());

  it.each([
    '2026-11-20T00:00:00Z',
    '2026-11-20T11:59:59.999Z',
    '2026-11-20T12:00:00Z',
    '2026-11-20T22:59:59Z',
    '2026-11-20T23:00:00Z',
  ])('judges each user at %s', async (at) => {
    await stage.freeze(at);
    const awake = offsets.filter((offset) => {
      const hour = new Date(Date.parse(at) + offset * 1_000).getUTCHours();
      return hour >= 8 && hour < 21;
    });
    const expected = [
      ...awake.map((offset) => `at ${offset}`),
      ...offsets.map((offset) => `day and night ${offset}`),
    ].sort();
    expect(reached(await deliver(project, { messageType: 'AD' }))).toEqual(expected);
    expect(reached(await deliver(project, { messageType: 'NOTIF' })).length).toBe(offsets.length * 2);
  });

  it('counts those whose night it is, with the reason', async () => {
    await stage.freeze('2026-11-20T12:00:00Z');
    const requestId = await send(project, message({ messageType: 'AD' }));
    const { targetCount } = await finalResult(project, requestId);
    const { breakdown } = (await project.get(`messages/${requestId}/breakdown`)).json() as {
      breakdown: { outcome: string; reason: string | null; timezone: number; count: number }[];
    };
    const kept = breakdown.filter(({ outcome }) => outcome === 'suppressed');
    // 12:00 at UTC: night from nine hours east on, and from four hours west on.
    expect(new Map(kept.map(({ timezone, reason, count }) => [timezone, [reason, count]]))).toEqual(
      new Map([-43_200, -18_000, 32_400, 50_400].map((zone) => [zone, ['NIGHT_WITHOUT_AGREEMENT', 1]])),
    );
    expect(targetCount).toBe(offsets.length * 2 - kept.length);
  });

  it('judges a reserved message when it is really sent, not when it is reserved', async () => {
    await stage.freeze('2026-11-20T11:00:00Z');
    const day = await stage.project();
    await day.register({ userId: 'seoul', isNightAdAgreement: false });
    const requestId = await send(day, message({ messageType: 'AD', reserveTime: '2026-11-20 21:00' }));
    await stage.freeze('2026-11-20T12:00:00Z');
    expect(await finalResult(day, requestId)).toMatchObject({ targetCount: 0, messageStatusCode: '404' });
  });
});

describe('§2.4 priority: gcm = apns > default', () => {
  let project: Client;

  beforeAll(async () => {
    project = await stage.project();
    await project.register({ userId: 'android', deviceToken: 'token-a' });
    await project.register({ userId: 'apple', deviceType: 'APNS', deviceToken: 'token-b' });
  });

  async function payloads(
    content: Record<string, unknown>,
  ): Promise<{ gcm: unknown; apns: unknown; headers: unknown }> {
    const deliveries = await deliver(project, { message: content });
    const of = (type: string): Delivery | undefined =>
      deliveries.find(({ deviceType }) => deviceType === type);
    return { gcm: of('GCM')?.payload, apns: of('APNS')?.payload, headers: of('APNS')?.headers };
  }

  it('gives default alone to both, as data.content and as the alert', async () => {
    expect(await payloads({ default: { content: 'd' } })).toEqual({
      gcm: { message: { token: 'token-a', data: { content: 'd' } } },
      apns: { aps: { alert: 'd' } },
      headers: { 'apns-push-type': 'alert' },
    });
  });

  it('gives each type its own where there is one; message.fcmv1 is a name of gcm', async () => {
    for (const name of ['gcm', 'fcmv1']) {
      const own = await payloads({
        default: { content: 'd' },
        [name]: { content: 'g' },
        apns: { content: 'a' },
      });
      expect(own).toMatchObject({
        gcm: { message: { data: { content: 'g' } } },
        apns: { aps: { alert: 'a' } },
      });
    }
  });

  it('places custom keys as data.KEY, texts all of them, and beside aps', async () => {
    const custom = { key: 'v', n: 1.5, deep: { a: [1] }, flag: true, nothing: null };
    expect(await payloads({ default: { content: 'd', custom } })).toMatchObject({
      gcm: {
        message: {
          data: { content: 'd', key: 'v', n: '1.5', deep: '{"a":[1]}', flag: 'true', nothing: 'null' },
        },
      },
      apns: { aps: { alert: 'd' }, ...custom },
    });
  });

  it('lets content win over custom’s key content, which stands in for empty content; that makes no alert', async () => {
    const custom = { content: 'c', aps: { alert: 'stolen' } };
    expect(await payloads({ default: { content: 'd', custom } })).toMatchObject({
      gcm: { message: { data: { content: 'd' } } },
      apns: { aps: { alert: 'd' }, content: 'c' },
    });
    const { gcm, apns, headers } = await payloads({ default: { content: '', custom } });
    expect(gcm).toMatchObject({ message: { data: { content: 'c' } } });
    expect(apns).toEqual({ aps: {}, content: 'c' });
    expect(headers).toEqual({ 'apns-push-type': 'background', 'apns-priority': '5' });
  });

  it('maps the options of both providers', async () => {
    const android = { priority: 'high', ttl: '60s' };
    expect(
      await payloads({
        default: { content: 'd' },
        gcm: {
          option: {
            android,
            fcm_options: { analytics_label: 'l' },
            notification: { title: 't' },
            colour: 'red',
          },
        },
        apns: {
          option: {
            'apns-priority': 5,
            'apns-expiration': 0,
            'apns-collapse-id': 'id',
            sound: 'ping',
            badge: 3,
            'content-available': 1,
            'mutable-content': 1,
            'thread-id': 'thread',
            category: 'cat',
            colour: 'red',
          },
        },
      }),
    ).toEqual({
      gcm: {
        message: {
          token: 'token-a',
          data: { content: 'd' },
          android,
          fcm_options: { analytics_label: 'l' },
          notification: { title: 't' },
        },
      },
      apns: {
        aps: {
          alert: 'd',
          sound: 'ping',
          badge: 3,
          'content-available': 1,
          'mutable-content': 1,
          'thread-id': 'thread',
          category: 'cat',
        },
      },
      headers: {
        'apns-push-type': 'alert',
        'apns-priority': '5',
        'apns-expiration': '0',
        'apns-collapse-id': 'id',
      },
    });
  });
});

describe('§2.5 i18n by the language of the device’s owner', () => {
  const languages = ['ko', 'en', 'zh-Hant', 'zh-Hans', 'fr'];
  let project: Client;

  beforeAll(async () => {
    project = await stage.project();
    for (const language of languages) {
      await project.register({ userId: `${language} GCM`, language });
      await project.register({ userId: `${language} APNS`, language, deviceType: 'APNS' });
    }
  });

  async function texts(content: Record<string, unknown>): Promise<Record<string, string>> {
    const deliveries = await deliver(project, { message: content });
    return Object.fromEntries(
      deliveries.map(({ userId, payload }) => {
        const { message: gcm, aps } = payload as {
          message?: { data: { content: string } };
          aps?: { alert: string };
        };
        return [userId, gcm?.data.content ?? aps?.alert ?? ''];
      }),
    );
  }

  const i18n = (prefix: string, ...members: string[]): Record<string, unknown> =>
    Object.fromEntries(members.map((member) => [member, { content: `${prefix} ${member}` }]));

  it('takes the exact language, then i18n.default, over content', async () => {
    const got = await texts({
      default: { content: 'content' },
      i18n: i18n('common', 'ko', 'zh-Hant', 'zh-Hans', 'default'),
    });
    expect(got).toMatchObject({
      'ko GCM': 'common ko',
      'zh-Hant APNS': 'common zh-Hant',
      'zh-Hans GCM': 'common zh-Hans',
      'en GCM': 'common default',
      'fr APNS': 'common default',
    });
  });

  it('falls back to content where i18n has neither', async () => {
    const got = await texts({ default: { content: 'content' }, i18n: i18n('common', 'en') });
    expect(got).toMatchObject({ 'en GCM': 'common en', 'ko GCM': 'content', 'zh-Hant APNS': 'content' });
  });

  it('lets a type’s own i18n win over the common one, and that over content', async () => {
    const got = await texts({
      default: { content: 'content' },
      gcm: { content: 'gcm content', i18n: i18n('gcm', 'en') },
      i18n: i18n('common', 'en', 'fr'),
    });
    expect(got).toMatchObject({
      'en GCM': 'gcm en',
      'en APNS': 'common en',
      'fr GCM': 'common fr',
      'ko GCM': 'gcm content',
      'ko APNS': 'content',
    });
  });

  it('takes message.default.i18n as the common type’s own', async () => {
    const got = await texts({
      default: { content: 'content', i18n: i18n('default', 'en') },
      i18n: i18n('common', 'en'),
    });
    expect(got).toMatchObject({ 'en GCM': 'default en', 'en APNS': 'default en' });
  });
});

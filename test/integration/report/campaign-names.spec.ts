// Every route that takes our id of a campaign takes serviceId/campaignId too; a revision and a dry run show what devices get; and events that
// are only judged.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { ListWorld, SERVICE } from '../../support/scheduler/list-world.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';

let world: ListWorld;
let admin: string;
let campaign: string;
const NAME = `${SERVICE}%2Fsummer-sale`;
const ids = Array.from({ length: 20 }, (_, index) => `user-${index}`);

beforeAll(async () => {
  world = await ListWorld.open();
  admin = await world.scheduler.bearer(['admin']);
  const data = {
    serviceId: SERVICE,
    audience: { type: 'USER', to: ids },
    message: { default: { content: 'Sale', option: { title: 'Shop' } }, i18n: { ko: { content: '세일' } } },
  };
  const taken = await call('POST', '/v1/events', event('summer-sale', data));
  if (taken.status !== 202) throw new Error(JSON.stringify(taken.body));
  [campaign = ''] = (taken.body as { events: { campaignId: string }[] }).events.map(
    ({ campaignId }) => campaignId,
  );
  await eventually(async () => {
    const { body } = await call('GET', `/v1/campaigns/${campaign}`);
    return (body as { state: string }).state === 'planned';
  });
});
afterAll(() => world.close());

const event = (campaignId: string, data: Json): Json => ({
  ...scheduled(campaignId, data),
  subject: campaignId,
});
const call = (method: string, path: string, body?: unknown, authorization = admin) =>
  world.scheduler.call(method, path, { authorization, ...(body !== undefined && { body }) });

describe('serviceId/campaignId', () => {
  it.each([
    ['GET', `/v1/campaigns/${NAME}`],
    ['GET', `/v1/campaigns/${NAME}/sends`],
    ['GET', `/v1/campaigns/${NAME}/history`],
    ['GET', `/v1/campaigns/${NAME}/plan`],
    ['GET', `/v1/campaigns/${NAME}/revisions/1`],
    ['GET', `/v1/reports/campaigns/${NAME}`],
    ['GET', `/v1/reports/summary?groupBy=zone&campaign=${NAME}`],
    ['GET', `/v1/failures?campaign=${NAME}`],
    ['POST', `/v1/campaigns/${NAME}/pause?preview=true`],
  ])('names the campaign in %s %s', async (method, path) => {
    const answer = await call(method, path, method === 'POST' ? {} : undefined);
    expect([answer.status < 300, answer.body]).toEqual([true, expect.anything()]);
  });

  it('names it in a filter', async () => {
    const count = async (name: string) =>
      ((await call('GET', `/v1/sends?campaign=${name}`)).body as { items: unknown[] }).items.length;
    expect(await count(NAME)).toBe(await count(campaign));
    expect(await count(NAME)).toBeGreaterThan(0);
    expect(await count(`${SERVICE}%2Fnone`)).toBe(0);
    const body = { campaign: `${SERVICE}/summer-sale` };
    const preview = await call('POST', '/v1/retries/preview', body);
    expect(preview.body).toMatchObject({ filter: { campaign } });
  });

  it('is answered like an unknown one where there is none, or it is of somebody else', async () => {
    const stranger = await world.scheduler.bearer(['admin'], ['other']);
    for (const [path, who] of [
      [`/v1/campaigns/${SERVICE}%2Fnone`, admin],
      [`/v1/campaigns/${NAME}`, stranger],
    ] as const) {
      const answer = await call('GET', path, undefined, who);
      expect([path, answer.status, Object(answer.body).code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    expect((await call('GET', '/v1/campaigns/none')).status).toBe(400);
  });
});

describe('what a publisher wrote', () => {
  const shown = [
    { deviceType: 'GCM', language: null, title: 'Shop', text: 'Sale', from: 'message.default.content' },
    { deviceType: 'GCM', language: 'ko', title: 'Shop', text: '세일', from: 'message.i18n.ko' },
    { deviceType: 'APNS', language: null, text: 'Sale', from: 'message.default.content' },
    { deviceType: 'APNS', language: 'ko', text: '세일', from: 'message.i18n.ko' },
  ];

  it('is shown of a revision, with the first ids of a list and how many it had', async () => {
    const { body } = await call('GET', `/v1/campaigns/${campaign}/revisions/1`);
    expect(body).toMatchObject({
      data: { serviceId: SERVICE, audience: { type: 'USER', to: ids.slice(0, 3) } },
      cut: { '/audience/to': ids.length },
      publishedBy: expect.stringMatching(/^token:.+ \([0-9a-f-]{36}\)$/),
      messages: shown,
      moreMessages: false,
    });
    expect(JSON.stringify(body)).not.toContain(ids[3]);
  });

  it('is shown of a dry run, for the device type that its audience names', async () => {
    const data = {
      serviceId: SERVICE,
      audience: { type: 'USER', to: ids, deviceType: 'GCM' },
      message: { default: { content: 'Sale', option: { title: 'Shop' } }, i18n: { ko: { content: '세일' } } },
      delivery: { now: true },
    };
    expect(await call('POST', '/v1/plans', data)).toMatchObject({
      status: 200,
      body: { messages: shown.slice(0, 2), moreMessages: false },
    });
  });
});

describe('POST /v1/events?validate=true', () => {
  const rows = async (): Promise<unknown> =>
    world.scheduler.dataSource.query(
      `select (select count(*) from event) as events, (select count(*) from rejection) as rejections,
              (select count(*) from campaign) as campaigns, (select count(*) from inbox_key) as keys,
              (select count(*) from outbox) as letters`,
    );

  it('says what would become of each event, and keeps nothing', async () => {
    const before = await rows();
    const good = event('autumn', { serviceId: SERVICE });
    const older = event('summer-sale', { serviceId: SERVICE });
    const bad = event('winter', { serviceId: SERVICE, delivery: { at: '2027-03-01T09:00', zone: 'KST' } });
    const answer = await call('POST', '/v1/events?validate=true', [good, bad, older, { ...good }]);
    expect(answer.status).toBe(200);
    const { judged } = answer.body as { judged: { verdict: string; problems: { pointer: string }[] }[] };
    expect(judged.map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected', 'rejected', 'duplicate']);
    expect(judged[1]?.problems[0]?.pointer).toBe('/data/delivery/zone');
    expect(await rows()).toEqual(before);
    const key = { 'idempotency-key': 'judge-1' };
    const keyed = await world.scheduler.call('POST', '/v1/events?validate=true', {
      authorization: admin,
      body: bad,
      headers: key,
    });
    expect(keyed.status).toBe(200);
    expect(await rows()).toEqual(before);
    // What was judged can be published: its id was not used up.
    expect((await call('POST', '/v1/events', good)).status).toBe(202);
  });
});

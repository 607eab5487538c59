// GET /v1/search: whatever id somebody has in hand leads to its row, as far as the token may see it.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

let world: World;
let scheduler: TestScheduler;
let admin: string;
let campaign: string;
let send: string;

beforeAll(async () => {
  world = await World.open();
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
  await world.project();
  campaign = await named('spring-sale', 'Spring sale');
  send = await world.send({ campaign, state: 'sent', columns: { request_id: 'req-42' } });
  for (let index = 0; index < 8; index += 1) await named(`other-${index}`, `Other ${index}`);
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

async function named(campaignId: string, name: string): Promise<string> {
  const id = await world.campaign();
  await world.dataSource.query('update campaign set campaign_id = $2, name = $3 where id = $1', [
    id,
    campaignId,
    name,
  ]);
  return id;
}

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly by: string;
  readonly exact: boolean;
}

async function search(q: string, authorization = admin): Promise<readonly Found[]> {
  const { body, status } = await scheduler.call('GET', `/v1/search?q=${encodeURIComponent(q)}`, {
    authorization,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  return (body as { items: Found[] }).items;
}

describe('a search', () => {
  it.each([
    ['our id of a campaign', () => campaign, () => ({ kind: 'campaign', id: campaign, by: 'id' })],
    ["the publisher's id", () => 'spring-sale', () => ({ kind: 'campaign', id: campaign, by: 'campaignId' })],
    ['our id of a send', () => send, () => ({ kind: 'send', id: send, by: 'id' })],
    ['a request id', () => 'req-42', () => ({ kind: 'send', id: send, by: 'requestId' })],
    ['a service', () => SERVICE, () => ({ kind: 'service', id: SERVICE, by: 'serviceId' })],
  ])('finds by %s, exactly', async (_, q, expected) => {
    expect((await search(q()))[0]).toMatchObject({ ...expected(), exact: true });
  });

  it('finds events by the id of their publisher', async () => {
    const [row] = await world.dataSource.query<{ event: string }>(
      'select event from revision where campaign = $1',
      [campaign],
    );
    await world.insert('inbox_key', {
      source: '/shop',
      event_id: 'order-7',
      service_id: SERVICE,
      content_hash: Buffer.alloc(32),
      event: row?.event,
      taken_at: new Date(),
    });
    expect((await search('order-7'))[0]).toMatchObject({ kind: 'event', id: campaign, by: 'eventId' });
  });

  it('finds campaigns by a part of their name after all that is exact', async () => {
    const found = await search('Other');
    expect(found).toHaveLength(8);
    expect(found.every(({ exact, by }) => !exact && by === 'name')).toBe(true);
  });

  it('shows nothing of services that the token does not hold', async () => {
    const stranger = await scheduler.bearer(['admin'], ['other-app']);
    for (const q of [campaign, send, 'spring-sale', 'Spring', 'req-42', SERVICE, 'order-7'])
      expect([q, await search(q, stranger)]).toEqual([q, []]);
  });

  it('shows an analyst no rejections, and a publisher no sets of retries', async () => {
    const rejection = v7();
    await world.insert('rejection', {
      id: rejection,
      event: v7(),
      service_id: SERVICE,
      reasons: '[]',
      rejected_at: new Date(),
      body_hash: Buffer.alloc(32),
    });
    expect((await search(rejection))[0]).toMatchObject({ kind: 'rejection' });
    expect(await search(rejection, await scheduler.bearer(['analyst']))).toEqual([]);
  });
});

describe('the filter requestId', () => {
  it('reads the sends of that request alone', async () => {
    const { body } = await scheduler.call('GET', '/v1/sends?requestId=req-42&newest=false', {
      authorization: admin,
    });
    expect(body).toMatchObject({ items: [{ id: send }], count: { value: 1, atLeast: false } });
    const plan = await world.dataSource.query(
      `explain (format json) select id from send where request_id = 'req-42'`,
    );
    expect(JSON.stringify(plan)).toContain('request_id_idx');
  });
});

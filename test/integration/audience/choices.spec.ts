// What a publisher may choose from, asked over HTTP: a whole scheduler and the real push service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let stage: Stage;
let scheduler: TestScheduler;
let admin: string;
let service: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  stage = await openStage();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
  service = await stage.project();
  await addProject(service.serviceId, stage.target.url, service.keys);
  await addProject('away', 'http://127.0.0.1:9', { accessKey: 'a', secretKey: 'secret-of-sixteen' });
  for (const channelName of ['vip', 'vip-seoul', 'news'])
    await service.post('channels', { channelName, channelDesc: `about ${channelName}` });
  await service.post('schedules', { scheduleCode: 'WEEKLY', scheduleTime: '10:00' });
});
afterAll(async () => {
  await scheduler.close();
  await stage.close();
  await database.drop();
});

async function addProject(serviceId: string, baseUrl: string, key: unknown): Promise<void> {
  const body = { serviceId, baseUrl, key };
  const made = await scheduler.call('POST', '/v1/projects', { authorization: admin, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
}

async function get(path: string, authorization = admin): Promise<unknown> {
  return (await scheduler.call('GET', path, { authorization })).body;
}

describe('GET /v1/zones', () => {
  it('lists every IANA name with its offset now', async () => {
    const { items, tzdata } = (await get('/v1/zones')) as {
      items: { zone: string; offsetSeconds: number }[];
      tzdata: string;
    };
    expect(tzdata).toMatch(/^\d{4}[a-z]/);
    expect(items.length).toBeGreaterThan(400);
    expect(items).toContainEqual({ zone: 'Asia/Seoul', offsetSeconds: 32_400 });
    expect(items.map(({ zone }) => zone)).toEqual(items.map(({ zone }) => zone).toSorted());
  });
});

describe('GET /v1/services', () => {
  it('lists the projects that the token holds, with what a campaign needs of them, in pages', async () => {
    const { items, nextCursor } = (await get('/v1/services?limit=1')) as {
      items: { serviceId: string }[];
      nextCursor: string;
    };
    expect(items).toMatchObject([
      { serviceId: 'away', defaultZone: 'Asia/Seoul', maxTo: 1000, blocked: null },
    ]);
    expect(await get(`/v1/services?cursor=${nextCursor}`)).toMatchObject({
      items: [{ serviceId: service.serviceId }],
      nextCursor: null,
    });
    const publisher = await scheduler.bearer(['publisher'], [service.serviceId, 'none']);
    expect(await get('/v1/services', publisher)).toMatchObject({ items: [{ serviceId: service.serviceId }] });
    expect(JSON.stringify(await get('/v1/services', publisher))).not.toContain(stage.target.url);
  });
});

describe('GET /v1/channels and /v1/schedules', () => {
  it('lists what the push service has, whose name contains the text', async () => {
    expect(await get(`/v1/channels?serviceId=${service.serviceId}&q=vip`)).toEqual({
      items: [
        { name: 'vip', description: 'about vip' },
        { name: 'vip-seoul', description: 'about vip-seoul' },
      ],
      hasMore: false,
      lack: null,
    });
    expect(await get(`/v1/schedules?serviceId=${service.serviceId}`)).toEqual({
      items: [{ name: 'WEEKLY', description: null }],
      hasMore: false,
      lack: null,
    });
  });

  it('lists what planning has seen lately where the push service does not answer, and says why', async () => {
    await scheduler.dataSource.query(
      `insert into gateway_name (service_id, kind, name, known, looked_up_at)
       values ('away', 'channel', 'vip', true, now()), ('away', 'channel', 'gone', false, now())`,
    );
    const answer = await get('/v1/channels?serviceId=away');
    expect(answer).toEqual({
      items: [{ name: 'vip', description: null }],
      hasMore: false,
      lack: expect.stringMatching(/^[A-Z_]+$/) as unknown,
    });
  });

  it('does not know the project of somebody else', async () => {
    const stranger = await scheduler.bearer(['publisher'], ['other']);
    expect(await get(`/v1/channels?serviceId=${service.serviceId}`, stranger)).toMatchObject({ status: 404 });
  });
});

// Channels and schedules that a campaign names and its gateway does not know: a whole scheduler and the real push service, from
// the event to what campaign.planned says.
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { outcomeEventsOf } from '../../support/events/outcome-events.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';

const START = '2027-03-01T00:00:00.000Z';
const clock = new SteppedClock(START);
let database: TestDatabase;
let stage: Stage;
let scheduler: TestScheduler;
let token: string;
let service: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  stage = await openStage();
  await stage.freeze(START);
  const config = schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan', LOOP_IDLE_MS: '50' });
  scheduler = await startScheduler(config, { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  token = await scheduler.bearer(['admin', 'publisher']);
  service = await project();
  await service.post('channels', { channelName: 'vip' });
  await service.post('schedules', { scheduleCode: 'WEEKLY', scheduleTime: '10:00' });
});
afterAll(async () => {
  await scheduler.close();
  await stage.close();
  await database.drop();
});
beforeEach(() => clock.set(START));

async function project(settings: Json = {}): Promise<Client> {
  const client = await stage.project();
  const { serviceId, keys } = client;
  const body = { serviceId, baseUrl: stage.target.url, key: keys, ...settings };
  const made = await scheduler.call('POST', '/v1/projects', { authorization: token, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return client;
}

let published = 0;
async function publish(serviceId: string, data: Json): Promise<string> {
  published += 1;
  const answer = await scheduler.call('POST', '/v1/events', {
    authorization: token,
    body: scheduled(`named-${published}`, { serviceId, ...data }),
    headers: { 'content-type': 'application/cloudevents+json' },
  });
  return (answer.body as { events: { campaignId: string }[] }).events[0]?.campaignId ?? '';
}

type Warning = Readonly<{ code: string; pointer: string }>;
const shown = (all: readonly Warning[]) =>
  all.map(({ code, pointer }) => `${code} ${pointer}`).filter((one) => one.startsWith('UNKNOWN_'));

/** What its plan warns of by the API, which is what campaign.planned published. */
async function warnings(campaign: string, meanwhile: () => void = () => undefined): Promise<string[]> {
  const get = (path: string) => scheduler.call('GET', path, { authorization: token });
  await eventually(async () => {
    meanwhile();
    return ((await get(`/v1/campaigns/${campaign}`)).body as { state: string }).state === 'planned';
  });
  const plan = (await get(`/v1/campaigns/${campaign}/plan`)).body as { warnings: Warning[] };
  const events = await outcomeEventsOf(scheduler.dataSource, campaign);
  const planned = events.find(({ type }) => type === 'carillon.outcome.campaign.planned.v1');
  expect(planned?.data['warnings']).toEqual(plan.warnings);
  return shown(plan.warnings);
}

const to = (...names: string[]): Json => ({ audience: { type: 'CHANNEL', to: names } });
const calls = () => {
  const api = scheduler.internals.pushApi;
  const spies = [vi.spyOn(api, 'channels'), vi.spyOn(api, 'schedules')] as const;
  for (const spy of spies) spy.mockClear();
  return () => spies.flatMap(({ mock }) => mock.calls.map(([, name]) => name));
};

describe('a name that the gateway', () => {
  it('does not know is shown on campaign.planned, one that is a part of another too; asked for once', async () => {
    const asked = calls();
    const { serviceId } = service;
    expect(await warnings(await publish(serviceId, to('vip', 'vi', 'vipp')))).toEqual([
      'UNKNOWN_CHANNEL /audience/to/1',
      'UNKNOWN_CHANNEL /audience/to/2',
    ]);
    expect(asked()).toEqual(['vip', 'vi', 'vipp']);
    expect(await warnings(await publish(serviceId, to('vipp', 'vip')))).toEqual([
      'UNKNOWN_CHANNEL /audience/to/0',
    ]);
    expect(asked()).toHaveLength(3);
  });

  it('comes to know is asked for again a minute later', async () => {
    const { serviceId } = service;
    expect(await warnings(await publish(serviceId, to('soon')))).toEqual(['UNKNOWN_CHANNEL /audience/to/0']);
    await service.post('channels', { channelName: 'soon' });
    clock.advance(61_000);
    expect(await warnings(await publish(serviceId, to('soon')))).toEqual([]);
  });

  it('keeps as a schedule is known, another is not', async () => {
    const { serviceId } = service;
    const under = (scheduleCode: string): Json => ({
      audience: { type: 'ALL' },
      delivery: { scheduleCode },
    });
    expect(await warnings(await publish(serviceId, under('WEEKLY')))).toEqual([]);
    expect(await warnings(await publish(serviceId, under('WEEKL')))).toEqual([
      'UNKNOWN_SCHEDULE_CODE /delivery/scheduleCode',
    ]);
  });
});

describe('a campaign is planned all the same, and warned of nothing', () => {
  it('where its gateway is away', async () => {
    const { serviceId } = await project({ baseUrl: 'http://127.0.0.1:9' });
    expect(await warnings(await publish(serviceId, to('vip')))).toEqual([]);
  });

  it('where its gateway takes the question and says nothing: after three seconds', async () => {
    const held: Socket[] = [];
    const silent: Server = createServer((socket) => void held.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as { port: number };
      const { serviceId } = await project({ baseUrl: `http://127.0.0.1:${port}` });
      const campaign = await publish(serviceId, to('vip'));
      await eventually(() => held.length > 0);
      clock.advance(2_999);
      const answer = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: token });
      expect(answer.body).toMatchObject({ state: 'planning', waitingFor: { what: 'NAMES', ids: null } });
      clock.advance(1);
      expect(await warnings(campaign)).toEqual([]);
    } finally {
      for (const socket of held) socket.destroy();
      silent.close();
    }
  });

  it('where the project is stopped, or asks for nothing, or the event names a plan', async () => {
    const asked = calls();
    const stopped = await project();
    const path = `/v1/projects/${stopped.serviceId}/stop`;
    expect((await scheduler.call('POST', path, { authorization: token, body: {} })).status).toBe(200);
    expect(await warnings(await publish(stopped.serviceId, to('none')))).toEqual([]);
    const quiet = await project({ lookupMax: 0 });
    expect(await warnings(await publish(quiet.serviceId, to('none')))).toEqual([]);
    const { serviceId } = service;
    const data = { delivery: { at: '2027-03-02T00:00:00Z' }, ...to('unheard-of') };
    const preview = await scheduler.call('POST', '/v1/plans', {
      authorization: token,
      body: (scheduled('x', { serviceId, ...data }) as { data: Json }).data,
    });
    const { planHash } = preview.body as { planHash: string };
    expect(await warnings(await publish(serviceId, { ...data, planHash }))).toEqual([]);
    expect(asked()).toEqual([]);
  });
});

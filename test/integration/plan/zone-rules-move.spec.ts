// Other zone rules come into force while campaigns are planned: two schedulers with rules that nobody released, and the real push service,
// counted in what devices got.
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { madeZoneRules } from '../../support/planning/made-zone-rules.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import type { TestScheduler } from '../../support/scheduler/running-scheduler.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const MOVED = ['ann', 'bob', 'cho'];
const STAYS = ['dan', 'eve'];
const PATIENT = { withinMs: 30_000 };
const ROLES = { CARILLON_ROLES: 'api,plan,dispatch,follow,publish' };

let world: TwoServices;
let newer: TestScheduler | undefined;
let directories: string[] = [];
let now = START;

beforeAll(async () => {
  const seoul = [['1970-01-01T00:00Z', 9]] as const;
  directories = [
    await madeZoneRules('2027a', { 'Asia/Seoul': seoul, 'Asia/Almaty': [['1970-01-01T00:00Z', 6]] }),
    await madeZoneRules('2027b', {
      'Asia/Seoul': seoul,
      'Asia/Almaty': [
        ['1970-01-01T00:00Z', 6],
        ['2027-03-01T06:00Z', 5],
      ],
    }),
  ];
  world = await TwoServices.open(ROLES.CARILLON_ROLES, { TZDATA_DIR: directories[0] ?? '' });
}, 120_000);
afterAll(async () => {
  await newer?.close();
  await world.close();
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true })));
});

const moveTo = async (instant: number): Promise<void> => {
  now = instant;
  await world.moveTo(instant);
};
const shown = async (campaign: string): Promise<Json> =>
  (await world.get(`/v1/campaigns/${campaign}`)).body as Json;
const settled = (campaign: string, wanted: object): Promise<unknown> =>
  eventually(async () => {
    await moveTo(now + 5_000);
    expect(await shown(campaign)).toMatchObject(wanted);
  }, PATIENT);
/** Each of its reservations that stands, as the instant at which it goes. */
const ready = async (service: string): Promise<string[]> =>
  (await world.taken())
    .filter((one) => one.service === service && one.state === 'READY')
    .map(({ fireAt }) => fireAt?.toISOString().slice(0, 16) ?? '')
    .sort();

const register = async (): Promise<string> => (await world.projectOf([...MOVED, ...STAYS])).serviceId;

/** 18:00 on both clocks. */
const bothZones = (serviceId: string, more: Json = {}): Json =>
  dataOf({
    serviceId,
    audience: null,
    message: { default: { content: 'hello' } },
    delivery: {
      at: '2027-03-01T18:00',
      zone: 'recipient',
      segments: [
        { zone: 'Asia/Almaty', audience: { type: 'USER', to: MOVED } },
        { zone: 'Asia/Seoul', audience: { type: 'USER', to: STAYS } },
      ],
    },
    ...more,
  });

async function planned(data: Json): Promise<string> {
  const published = await world.publish(data);
  expect(published).toMatchObject({ status: 202 });
  const campaign = campaignOf(published);
  await world.planned(campaign);
  return campaign;
}

const check = async (scheduler: TestScheduler | undefined): Promise<Json | undefined> => {
  if (scheduler === undefined) throw new Error('it was not started');
  const authorization = await scheduler.bearer(['analyst']);
  const { body } = await scheduler.call('GET', '/health/ready', { authorization });
  return (body as { checks: Json[] }).checks.find(({ name }) => name === 'zoneRules');
};

describe('newer zone rules at a process', () => {
  it('move what they resolve otherwise, at the push service too, and nobody gets it twice or not at all', async () => {
    const service = await register();
    const campaign = await planned(bothZones(service));
    const weekly = await planned(
      bothZones(service, {
        audience: { type: 'USER', to: MOVED },
        delivery: { at: '2027-03-01T20:00', zone: 'Asia/Almaty', recurrence: 'FREQ=DAILY;COUNT=2' },
      }),
    );
    await settled(campaign, { sends: { reserved: 3 } });
    await settled(weekly, { sends: { reserved: 2 } });
    const before = (await world.taken()).filter(({ service: of }) => of === service);
    expect(await ready(service)).toEqual([
      '2027-03-01T09:00',
      '2027-03-01T12:00',
      '2027-03-01T12:00',
      '2027-03-01T14:00',
      '2027-03-01T14:00',
    ]);

    newer = await world.another({ ...ROLES, TZDATA_DIR: directories[1] ?? '' });
    await settled(campaign, { acts: [], sends: { reserved: 3 }, revision: 1 });
    await eventually(async () => {
      await moveTo(now + 5_000);
      expect(await ready(service)).toEqual([
        '2027-03-01T09:00',
        '2027-03-01T13:00',
        '2027-03-01T13:00',
        '2027-03-01T15:00',
        '2027-03-01T15:00',
      ]);
    }, PATIENT);
    // What did not move has its reservation of before.
    const seoul = before.find(({ fireAt }) => fireAt?.toISOString().startsWith('2027-03-01T09:00'));
    const after = (await world.taken()).find(({ requestId }) => requestId === seoul?.requestId);
    expect(after).toMatchObject({ state: 'READY' });
    expect((await world.get(`/v1/campaigns/${campaign}/revisions/1`)).body).toMatchObject({
      state: 'in-force',
      zoneRules: '2027b',
      difference: {
        cells: { same: 1, changed: 1, new: 0, gone: 0 },
        requests: { same: 1, changed: 2 },
        changed: [{ dueBefore: '2027-03-01T12:00:00+00:00', dueAfter: '2027-03-01T13:00:00+00:00' }],
      },
    });
    const published = await world.scheduler.dataSource.query<Json>(
      "select kind, code, detail from send_event where campaign = $1 and kind = 'campaign.replanned'",
      [campaign],
    );
    expect(published).toEqual([
      { kind: 'campaign.replanned', code: 'ZONE_RULES', detail: 'the cells that zone rules 2027b move' },
    ]);

    await moveTo(Date.parse('2027-03-01T09:00:00Z'));
    await settled(campaign, { sends: { sent: 1, reserved: 2 } });
    // The instant of before.
    await moveTo(Date.parse('2027-03-01T12:01:00Z'));
    expect((await world.counts()).get(service)).toMatchObject({ handed: 2 });
    await moveTo(Date.parse('2027-03-01T13:00:00Z'));
    await settled(campaign, { state: 'completed', sends: { sent: 3 } });
    expect((await world.counts()).get(service)).toMatchObject({ handed: 5 });
  }, 180_000);

  it('leave a process with the older rules without planning, which its health says', async () => {
    expect(await check(newer)).toMatchObject({ ok: true });
    expect(await check(world.scheduler)).toMatchObject({
      ok: false,
      note: true,
      text: 'it has zone rules 2027a and plans nothing: 2027b are in force. Give it these, and restart it',
    });
  });
});

// A campaign's devices by kind, from the event to the report: a whole scheduler and the real push service. The breakdown agrees with
// the push service's own deliveries, and adds up to the campaign's report, as JSON and as CSV.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CampaignReport } from '../../../src/scheduler/report/campaign/report-json.js';
import { SummaryReport } from '../../../src/scheduler/report/over-campaigns/summary.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, TwoServices } from '../../support/scheduler/two-services.js';

const PATIENT = { withinMs: 50_000 };

let world: TwoServices;
beforeAll(async () => {
  const env = { BREAKDOWN_FROM_DEVICES: '1' };
  world = await TwoServices.open('api,plan,dispatch,follow,publish', env);
});
afterAll(() => world.close());

const USERS = [
  { userId: 'a' },
  { userId: 'b' },
  { userId: 'c', deviceType: 'APNS', country: 'US', language: 'en' },
  { userId: 'd', deviceType: 'APNS', country: 'US', language: 'en', deviceToken: 'fail-d' },
  { userId: 'e', country: 'US', language: 'es' },
  { userId: 'f', deviceType: 'APNS', country: 'FR', language: 'fr', isNotificationAgreement: false },
];

async function projectWith(extensions: readonly string[]): Promise<Client> {
  const service = await world.project({ extensions });
  await service.post('channels', { channelName: 'vip' });
  for (const user of USERS) {
    const made = await service.register({
      channelName: 'vip',
      country: 'KR',
      language: 'ko',
      ...user,
      ...('deviceToken' in user && { deviceToken: `${user.deviceToken}-${service.serviceId}` }),
    });
    if (made.status !== 201) throw new Error(made.text);
  }
  return service;
}

/** A campaign to the channel, once each of its sends has ended and is rolled up. */
async function sent({ serviceId }: Client, more = {}): Promise<string> {
  await world.moveTo(world.clock.now());
  const campaign = campaignOf(await world.publish(dataOf({ serviceId, ...more })));
  await eventually(async () => {
    // Its result is asked for some seconds after it was handed off.
    await world.step(world.clock.now() + 1_000);
    const found = await world.scheduler.dataSource.query(
      'select from send_rollup where campaign = $1 and sends > 0',
      [campaign],
    );
    expect(found).not.toEqual([]);
  }, PATIENT);
  return campaign;
}

async function get(path: string, headers = {}): Promise<unknown> {
  const authorization = await world.scheduler.bearer(['analyst']);
  const { status, body } = await world.scheduler.call('GET', `/v1/reports/${path}`, {
    authorization,
    headers,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
const summary = async (campaign: string, by: string) =>
  SummaryReport.parse(await get(`summary?campaign=${campaign}&groupBy=${by}`));

it('shows devices under the keys that were reported, and its totals are those of the campaign’s report', async () => {
  const service = await projectWith(['result-breakdown']);
  const campaign = await sent(service);
  const byLanguage = await eventually(async () => {
    const report = await summary(campaign, 'deviceType,language');
    return report.totals.reported?.devices.sent === 4 && report;
  }, PATIENT);
  expect(byLanguage.balanced).toBe(true);
  const none = { sent: 0, failed: 0, unknown: 0, suppressed: 0, notReported: 0 };
  const reported = (more: object) => ({ ...none, ...more });
  expect(
    byLanguage.rows.map(({ key, sends, devices, reported: of }) => [
      key,
      sends.planned,
      devices,
      of?.devices,
    ]),
  ).toEqual([
    [
      { deviceType: 'APNS', language: 'en' },
      0,
      { target: 2, sent: 1, failed: 1, pending: 0, unknown: 0 },
      reported({ sent: 1, failed: 1 }),
    ],
    [
      { deviceType: 'APNS', language: 'fr' },
      0,
      { target: 0, sent: 0, failed: 0, pending: 0, unknown: 0 },
      reported({ suppressed: 1 }),
    ],
    [
      { deviceType: 'GCM', language: 'es' },
      0,
      { target: 1, sent: 1, failed: 0, pending: 0, unknown: 0 },
      reported({ sent: 1 }),
    ],
    [
      { deviceType: 'GCM', language: 'ko' },
      0,
      { target: 2, sent: 2, failed: 0, pending: 0, unknown: 0 },
      reported({ sent: 2 }),
    ],
    [
      { deviceType: 'all', language: 'all' },
      1,
      { target: 0, sent: 0, failed: 0, pending: 0, unknown: 0 },
      reported({}),
    ],
  ]);
  expect(byLanguage.totals.reported?.reasons).toEqual([
    { outcome: 'failed', reason: 'REJECTED', devices: 1 },
    { outcome: 'suppressed', reason: 'NO_NOTIFICATION_AGREEMENT', devices: 1 },
  ]);
  const report = (await get(`campaigns/${campaign}`)) as CampaignReport;
  expect(byLanguage.totals.devices).toEqual(report.totals.devices);
  expect(byLanguage.totals.sends).toEqual(report.totals.sends);
  const zones = await summary(campaign, 'zone');
  expect(zones.totals.reported).toBeUndefined();
  expect(zones.totals.devices).toEqual(report.totals.devices);
  const labelled = await summary(campaign, 'zone&reported=true');
  expect(labelled.rows.map((row) => row.reported)).toEqual([byLanguage.totals.reported]);
});

it('agrees with the push service’s own deliveries, in JSON and in CSV', async () => {
  const service = await projectWith(['result-breakdown']);
  const campaign = await sent(service);
  const report = await eventually(async () => {
    const one = await summary(campaign, 'deviceType,country');
    return one.totals.reported?.devices.sent === 4 && one;
  }, PATIENT);
  const [send] = await world.scheduler.dataSource.query<{ request_id: string }>(
    'select request_id from send where campaign = $1',
    [campaign],
  );
  const deliveries = await world.stage.management.deliveries(send?.request_id ?? '');
  expect(deliveries).toHaveLength(5);
  const count = (deviceType: string, country: string, outcome: string): number =>
    deliveries.filter(
      (one) => one.deviceType === deviceType && one.country === country && one.outcome === outcome,
    ).length;
  for (const { key, devices } of report.rows) {
    const { deviceType = '', country = '' } = key;
    for (const outcome of ['sent', 'failed'] as const)
      expect([key, outcome, devices[outcome]]).toEqual([
        key,
        outcome,
        count(deviceType ?? '', country ?? '', outcome),
      ]);
  }
  const csv = String(
    await get(`summary?campaign=${campaign}&groupBy=deviceType,country`, { accept: 'text/csv' }),
  );
  const [header = [], ...lines] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const column = (name: string): string[] => lines.map((line) => line[header.indexOf(name)] ?? '');
  expect(column('deviceType')).toEqual(report.rows.map(({ key }) => key.deviceType));
  expect(column('devices.sent').map(Number)).toEqual(report.rows.map(({ devices }) => devices.sent));
  expect(column('reported.suppressed').map(Number)).toEqual(
    report.rows.map(({ reported }) => reported?.devices.suppressed),
  );
});

it('the funnel says at each step how many were lost and why, and its losses lead to the sends', async () => {
  const service = await projectWith(['result-breakdown']);
  const campaign = await sent(service, { audience: { type: 'USER', to: ['a', 'b', 'd', 'f', 'nobody'] } });
  const report = await eventually(async () => {
    const one = CampaignReport.parse(await get(`campaigns/${campaign}`));
    return one.funnel?.find(({ stage }) => stage === 'known')?.notTold === 0 && one;
  }, PATIENT);
  expect(report.funnel?.map(({ stage, of, count }) => [stage, of, count])).toEqual([
    ['given', 5, 5],
    ['requested', 5, 5],
    ['known', 5, 4],
    ['consent', 4, 3],
    ['targeted', 3, 3],
    ['taken', 3, 2],
  ]);
  expect(report.funnel?.every(({ pending, notTold }) => pending === 0 && notTold === 0)).toBe(true);
  const lost = report.funnel?.flatMap((stage) => stage.lost) ?? [];
  expect(lost.map(({ reason, count }) => [reason, count])).toEqual([
    ['UNKNOWN_ID', 1],
    ['NO_NOTIFICATION_AGREEMENT', 1],
    ['REJECTED', 1],
  ]);
  const authorization = await world.scheduler.bearer(['analyst']);
  for (const { reason, sends } of lost) {
    const { body } = await world.scheduler.call('GET', sends, { authorization });
    expect(body).toMatchObject({ items: [{ campaign, detail: expect.stringContaining(`${reason}: 1 `) }] });
  }
  expect(await get(`campaigns/${campaign}?occurrence=once`)).toMatchObject({ funnel: null });
});

it('leaves under all what a gateway without the extension is not asked for', async () => {
  const service = await projectWith([]);
  const campaign = await sent(service);
  const report = await summary(campaign, 'deviceType');
  expect(
    report.rows.map(({ key, devices, reported }) => [key, devices.target, reported?.devices.sent]),
  ).toEqual([[{ deviceType: 'all' }, 5, 0]]);
  const asked = await world.scheduler.dataSource.query('select from send_breakdown where campaign = $1', [
    campaign,
  ]);
  expect(asked).toEqual([]);
});

// Sends are followed to their end at the real push service, over HTTP, with clocks that the spec sets: which requests are made, when and
// how often, counted at the push service's HTTP server.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignReport } from '../../../src/scheduler/report/campaign/report-json.js';
import type { Client } from '../../contract/push-service/support/client.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import type { SendRow } from '../../support/scheduler/world.js';
import { campaignOf, dataOf, TwoServices } from '../../support/scheduler/two-services.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATIENT = { withinMs: 50_000 };

let world: TwoServices;
let service: Client;
/** `METHOD path` of every request about a send that came to the push service. */
const asked: string[] = [];

function hear(message: unknown): void {
  const { request } = message as { request: IncomingMessage };
  const { method = '', url = '' } = request;
  if (request.socket.localPort !== Number(new URL(world.stage.target.url).port)) return;
  const what = url.replace(/^.*\/services\/[^/]+\//, '');
  // Without requests for names, which planning makes.
  if (method !== 'POST' && !/^(channels|schedules)\?/.test(what)) asked.push(`${method} ${what}`);
}

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
  service = await world.project();
  await service.post('channels', { channelName: 'vip' });
  await register('seoul');
  await service.post('schedules', { scheduleCode: 'DAILY', scheduleTime: '10:00' });
  await service.post('schedules', { scheduleCode: 'ONCE', scheduleTime: '10:00', endDate: '2027-03-01' });
  subscribe('http.server.request.start', hear);
});
afterAll(async () => {
  unsubscribe('http.server.request.start', hear);
  await world.close();
});
beforeEach(() => {
  asked.length = 0;
});
async function register(userId: string): Promise<void> {
  const agrees = { isNotificationAgreement: true, isAdAgreement: true, isNightAdAgreement: true };
  const made = await service.register({
    userId,
    channelName: 'vip',
    deviceType: 'GCM',
    timezone: 32_400,
    ...agrees,
  });
  if (made.status !== 201) throw new Error(made.text);
}

afterEach(() => world.stage.management.clearFaults());

async function publish(delivery: Json, more: Json = {}): Promise<string> {
  const data = dataOf({ serviceId: service.serviceId, delivery, ...more });
  const campaign = campaignOf(await world.publish(data));
  await world.planned(campaign);
  return campaign;
}

const sendsOf = (campaign: string) =>
  world.scheduler.dataSource.query<SendRow>('select * from send where campaign = $1 order by id', [campaign]);

async function sendOf(campaign: string): Promise<SendRow> {
  const [send] = await sendsOf(campaign);
  if (send === undefined) throw new Error('the campaign has no send');
  return send;
}

/** Moves both clocks. Returns once the push service has sent all that is due, and the scheduler has made all due polls. */
async function moveTo(instant: number): Promise<void> {
  await world.moveTo(instant);
  await eventually(async () => (await world.firing()) === 0, PATIENT);
  await quiet();
}

async function quiet(): Promise<void> {
  await eventually(async () => {
    const [found] = await world.scheduler.dataSource.query<{ busy: boolean }>(
      `select exists (select from send where state = 'sending'
                         or state = 'planned' and next_at <= $1
                         or state in ('accepted', 'reserved', 'scheduled', 'canceling') and next_at <= $1) as busy`,
      [new Date(world.clock.now())],
    );
    return found?.busy === false;
  }, PATIENT);
}

const wait = (ms: number) => moveTo(world.clock.now() + ms);

/** A whole minute in three hours, for which a reservation may be made. */
const inThreeHours = (): number => Math.ceil(world.clock.now() / MINUTE) * MINUTE + 3 * HOUR;

const at = (ms: number): string => new Date(ms).toISOString();

async function report(campaign: string): Promise<CampaignReport> {
  const authorization = await world.scheduler.bearer(['analyst']);
  const answer = await world.scheduler.call('GET', `/v1/reports/campaigns/${campaign}`, { authorization });
  expect(answer.status).toBe(200);
  return answer.body as CampaignReport;
}

async function cancel(campaign: string): Promise<void> {
  const authorization = await world.scheduler.bearer(['operator']);
  const answer = await world.scheduler.call('POST', `/v1/campaigns/${campaign}/cancel`, {
    authorization,
    body: {},
  });
  expect(answer.status).toBeLessThan(300);
}

const stateOf = async (campaign: string): Promise<unknown> =>
  ((await world.get(`/v1/campaigns/${campaign}`)).body as Json)['state'];

describe('a standing message', () => {
  it('is asked about every hour, and its counts are kept by day, until it ends: at its until, by a cancel here or elsewhere, or after its last firing', async () => {
    const start = world.clock.now();
    const until = start + 48 * HOUR + 30 * MINUTE;
    const [ends, canceled, elsewhere, once] = [
      await publish({ scheduleCode: 'DAILY', until: at(until) }),
      await publish({ scheduleCode: 'DAILY' }),
      await publish({ scheduleCode: 'DAILY' }),
      await publish({ scheduleCode: 'ONCE' }),
    ];
    await quiet();
    expect((await sendOf(ends)).state).toBe('scheduled');
    await service.delete(`schedules/DAILY/messages/${(await sendOf(elsewhere)).request_id}`);

    // 10:00 in Seoul is in an hour; the polls after it find what was fired.
    for (let hour = 1; hour <= 4; hour += 1) await moveTo(start + hour * HOUR + MINUTE);
    const { request_id } = await sendOf(ends);
    expect(asked.filter((one) => one === `GET messages/${request_id}`)).toHaveLength(4);
    expect(await sendOf(ends)).toMatchObject({ state: 'scheduled', target_count: 1, sent_count: 1 });
    expect(await sendOf(elsewhere)).toMatchObject({ state: 'canceled', code: 'RESULT_CANCELED' });
    expect(await sendOf(once)).toMatchObject({ state: 'sent', target_count: 1, sent_count: 1 });

    await moveTo(start + 25 * HOUR + MINUTE);
    await moveTo(start + 27 * HOUR);
    expect(await report(ends)).toMatchObject({
      final: false,
      campaign: { state: 'running' },
      totals: {
        sends: { planned: 1, standing: 1, open: 0 },
        devices: { target: 2, sent: 2 },
        lateness: NO_LATENESS,
      },
      standing: [
        { day: '2027-03-01', target: 1, sent: 1 },
        { day: '2027-03-02', target: 2, sent: 2 },
      ],
    });
    const shown = (await world.get(`/v1/sends/${(await sendOf(ends)).id}`)).body as Json;
    expect(shown['standing']).toEqual((await report(ends)).standing);

    await cancel(canceled);
    await eventually(async () => expect(await stateOf(canceled)).toBe('canceled'), PATIENT);
    expect(await report(canceled)).toMatchObject({
      final: true,
      totals: { sends: { canceled: 1, standing: 0 }, devices: { target: 2, sent: 2 } },
    });

    await moveTo(until);
    await eventually(async () => expect(await stateOf(ends)).toBe('completed'), PATIENT);
    expect(await sendOf(ends)).toMatchObject({ state: 'canceled', code: 'UNTIL_REACHED', sent_count: 2 });
    expect(asked).toContain(`DELETE schedules/DAILY/messages/${request_id}`);
    expect(await report(ends)).toMatchObject({ final: true, totals: { devices: { target: 2, sent: 2 } } });
    // Ended messages are not asked about.
    asked.length = 0;
    await wait(3 * HOUR);
    expect(asked).toEqual([]);
  });
});

const NO_LATENESS = { immediate: { count: 0 }, reserved: { count: 0 } };

describe('a reservation', () => {
  it('is asked about four times if it ends at once: after its hand-off, before and after its due, and for its result', async () => {
    const due = inThreeHours();
    const campaign = await publish({ at: at(due) });
    await quiet();
    const { request_id, state } = await sendOf(campaign);
    expect([state, asked]).toEqual(['reserved', []]);
    const status = `GET reservations/${request_id}/reserve-status`;
    await wait(61_000);
    expect(asked).toEqual([status]);
    await wait(2 * HOUR);
    expect(asked).toEqual([status]);
    await moveTo(due - 15 * MINUTE);
    expect(asked).toEqual([status, status]);
    await moveTo(due);
    expect(asked).toEqual([status, status]);
    await moveTo(due + 5_000);
    expect(await sendOf(campaign)).toMatchObject({ state: 'accepted', gateway_status: 'DONE' });
    await wait(3_000);
    expect(asked).toEqual([status, status, status, `GET messages/${request_id}`]);
    expect(await sendOf(campaign)).toMatchObject({ state: 'sent', target_count: 1, sent_count: 1 });
  });

  it('that somebody else cancelled is seen a quarter of an hour before its due', async () => {
    const due = inThreeHours();
    const campaign = await publish({ at: at(due) });
    await quiet();
    await wait(61_000);
    await service.delete(`reservations/${(await sendOf(campaign)).request_id}`);
    await moveTo(due - 15 * MINUTE);
    expect(await sendOf(campaign)).toMatchObject({ state: 'canceled', code: 'CANCELED_ELSEWHERE' });
  });

  it('that was cancelled elsewhere before us is canceled: a cancel may be repeated', async () => {
    const campaign = await publish({ at: at(inThreeHours()) });
    await quiet();
    const { request_id } = await sendOf(campaign);
    await service.delete(`reservations/${request_id}`);
    await cancel(campaign);
    await eventually(async () => expect(await stateOf(campaign)).toBe('canceled'), PATIENT);
    expect(asked).toEqual([`DELETE reservations/${request_id}`, `DELETE reservations/${request_id}`]);
    expect(await sendOf(campaign)).toMatchObject({ state: 'canceled', code: 'CANCELED_BY_OPERATOR' });
  });

  it('that has gone out goes on to its result, although it was cancelled', async () => {
    const due = inThreeHours();
    const campaign = await publish({ at: at(due) });
    await quiet();
    // All polls before its due are over by then, so that none finds out that it has gone out before the cancel does.
    await moveTo(due - MINUTE);
    await moveTo(due);
    asked.length = 0;
    await cancel(campaign);
    await eventually(async () => expect((await sendOf(campaign)).state).toBe('accepted'), PATIENT);
    await wait(MINUTE);
    expect(await sendOf(campaign)).toMatchObject({ state: 'sent', goal: null, sent_count: 1 });
    const reservation = `reservations/${(await sendOf(campaign)).request_id}`;
    expect(asked.slice(0, 2)).toEqual([`DELETE ${reservation}`, `GET ${reservation}/reserve-status`]);
  });
});

describe('results', () => {
  it('need at most three requests at the median', async () => {
    const to = Array.from({ length: 21 }, (_, index) => `user-${index}`);
    for (const userId of to) await register(userId);
    const campaign = await publish({ now: true }, { audience: { type: 'USER', to } });
    await quiet();
    for (let step = 0; step < 6; step += 1) await wait(1_000);
    const sends = await sendsOf(campaign);
    expect(sends).toHaveLength(11);
    expect(new Set(sends.map(({ state }) => state))).toEqual(new Set(['sent']));
    const questions = sends
      .map(({ request_id }) => asked.filter((one) => one === `GET messages/${request_id}`).length)
      .toSorted((a, b) => a - b);
    expect(questions[0]).toBeGreaterThan(0);
    expect(questions[5]).toBeLessThanOrEqual(3);
  });

  it('block the whole project if one is answered 429, sends and polls alike, for as long as it says', async () => {
    const first = await publish({ now: true });
    await quiet();
    await world.stage.management.addFault({
      kind: 'error',
      error: 'throttleLimited',
      retryAfterSeconds: 2,
      operation: 'getMessage',
      serviceId: service.serviceId,
      count: 1,
    });
    const began = world.clock.now();
    await world.moveTo(began + 10_000);
    const rest = await eventually(async () => {
      const [project] = await world.scheduler.dataSource.query<{ blocked_until: Date | null }>(
        'select blocked_until from project where service_id = $1',
        [service.serviceId],
      );
      return project?.blocked_until ?? false;
    }, PATIENT);
    expect(rest).toEqual(new Date(began + 12_000));
    asked.length = 0;
    const second = await publish({ now: true });
    await world.moveTo(began + 11_999);
    expect((await sendOf(second)).state).toBe('planned');
    expect(asked).toEqual([]);
    await moveTo(began + 13_000);
    // The halved rate gives the poll its turn in real time; one that comes before the push service has finished needs another.
    await eventually(async () => {
      await wait(10_000);
      expect([(await sendOf(first)).state, (await sendOf(second)).state]).toEqual(['sent', 'sent']);
    }, PATIENT);
  });
});

// The follower with real PostgreSQL and a gateway in this process: every state that it polls, and every answer that may come.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PushAnswer } from '../../../src/scheduler/push-client/push-api.js';
import { readResult } from '../../../src/scheduler/push-client/answers/read-result.js';
import type { FollowDue } from '../../../src/scheduler/follow/follow-due.js';
import { judgeResult } from '../../../src/scheduler/follow/judge-poll.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { recordPolls } from '../../../src/scheduler/store/send/poll.store.js';
import { readPolls, type FollowedState } from '../../../src/scheduler/store/send/read-work.store.js';
import { AnswerLosingProxy } from '../../support/postgres/answer-losing-proxy.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { failure, Gateway, json, reset, type Answer } from '../../support/scheduler/gateway.js';
import { pollRoundOf } from '../../support/scheduler/read-ask.js';
import { followerOf, rigOf, type Rig } from '../../support/scheduler/rig.js';
import { START, World, type SendSeed } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let follow: FollowDue;
let cancel: FollowDue;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url });
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  rig = rigOf(world, clock);
  follow = followerOf(world, clock, rig);
  cancel = followerOf(world, clock, rig, { work: 'c', by: 'cancel' });
});
afterEach(async () => {
  await follow.stop();
  await cancel.stop();
  await rig.stop();
  await gateway.close();
});

async function poll(follower = follow): Promise<number> {
  const began = await follower.runOnce();
  await follower.idle();
  return began;
}

/** A send whose next poll is due now. */
const waiting = (state: FollowedState, seed: SendSeed = {}) => {
  const mode =
    seed.mode ?? (state === 'accepted' ? 'immediate' : state === 'scheduled' ? 'scheduled' : 'reserved');
  return world.send({
    dueAt: START - 60_000,
    ...seed,
    state,
    mode,
    columns: {
      request_id: 'r-1',
      next_at: new Date(START),
      handed_off_at: new Date(START - 120_000),
      state_at: new Date(START - 60_000),
      attempts: 1,
      ...(mode === 'scheduled' ? { schedule_code: 'WEEKLY' } : {}),
      ...(state === 'canceling' ? { goal: 'canceled', code: 'CANCELED_BY_EVENT' } : {}),
      ...seed.columns,
    },
  });
};

const status = (reserveStatus: string): Answer =>
  json(200, { reserveId: 'r-1', reserveTimeZone: 'UTC', reserveTime: '2027-03-01 00:00', reserveStatus });
const result = (
  messageStatusName: string,
  messageStatusCode: string | null,
  targetCount = 3,
  sentCount = 2,
): Answer =>
  json(200, {
    requestId: 'r-1',
    requestTime: '2027-03-01T08:59:00.000',
    statusCode: '202',
    statusName: 'success',
    messageStatusCode,
    messageStatusName,
    completeTime: messageStatusCode === null ? null : '2027-03-01T09:00:01.500',
    targetCount,
    sentCount,
  });
const confirmed: Answer = (_, response) => {
  response.writeHead(204).end();
};

describe('a reservation', () => {
  it.each([
    ['READY', 'reserved', null],
    ['PROCESSING', 'reserved', null],
    ['SOMETHING_NEW', 'reserved', null],
    ['DONE', 'accepted', null],
    ['FAIL', 'failed', 'RESERVATION_FAILED'],
    ['STALE', 'stale', 'RESERVATION_STALE'],
    ['CANCELED', 'canceled', 'CANCELED_ELSEWHERE'],
  ])('that is %s makes the send %s', async (reserveStatus, state, code) => {
    gateway.answer = status(reserveStatus);
    const send = await waiting('reserved');
    expect(await poll()).toBe(1);
    expect(await world.read(send)).toMatchObject({
      state,
      code,
      gateway_status: reserveStatus,
    });
    expect(gateway.asked).toMatchObject([
      { method: 'GET', path: '/push/v2/services/shop-app/reservations/r-1/reserve-status' },
    ]);
  });

  it('is asked again with growing gaps, and its result at once when it is done', async () => {
    gateway.next = [
      status('READY'),
      status('PROCESSING'),
      status('PROCESSING'),
      status('DONE'),
      result('success', '200'),
    ];
    const send = await waiting('reserved');
    const gaps: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await poll();
      const at = (await world.read(send)).next_at?.getTime() ?? 0;
      gaps.push(at - clock.now());
      clock.set(at);
    }
    expect(gaps).toEqual([5_000, 7_500, 11_250]);
    await poll();
    expect(await world.read(send)).toMatchObject({ state: 'accepted', next_at: new Date(clock.now()) });
    clock.advance(2_000);
    await poll();
    expect(await world.read(send)).toMatchObject({ state: 'sent', target_count: 3, sent_count: 2 });
  });

  it.each([
    ['an error', failure(503, '500')],
    ['a 404', failure(404, '300')],
    ['a reset', reset],
    ['no JSON', (_: unknown, response: { end(text: string): unknown }) => void response.end('<html>')],
  ] as const)('that answers %s is asked again', async (_, answer) => {
    gateway.answer = answer;
    const send = await waiting('reserved');
    await poll();
    const row = await world.read(send);
    expect(row).toMatchObject({ state: 'reserved', changes: 1 });
    expect(row.next_at?.getTime()).toBeGreaterThan(START);
    expect(row.detail).not.toBeNull();
  });

  it('that is not final within its window leaves the send uncertain', async () => {
    gateway.answer = status('PROCESSING');
    const send = await waiting('reserved', { dueAt: START - 86_400_000 });
    await poll();
    expect(await world.read(send)).toMatchObject({
      state: 'uncertain',
      code: 'NO_FINAL_STATUS',
      next_at: new Date(START + 60_000),
    });
  });
});

describe('a result', () => {
  it.each([
    ['success', '200', 3, 2, 'sent', null],
    ['success', '200', 0, 0, 'empty', null],
    ['fail', '500', 3, 0, 'failed', 'RESULT_FAILED'],
    ['fail', '504', 3, 0, 'failed', 'RESULT_STALE'],
    ['fail', '499', 3, 0, 'failed', 'RESULT_CANCELED'],
    ['fail', '404', 0, 0, 'empty', null],
    ['processing', null, 3, 1, 'accepted', null],
    ['pondering', null, 3, 1, 'accepted', null],
  ] as const)(
    'that says %s %s (%i targeted, %i sent) makes the send %s',
    async (name, code, target, sent, state, why) => {
      gateway.answer = result(name, code, target, sent);
      const send = await waiting('accepted');
      await poll();
      const row = await world.read(send);
      expect(row).toMatchObject({ state, code: why, target_count: target, sent_count: sent });
      // The gateway's times have no offset: 09:00:01.5 in Seoul.
      expect(row.complete_time).toEqual(code === null ? null : new Date('2027-03-01T00:00:01.500Z'));
      expect(row.gateway_status).toContain(name);
    },
  );

  it('is asked for with growing gaps until its window is over', async () => {
    gateway.answer = result('processing', null);
    const send = await waiting('accepted', { columns: { state_at: new Date(START - 86_399_000) } });
    await poll();
    const row = await world.read(send);
    expect(row.next_at).toEqual(new Date(START + 1_000));
    clock.set(START + 1_000);
    await poll();
    expect(await world.read(send)).toMatchObject({ state: 'uncertain', code: 'NO_FINAL_STATUS' });
  });

  it('is not asked for before most results of this project are final', async () => {
    gateway.answer = result('success', '200');
    for (let index = 0; index < 5; index += 1) await waiting('accepted', { columns: { polls: 9 } });
    await poll();
    // Those took a minute and nine polls: sent 09:00:01.5, accepted a minute before.
    const next = await waiting('accepted', { columns: { state_at: new Date(START) } });
    gateway.asked.length = 0;
    await poll();
    expect(gateway.asked).toEqual([]);
    expect((await world.read(next)).next_at?.getTime()).toBeGreaterThan(START + 55_000);
  });
});

describe('a standing message', () => {
  it('is asked about every hour, and its counts add up', async () => {
    gateway.answer = result('processing', null, 7, 5);
    const send = await waiting('scheduled');
    await poll();
    expect(await world.read(send)).toMatchObject({
      state: 'scheduled',
      target_count: 7,
      sent_count: 5,
      next_at: new Date(START + 3_600_000),
      changes: 1,
    });
  });

  it.each([
    ['success', '200', 7, 5, 'sent'],
    ['fail', '404', 0, 0, 'empty'],
    ['fail', '500', 7, 0, 'failed'],
    ['fail', '499', 7, 0, 'canceled'],
  ] as const)('ends as its schedule does: %s %s', async (name, code, target, sent, state) => {
    gateway.answer = result(name, code, target, sent);
    const send = await waiting('scheduled');
    await poll();
    expect((await world.read(send)).state).toBe(state);
  });

  it('is canceled at its until, with its last counts', async () => {
    const campaign = await world.campaign({
      state: 'running',
      delivery: { kind: 'schedule', scheduleCode: 'WEEKLY', until: START },
    });
    const send = await waiting('scheduled', { campaign });
    await poll();
    expect(await world.read(send)).toMatchObject({
      state: 'canceling',
      goal: 'canceled',
      code: 'UNTIL_REACHED',
    });
    gateway.next = [confirmed, result('success', '200', 9, 8)];
    await poll(cancel);
    expect(await world.read(send)).toMatchObject({
      state: 'canceled',
      code: 'UNTIL_REACHED',
      target_count: 9,
      sent_count: 8,
    });
    expect(gateway.asked[0]).toMatchObject({
      method: 'DELETE',
      path: '/push/v2/services/shop-app/schedules/WEEKLY/messages/r-1',
    });
  });
});

describe('a cancel', () => {
  it.each(['canceled', 'held', 'superseded'])('that is confirmed ends in the goal: %s', async (goal) => {
    gateway.answer = confirmed;
    const send = await waiting('canceling', { columns: { goal } });
    await poll(cancel);
    expect(await world.read(send)).toMatchObject({ state: goal, code: 'CANCELED_BY_EVENT', attempts: 2 });
    const rows = await world.dataSource.query('select * from send_attempt where send = $1 order by attempt', [
      send,
    ]);
    expect(rows).toMatchObject([
      { attempt: 1, kind: 'send', started_at: new Date(START - 120_000) },
      { attempt: 2, kind: 'cancel', http_status: 204, outcome: 'confirmed', request_sent: true },
    ]);
  });

  it('without an answer is noted once, even if the statement is made again', async () => {
    const proxy: AnswerLosingProxy<'record'> = await AnswerLosingProxy.inFrontOf(world.url, {
      nameOf: (text) => (text.includes('record_polls(') ? ('record' as const) : undefined),
      fateOf: () => (proxy.lost.has('record') ? undefined : 'lost'),
    });
    const sql = createDataSource({
      url: proxy.url,
      schema: 'scheduler',
      migrations: [],
      poolSize: 1,
      applicationName: 'spec',
    });
    await sql.initialize();
    const unanswered = followerOf(world, clock, rig, { sql, work: 'c' });
    gateway.answer = reset;
    const send = await waiting('canceling');
    await unanswered.runOnce();
    await unanswered.idle();
    expect(proxy.lost.get('record')).toBe(1);
    expect(await world.read(send)).toMatchObject({ state: 'canceling', polls: 1, attempts: 2 });
    const rows = await world.dataSource.query('select * from send_attempt where send = $1 order by attempt', [
      send,
    ]);
    expect(rows).toMatchObject([
      { attempt: 1, kind: 'send' },
      { attempt: 2, kind: 'cancel', http_status: null, outcome: 'unanswered' },
    ]);
    await unanswered.stop();
    await sql.destroy();
    await proxy.close();
  });

  it.each([
    ['CANCELED', 'canceled', 'canceled'],
    ['READY', 'canceling', 'canceled'],
    ['ODD', 'canceling', 'canceled'],
    ['PROCESSING', 'reserved', null],
    ['DONE', 'reserved', null],
    ['FAIL', 'reserved', null],
    ['STALE', 'reserved', null],
  ])('answered 400 is decided by reserve-status: %s → %s', async (reserveStatus, state, goal) => {
    gateway.next = [failure(400, '100'), status(reserveStatus)];
    const send = await waiting('canceling');
    await poll(cancel);
    expect(await world.read(send)).toMatchObject({ state, goal });
  });

  it.each([
    ['its result being final', result('fail', '499', 0, 0), 'canceled'],
    ['its result going on', result('processing', null), 'canceling'],
    ['no result', failure(500, '900'), 'canceling'],
  ] as const)('of a standing message answered 404 is decided by %s', async (_, answer, state) => {
    gateway.next = [failure(404, '300'), answer];
    const send = await waiting('canceling', { mode: 'scheduled' });
    await poll(cancel);
    expect((await world.read(send)).state).toBe(state);
  });

  it('that is not confirmed within the window of its reservation leaves the send uncertain', async () => {
    gateway.answer = failure(404, '300');
    const inTime = await waiting('canceling', { dueAt: START - 86_399_000, chunk: 1 });
    const over = await waiting('canceling', { dueAt: START - 86_400_000 });
    await poll(cancel);
    expect((await world.read(inTime)).state).toBe('canceling');
    expect(await world.read(over)).toMatchObject({
      state: 'reserved',
      code: 'CANCEL_UNCONFIRMED',
      goal: null,
      next_at: new Date(START),
    });
    await poll();
    expect(await world.read(over)).toMatchObject({ state: 'uncertain', code: 'NO_FINAL_STATUS' });
  });

  it('without an answer is made again, until there is one', async () => {
    gateway.next = [reset, failure(500, '900'), failure(401, '210'), confirmed];
    const send = await waiting('canceling');
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await poll(cancel);
      const row = await world.read(send);
      expect(row).toMatchObject({ state: 'canceling', code: 'CANCELED_BY_EVENT' });
      waits.push((row.next_at?.getTime() ?? 0) - clock.now());
      clock.set(row.next_at?.getTime() ?? 0);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000]);
    await poll(cancel);
    expect(await world.read(send)).toMatchObject({ state: 'canceled', attempts: 5 });
  });

  it('that comes while a poll is in flight wins over the answer to the poll', async () => {
    const campaign = await world.campaign({ state: 'running' });
    const send = await waiting('reserved', { campaign });
    gateway.next = [
      async (asked, response) => {
        await world.dataSource.transaction((sql) =>
          askAct(sql, {
            act: 'cancel',
            campaign,
            now: new Date(START),
            by: 'spec',
            code: 'CANCELED_BY_OPERATOR',
          }),
        );
        await world.takeBack();
        await status('DONE')(asked, response);
      },
      failure(400, '100'),
      status('DONE'),
      status('DONE'),
    ];
    await poll();
    expect((await world.read(send)).state).toBe('canceling');
    await poll(cancel);
    expect((await world.read(send)).state).toBe('reserved');
    await poll();
    expect((await world.read(send)).state).toBe('accepted');
  });
});

describe('polls in flight', () => {
  it('are not made twice at the same time', async () => {
    let release = (): void => undefined;
    gateway.answer = (asked, response) => {
      release = () => void status('DONE')(asked, response);
    };
    await waiting('reserved');
    expect(await follow.runOnce()).toBe(1);
    expect(await follow.runOnce()).toBe(0);
    await eventually(() => expect(gateway.asked).toHaveLength(1));
    release();
    await follow.idle();
  });

  it('are bounded for each project, and every project has some', async () => {
    await world.project({ service_id: 'other', base_url: gateway.url });
    await world.dataSource.query('update project set rate_per_second = 10000, in_flight = 32');
    const held: (() => void)[] = [];
    gateway.answer = (asked, response) => void held.push(() => void status('READY')(asked, response));
    for (let index = 0; index < 40; index += 1) await waiting('reserved');
    await waiting('reserved', { serviceId: 'other' });
    expect(await follow.runOnce()).toBe(41);
    await eventually(() => expect(held).toHaveLength(33));
    for (const release of held.splice(0)) release();
    await eventually(() => expect(held).toHaveLength(8));
    expect(gateway.asked.length).toBe(41);
    for (const release of held) release();
    await follow.idle();
  });

  it('are not made again before their answers are written', async () => {
    gateway.answer = result('success', '200');
    const send = await waiting('accepted');
    let readAgain = -1;
    await world.dataSource.transaction(async (sql) => {
      await sql.query('select from send where id = $1 for update', [send]);
      expect(await follow.runOnce()).toBe(1);
      // Its answer waits for the row's lock.
      await untilLockAwaited((text) => world.dataSource.query(text), { like: '%record_polls%' });
      readAgain = await follow.runOnce();
    });
    await follow.idle();
    expect(readAgain).toBe(0);
    expect(gateway.asked).toHaveLength(1);
    expect(await world.read(send)).toMatchObject({ state: 'sent', changes: 2 });
  });

  it('that cannot be made because of a fault on our side are reported, and tried with growing gaps', async () => {
    const send = await waiting('accepted', { columns: { request_id: null } });
    for (const gapMs of [30_000, 60_000]) {
      expect(await poll()).toBe(1);
      const row = await world.read(send);
      expect(row).toMatchObject({ state: 'accepted', next_at: new Date(clock.now() + gapMs) });
      expect(row.detail).toBe('the last poll could not be made; it will be made again');
      clock.advance(gapMs);
    }
    expect(gateway.asked).toEqual([]);
  });
});

describe('answers', () => {
  it('are written by keys, and history is joined by hashes: never every send with every other', async () => {
    const send = await waiting('accepted');
    await world.copies(send, 60);
    const facts = { now: START, learnedGapMs: 0, windowMs: 1, instantOf: () => START };
    const final: PushAnswer = {
      kind: 'answered',
      status: 200,
      body: '{"messageStatusName":"success","targetCount":1,"sentCount":1}',
    };
    const plans = await world.plansOf(async (sql) => {
      const polls = await readPolls(sql, { ...pollRoundOf({ room: 100 }), work: 'p' });
      expect(polls).toHaveLength(61);
      const rows = polls.map((one) => judgeResult(one, readResult(final), facts));
      expect(await recordPolls(sql, rows, 'spec')).toBe(61);
    });
    const history = plans.find((plan) => plan.includes('insert into send_note'));
    expect(history).toMatch(/Hash Join/);
    expect(history).not.toMatch(/Nested Loop/);
    const update = plans.find((plan) => plan.includes('update send s set'));
    expect(update).toMatch(/Index Scan using send_\w*pkey/);
    expect(plans.find((plan) => plan.includes('room as materialized'))).toMatch(/Index Scan using send_work/);
  });
});

// Results of uncertain sends whose requestId is known, with a real database and a gateway in this process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { FollowDue } from '../../../src/scheduler/follow/follow-due.js';
import { resolveUncertain } from '../../../src/scheduler/store/send/resolve.store.js';
import { failure, Gateway, json } from '../../support/scheduler/gateway.js';
import { followerOf, rigOf, type Rig } from '../../support/scheduler/rig.js';
import { START, World, type SendSeed } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let follow: FollowDue;

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
  follow = followerOf(world, clock, rig, { work: 'u', by: 'follow-uncertain' });
});
afterEach(async () => {
  await follow.stop();
  await rig.stop();
  await gateway.close();
});

/** How many it asked about. */
async function ask(): Promise<number> {
  const polls = await follow.runOnce();
  await follow.idle();
  return polls;
}

const MINUTE = 60_000;
const uncertain = (columns: SendSeed['columns'] = {}, seed: SendSeed = {}) =>
  world.send({
    ...seed,
    state: 'uncertain',
    columns: {
      code: 'UNEXPECTED_ANSWER',
      detail: 'asked for success, answered reserved',
      request_id: 'r-1',
      state_at: new Date(START - MINUTE),
      ...columns,
    },
  });
const result = (messageStatusName: string, messageStatusCode: string | null, target = 3, sent = 2) =>
  json(200, {
    statusCode: '202',
    statusName: 'success',
    messageStatusCode,
    messageStatusName,
    completeTime: messageStatusCode === null ? null : '2027-03-01T09:00:01.500',
    targetCount: target,
    sentCount: sent,
  });

describe('an uncertain send whose requestId is known', () => {
  it.each([
    ['success', '200', 3, 2, 'sent', null],
    ['fail', '404', 0, 0, 'empty', null],
    ['fail', '500', 3, 0, 'failed', 'RESULT_FAILED'],
    ['fail', '499', 0, 0, 'failed', 'RESULT_CANCELED'],
  ] as const)(
    'whose result is %s %s (%i targeted, %i sent) is %s',
    async (name, code, target, sent, state, why) => {
      gateway.answer = result(name, code, target, sent);
      const send = await uncertain();
      expect(await ask()).toBe(1);
      expect(gateway.asked).toMatchObject([
        { method: 'GET', path: '/push/v2/services/shop-app/messages/r-1' },
      ]);
      expect(await world.read(send)).toMatchObject({
        state,
        code: why,
        target_count: target,
        sent_count: sent,
        complete_time: new Date('2027-03-01T00:00:01.500Z'),
        next_at: null,
      });
      expect(await ask()).toBe(0);
    },
  );

  it.each([
    ['is not final', result('processing', null)],
    ['cannot be read', failure(404, '300')],
  ])('whose result %s stays as it is, and is asked about with growing gaps', async (_, answer) => {
    gateway.answer = answer;
    const send = await uncertain();
    const waits: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      expect(await ask()).toBe(1);
      const row = await world.read(send);
      expect(row).toMatchObject({
        state: 'uncertain',
        code: 'UNEXPECTED_ANSWER',
        detail: 'asked for success, answered reserved',
      });
      waits.push(((row.next_at?.getTime() ?? 0) - clock.now()) / MINUTE);
      clock.advance((waits.at(-1) ?? 0) * MINUTE - 1);
      expect(await ask()).toBe(0);
      clock.advance(1);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('is not asked about within a minute, after a week, without a requestId, nor while its project is blocked', async () => {
    await uncertain({ state_at: new Date(START - MINUTE + 1), next_at: new Date(START + 1) }, { chunk: 1 });
    const old = await uncertain({ state_at: new Date(START - 7 * 1_440 * MINUTE) }, { chunk: 2 });
    await uncertain({ request_id: null }, { chunk: 3 });
    gateway.next = [result('processing', null)];
    expect(await ask()).toBe(1);
    expect(await world.read(old)).toMatchObject({ state: 'uncertain', next_at: null });
    expect(await ask()).toBe(0);
    await uncertain({}, { chunk: 4 });
    await world.dataSource.query(`update project set blocked_until = 'infinity', blocked_code = 'BAD_KEY'`);
    expect(await ask()).toBe(0);
    await world.dataSource.query('update project set blocked_until = null, blocked_code = null');
    gateway.answer = result('success', '200');
    expect(await ask()).toBe(1);
  });

  it('that an operator resolves meanwhile stays as the operator said', async () => {
    const send = await uncertain();
    const word = {
      send,
      state: 'failed',
      code: 'CONFIRMED_NOT_SENT',
      detail: null,
      now: START,
      by: 'ops',
    } as const;
    gateway.next = [
      async (asked, response) => {
        await resolveUncertain(world.dataSource, word);
        await result('success', '200')(asked, response);
      },
    ];
    await ask();
    expect(await world.read(send)).toMatchObject({ state: 'failed', code: 'CONFIRMED_NOT_SENT' });
    expect(await world.path(send)).toEqual(['uncertain>failed']);
  });
});

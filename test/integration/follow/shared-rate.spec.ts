// One rate for due sends and for polls: how many tokens each gets, as the database counts, and how often the gateway is called.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { takeTokens, type TokenUse } from '../../../src/scheduler/push-client/rate/pace.store.js';
import { eventually } from '../../support/eventually.js';
import { Gateway, json, take } from '../../support/scheduler/gateway.js';
import { followerOf, rigOf } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(() => world.clear());

/** Tokens that are given in this many seconds, asked for ten times a second; other real time that passed counts too. */
async function given(
  seconds: number,
  uses: readonly TokenUse[],
  wanted = 100,
): Promise<Record<TokenUse, number> & { passed: number }> {
  const got = { sends: 0, polls: 0, spare: 0 };
  const began = performance.now();
  for (let step = 0; step < seconds * 10; step += 1) {
    await world.dataSource.query(
      `update project_pace set at = at - $1::interval, pressed_until = pressed_until - $1::interval,
              polls_pressed_until = polls_pressed_until - $1::interval, polled_at = polled_at - $1::interval`,
      ['100 ms'],
    );
    for (const use of uses) {
      const [grant] = await takeTokens(world.dataSource, [{ serviceId: SERVICE, wanted }], use);
      got[use] += grant?.granted ?? 0;
    }
  }
  return { ...got, passed: seconds + (performance.now() - began) / 1_000 };
}

describe('the rate of a project', () => {
  it('goes to due sends while they lack tokens, except one call in eight; and to polls once sends do not', async () => {
    await world.project({ rate_per_second: 100 });
    await takeTokens(world.dataSource, [{ serviceId: SERVICE, wanted: 100 }]);
    const pressed = await given(10, ['polls', 'sends']);
    const all = pressed.passed * 100;
    expect(pressed.polls).toBeGreaterThanOrEqual(10 * (100 / 8) - 1);
    expect(pressed.polls).toBeLessThanOrEqual(all / 8 + 4);
    expect(pressed.sends).toBeGreaterThanOrEqual(10 * 100 - pressed.polls - 3);
    expect(pressed.sends + pressed.polls).toBeLessThanOrEqual(all + 4);
    const free = await given(5, ['polls']);
    // Sends count as lacking tokens for one second more; then polls get all, except what they leave in the bucket.
    expect(free.polls).toBeGreaterThanOrEqual(4 * 100 - 14);
    expect(free.polls).toBeLessThanOrEqual(free.passed * 100 + 14);
  });

  it('leaves polls their eighth if sends want all of it and lack few tokens', async () => {
    await world.project({ rate_per_second: 100 });
    await takeTokens(world.dataSource, [{ serviceId: SERVICE, wanted: 100 }]);
    const both = await given(5, ['sends', 'polls'], 12);
    expect(both.polls).toBeGreaterThanOrEqual(5 * (100 / 8) - 1);
  });
});

describe('a call that can wait for any time', () => {
  beforeEach(async () => {
    await world.project({ rate_per_second: 100 });
    await takeTokens(world.dataSource, [{ serviceId: SERVICE, wanted: 100 }]);
  });

  it.each([
    ['sends', ['spare', 'sends']],
    ['polls', ['spare', 'polls']],
    ['either', ['spare', 'polls', 'sends']],
  ] as const)('is given nothing while %s lack tokens', async (_, uses) => {
    // Before they have asked.
    await given(1, uses);
    expect((await given(5, uses)).spare).toBe(0);
  });

  it('gets tokens that neither wants', async () => {
    // Sends lacked some tokens at first.
    await given(3, []);
    const { spare, polls, sends } = await given(5, ['sends', 'polls', 'spare'], 2);
    for (const few of [sends, polls, spare]) expect(few).toBeGreaterThanOrEqual(95);
    // It asks for more than there is, and nobody else lacks a token because of that.
    const greedy = await given(3, ['spare'], 500);
    // A quarter of the bucket, ten times a second.
    expect(greedy.spare).toBeGreaterThanOrEqual(3 * 10 * 6);
    expect((await given(1, ['polls'], 5)).polls).toBeGreaterThanOrEqual(40);
  });
});

describe('a project that is blocked for an hour by an answer', () => {
  it('is called again seconds after an operator started it, also by the process that got the answer', async () => {
    await world.project();
    const clock = new SteppedClock(START);
    const rig = rigOf(world, clock, { turns: { longestMs: 2_000, briefMs: 1 } });
    const { calls, projects } = rig;
    const body = '{"error":{"errorCode":"410","message":"Throttle Limited"}}';
    void calls.blocks.answered(SERVICE, { kind: 'answered', status: 429, body, retryAfterMs: 3_600_000 });
    expect(await calls.turn(SERVICE, 'check')).toMatchObject({ kind: 'blocked' });
    const blocked = async () => {
      const [row] = await world.dataSource.query<{ blocked: boolean }>(
        'select blocked_until is not null as blocked from project',
      );
      return row?.blocked;
    };
    await eventually(async () => expect(await blocked()).toBe(true));
    await world.dataSource.query('update project set blocked_until = null, blocked_code = null');
    projects.forget();
    clock.advance(5_000);
    expect(await calls.turn(SERVICE, 'poll')).toBeUndefined();
    await rig.stop();
  });
});

describe('dispatcher and follower', () => {
  it('together call a gateway no more often than its project’s rate, and both finish', async () => {
    const [rate, polls, sends] = [20, 50, 8];
    const gateway = await Gateway.open();
    gateway.answer = (asked, response) =>
      asked.method === 'POST'
        ? take(asked, response)
        : json(200, { messageStatusName: 'success', targetCount: 1, sentCount: 1 })(asked, response);
    await world.project({ base_url: gateway.url, rate_per_second: rate });
    const clock = new SteppedClock(START);
    gateway.skewMs = START - Date.now();
    const rig = rigOf(world, clock);
    const follow = followerOf(world, clock, rig, { work: 'p' });
    const looked = await world.send({
      state: 'accepted',
      columns: { request_id: 'r-1', next_at: new Date(START), state_at: new Date(START - 60_000) },
    });
    await world.copies(looked, polls - 1);
    await world.copies(await world.send(), sends - 1);
    const began = performance.now();
    await eventually(
      async () => {
        await Promise.all([rig.dispatch.runOnce(), follow.runOnce()]);
        expect(gateway.asked).toHaveLength(polls + sends);
      },
      { withinMs: 90_000 },
    );
    // The bucket has tokens for a quarter of a second, and each of the two may hold as many.
    const tooSoon = gateway.asked.filter(
      ({ at }, index) => index + 1 > 3 * (rate / 4) + 1 + ((at - began) / 1_000) * rate,
    );
    expect(tooSoon).toEqual([]);
    expect(gateway.posts).toHaveLength(sends);
    await follow.stop();
    await rig.stop();
    await gateway.close();
  });
});

// Two followers on one database, like those of two replicas: nobody claims a poll, and if both ask about the same send, the first to
// write wins.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { RunLoop } from '../../../src/platform/loops/run-loop.js';
import type { FollowDue, FollowDeps } from '../../../src/scheduler/follow/follow-due.js';
import { NOTHING_SEEN } from '../../../src/scheduler/follow/judge-poll.js';
import { recordPolls, type PollRow } from '../../../src/scheduler/store/send/poll.store.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway, json, type Answer } from '../../support/scheduler/gateway.js';
import { followerOf, rigOf, type Rig } from '../../support/scheduler/rig.js';
import { START, World } from '../../support/scheduler/world.js';

const NEVER_MS = 3_600_000;
const HALVES = [
  { index: 0, of: 2 },
  { index: 1, of: 2 },
] as const;

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rigs: Rig[];
let follows: FollowDue[];
let loops: RunLoop[];
let held: (() => void)[];

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.answer = sent;
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url, rate_per_second: 100_000, in_flight: 64 });
  [rigs, follows, loops, held] = [[], [], [], []];
});
afterEach(async () => {
  release();
  gateway.answer = sent;
  for (const loop of loops) await loop.stop();
  for (const follow of follows) await follow.stop();
  for (const rig of rigs) await rig.stop();
  await gateway.close();
});

const sent = json(200, {
  messageStatusName: 'success',
  messageStatusCode: '200',
  targetCount: 1,
  sentCount: 1,
});
const confirmed: Answer = (_, response) => void response.writeHead(204).end();
const hold: Answer = (asked, response) =>
  void held.push(() => void (asked.method === 'DELETE' ? confirmed : sent)(asked, response));

function release(): void {
  for (const answer of held.splice(0)) answer();
}

/** A follower with a process's own parts. */
function follower(more: Partial<FollowDeps> = {}): FollowDue {
  const rig = rigOf(world, clock);
  const follow = followerOf(world, clock, rig, more);
  rigs.push(rig);
  follows.push(follow);
  return follow;
}

/** A follower in a loop without a timer. */
function running(more: Partial<FollowDeps>): void {
  const follow = follower({ work: 'p', wake: () => loop.wake(), ...more });
  const runOnce = (): Promise<number> => follow.runOnce().then(() => 0);
  const loop = new RunLoop({ name: 'follow', runOnce, idleMs: NEVER_MS, log: pino({ level: 'silent' }) });
  loops.push(loop);
  loop.start();
}

/** Sends that were accepted long ago, so that no learned gap delays their polls. */
async function accepted(count: number, at = START): Promise<void> {
  const columns = { request_id: 'r', next_at: new Date(at), state_at: new Date(START - 3_600_000) };
  const one = await world.send({ state: 'accepted', columns });
  await world.copies(one, count - 1);
}

const canceling = (): Promise<string> =>
  world.send({
    state: 'canceling',
    mode: 'reserved',
    columns: { request_id: 'r-1', goal: 'held', attempts: 1 },
  });

const states = (): Promise<{ state: string; changes: number; n: number }[]> =>
  world.dataSource.query('select state, changes, count(*)::int as n from send group by 1, 2 order by 1, 2');
const attempts = (send: string) =>
  world.dataSource.query('select attempt, kind, outcome from send_attempt where send = $1 order by attempt', [
    send,
  ]);

async function inHalf(index: number): Promise<number> {
  const [row] = await world.dataSource.query<{ n: number }>(
    'select count(*)::int as n from send where (uuid_hash(id) & 2147483647) % 2 = $1',
    [index],
  );
  return row?.n ?? -1;
}

const cancelRow = (id: string): PollRow => ({
  ...NOTHING_SEEN,
  id,
  changes: 1,
  pollsBefore: 0,
  from: 'canceling',
  to: 'goal',
  code: null,
  detail: null,
  at: START + 5,
  nextAt: null,
  polls: 0,
  call: {
    startedAt: START,
    requestSent: true,
    httpStatus: 204,
    errorCode: null,
    answer: null,
    outcome: 'confirmed',
  },
});

describe('two followers', () => {
  it('each ask about their own slice, and record every result once', async () => {
    await accepted(300);
    for (const half of HALVES) running({ slice: () => half });
    await eventually(async () => expect(await states()).toEqual([{ state: 'sent', changes: 2, n: 300 }]));
    expect(gateway.asked).toHaveLength(300);
  });

  it('may ask about the same send, and the first to write wins', async () => {
    await accepted(40);
    gateway.answer = hold;
    for (const follow of [follower(), follower()]) expect(await follow.runOnce()).toBe(40);
    await eventually(() => expect(held).toHaveLength(80));
    release();
    for (const follow of follows) await follow.idle();
    expect(await states()).toEqual([{ state: 'sent', changes: 2, n: 40 }]);
    const changes = await world.dataSource.query("select from send_history where to_state = 'sent'");
    expect(changes).toHaveLength(40);
  });

  it('need no lease: polls that a dead one had in flight are made by the other at once', async () => {
    await accepted(40);
    gateway.answer = hold;
    const [dead, living] = [follower(), follower()];
    await dead.runOnce();
    await eventually(() => expect(held).toHaveLength(40));
    gateway.answer = sent;
    expect(await living.runOnce()).toBe(40);
    await living.idle();
    expect(await states()).toEqual([{ state: 'sent', changes: 2, n: 40 }]);
  });

  it('leave no slice out: polls that are a second late are made by any follower, without a timer', async () => {
    await accepted(40);
    const own = await inHalf(0);
    let wakes = 0;
    const follow = follower({ work: 'p', slice: () => HALVES[0], wake: () => (wakes += 1) });
    expect(await follow.runOnce()).toBe(own);
    await follow.idle();
    await eventually(() => expect(wakes).toBe(1));
    clock.advance(999);
    expect(await follow.runOnce()).toBe(0);
    clock.advance(1);
    await eventually(() => expect(wakes).toBe(2));
    expect(await follow.runOnce()).toBe(40 - own);
    await follow.idle();
    expect(await states()).toEqual([{ state: 'sent', changes: 2, n: 40 }]);
  });

  it('take no more of the other’s slice than their own leaves room for', async () => {
    await accepted(60, START - 5_000);
    gateway.answer = hold;
    // The larger half: all of it is within twice the room, which is what a read looks at.
    const [first, second] = [await inHalf(0), await inHalf(1)];
    const [half, own] = first > second ? ([0, first] as const) : ([1, second] as const);
    await follower({ slice: () => HALVES[half], room: own + 3 }).runOnce();
    await eventually(() => expect(held).toHaveLength(own + 3));
    release();
    await follows[0]?.idle();
    const [row] = await world.dataSource.query<{ n: number }>(
      "select count(*)::int as n from send where state = 'sent' and (uuid_hash(id) & 2147483647) % 2 = $1",
      [half],
    );
    expect(row?.n).toBe(own);
  });
});

describe('a cancel', () => {
  const confirmedAs = (attempt: number) => ({ attempt, kind: 'cancel', outcome: 'confirmed' });

  it('that two made is confirmed once, and both calls are noted', async () => {
    const send = await canceling();
    gateway.answer = hold;
    for (const calls of [1, 2]) {
      expect(await follower({ work: 'c' }).runOnce()).toBe(1);
      await eventually(() => expect(held).toHaveLength(calls));
      clock.advance(1);
    }
    release();
    for (const follow of follows) await follow.idle();
    expect(await world.read(send)).toMatchObject({ state: 'held', changes: 2, attempts: 3 });
    expect(await attempts(send)).toEqual([confirmedAs(2), confirmedAs(3)]);
    expect(await world.path(send)).toEqual(['canceling>held']);
  });

  it.each([
    ['was held', 'held', 2, [confirmedAs(2)]],
    ['is to be sent again', 'planned', 1, []],
    ['is in flight', 'sending', 1, []],
    ['may be repeated', 'uncertain', 1, []],
  ] as const)(
    'whose send %s meanwhile never takes the number of an attempt that fires',
    async (_, state, count, noted) => {
      const send = await world.send({ state, columns: { changes: 5, attempts: 1 } });
      const row = cancelRow(send);
      // Twice, as if the first answer was lost.
      for (const written of [0, 0]) expect(await recordPolls(world.dataSource, [row], 'spec')).toBe(written);
      expect(await world.read(send)).toMatchObject({ state, changes: 5, attempts: count });
      expect(await attempts(send)).toEqual(noted);
    },
  );

  it('that two made without an answer is made again by one of them', async () => {
    const send = await canceling();
    const refuse = failure(500, '900');
    gateway.answer = (asked, response) => void held.push(() => void refuse(asked, response));
    for (const follow of [follower({ work: 'c' }), follower({ work: 'c' })])
      expect(await follow.runOnce()).toBe(1);
    await eventually(() => expect(held).toHaveLength(2));
    release();
    for (const follow of follows) await follow.idle();
    expect(gateway.asked).toHaveLength(2);
    expect(await world.read(send)).toMatchObject({ state: 'canceling', polls: 1 });
    gateway.answer = confirmed;
    clock.advance(2_000);
    for (const follow of follows) {
      await follow.runOnce();
      await follow.idle();
    }
    expect(gateway.asked).toHaveLength(3);
    expect(await world.read(send)).toMatchObject({ state: 'held' });
  });
});

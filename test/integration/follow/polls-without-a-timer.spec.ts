// A follower in a loop without a timer: it makes all due polls, because it wakes its loop by itself.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { RunLoop } from '../../../src/platform/loops/run-loop.js';
import type { FollowDue, FollowDeps } from '../../../src/scheduler/follow/follow-due.js';
import { eventually } from '../../support/eventually.js';
import { Gateway, json, take, type Answer, type Asked } from '../../support/scheduler/gateway.js';
import { followerOf, rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

/** Longer than any test: without a wake there is no further round. */
const NEVER_MS = 3_600_000;

/** Notes the instants for which it was asked to wait. */
class WatchedClock extends SteppedClock {
  readonly waits: number[] = [];

  override at(at: number, fire: () => void): () => void {
    this.waits.push(at);
    return super.at(at, fire);
  }
}

let world: World;
let gateway: Gateway;
let clock: WatchedClock;
let rig: Rig;
let follow: FollowDue;
let loop: RunLoop;
let held: (() => void)[];
let rounds: number;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.answer = sent;
  clock = new WatchedClock(START);
  gateway.skewMs = START - Date.now();
  rig = rigOf(world, clock);
  held = [];
  rounds = 0;
});
afterEach(async () => {
  release();
  gateway.answer = sent;
  await loop.stop();
  await follow.stop();
  await rig.stop();
  await gateway.close();
});

const sent: Answer = json(200, {
  messageStatusName: 'success',
  messageStatusCode: '200',
  targetCount: 1,
  sentCount: 1,
});
const hold: Answer = (asked, response) =>
  void held.push(() => void (asked.method === 'POST' ? take : sent)(asked, response));

function release(): void {
  for (const answer of held.splice(0)) answer();
}

function begin(more: Partial<FollowDeps> = {}): void {
  follow = followerOf(world, clock, rig, { work: 'p', wake: () => loop.wake(), ...more });
  loop = new RunLoop({
    name: 'follow',
    // As in production: the follower wakes the loop itself.
    runOnce: async () => {
      await follow.runOnce();
      rounds += 1;
      return 0;
    },
    idleMs: NEVER_MS,
    log: pino({ level: 'silent' }),
  });
  loop.start();
}

/** Sends that were accepted long ago, so that no learned gap delays them, with a poll at `at`. */
async function accepted(count: number, serviceId = SERVICE, at = START): Promise<void> {
  const columns = { request_id: 'r', next_at: new Date(at), state_at: new Date(START - 3_600_000) };
  const one = await world.send({ state: 'accepted', serviceId, columns });
  if (count > 1) await world.copies(one, count - 1);
}

async function project(serviceId = SERVICE, inFlight = 64): Promise<void> {
  const settings = { rate_per_second: 100_000, in_flight: inFlight };
  await world.project({ service_id: serviceId, base_url: gateway.url, ...settings });
}

async function waiting(): Promise<number> {
  const [row] = await world.dataSource.query<{ count: number }>(
    "select count(*)::int as count from send where state = 'accepted'",
  );
  return row?.count ?? -1;
}

const of = (asked: readonly Asked[], serviceId: string): number =>
  asked.filter(({ path }) => path.includes(`/services/${serviceId}/`)).length;

describe('without a timer', () => {
  it('all results of a project are asked for, even if a round came while it had no room', async () => {
    await project(SERVICE, 32);
    await accepted(1_100);
    gateway.answer = hold;
    begin({ batch: 500 });
    await eventually(() => expect(held).toHaveLength(32));
    const before = rounds;
    loop.wake();
    await eventually(() => expect(rounds).toBeGreaterThan(before));
    gateway.answer = sent;
    release();
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(gateway.asked).toHaveLength(1_100);
  });

  it('polls that came due while their project had no room are made', async () => {
    await project(SERVICE, 16);
    await accepted(300);
    gateway.answer = hold;
    begin({ batch: 500 });
    // The second finds nothing more.
    await eventually(() => expect([held.length, rounds]).toEqual([16, 2]));
    await accepted(200);
    loop.wake();
    await eventually(() => expect(rounds).toBe(3));
    gateway.answer = sent;
    release();
    await eventually(async () => expect(await waiting()).toBe(0));
  });

  it('all results of eight projects are', async () => {
    const services = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
    for (const service of services) {
      await project(service);
      await accepted(60, service);
    }
    begin({ batch: 50 });
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(services.map((service) => of(gateway.asked, service))).toEqual(services.map(() => 60));
  });

  it('those of one project are while another’s gateway answers nothing', async () => {
    await project('slow');
    await project();
    await accepted(600, 'slow');
    await accepted(300);
    gateway.answer = (asked, response) =>
      asked.path.includes('/services/slow/') ? hold(asked, response) : sent(asked, response);
    begin({ batch: 100 });
    await eventually(() => expect(of(gateway.asked, SERVICE)).toBe(300));
    expect(of(gateway.asked, 'slow')).toBe(64);
  });

  it('polls that come due later are made then, and results that are not final are asked for again', async () => {
    await project();
    await accepted(3, SERVICE, START + 40_000);
    gateway.next = [json(200, { messageStatusName: 'processing', targetCount: 1, sentCount: 0 })];
    begin();
    await eventually(() => expect(clock.waits).toEqual([START + 40_000]));
    clock.advance(39_999);
    expect(gateway.asked).toEqual([]);
    clock.advance(1);
    await eventually(async () => expect(await waiting()).toBe(1));
    expect(gateway.asked).toHaveLength(3);
    await eventually(() => expect(clock.waits).toContain(START + 41_000));
    clock.advance(1_000);
    await eventually(async () => expect(await waiting()).toBe(0));
  });
});

describe('a project whose rate leaves no turn', () => {
  it('is read again no faster than turns are waited for, and delays nobody else', async () => {
    const turnMs = 100;
    await rig.stop();
    rig = rigOf(world, clock, { turns: { longestMs: turnMs, briefMs: turnMs } });
    await project('poor');
    await project();
    await world.dataSource.query("update project set rate_per_second = 1 where service_id = 'poor'");
    await world.insert('project_pace', {
      service_id: 'poor',
      rate: 1,
      tokens: -10_000,
      at: new Date(),
      polled_at: new Date(Date.now() + 3_600_000),
    });
    await accepted(600, 'poor');
    await accepted(300);
    begin({ batch: 100 });
    await eventually(() => expect(of(gateway.asked, SERVICE)).toBe(300));
    await eventually(async () => expect(await waiting()).toBe(600));
    const [began, before] = [performance.now(), rounds];
    await eventually(() => expect(rounds).toBeGreaterThanOrEqual(before + 8));
    // Two rounds a turn: one after polls have left, and one for what came due meanwhile.
    expect(performance.now() - began).toBeGreaterThan(3 * turnMs);
    expect(of(gateway.asked, 'poor')).toBe(0);
  });
});

describe('at once', () => {
  it('as many polls of a project are in flight as it allows, and the next begins as soon as one has ended', async () => {
    await project(SERVICE, 40);
    await accepted(50);
    gateway.answer = hold;
    begin();
    await eventually(() => expect(held).toHaveLength(40));
    held.shift()?.();
    await eventually(() => expect(gateway.asked).toHaveLength(41));
    release();
    await eventually(() => expect(gateway.asked).toHaveLength(50));
  });

  it('an eighth of its places is reserved for polls, and they may use places that sends leave', async () => {
    await project(SERVICE, 16);
    await world.copies(await world.send({ dueAt: START }), 39);
    await accepted(40);
    gateway.answer = hold;
    const [sends, polls] = [() => gateway.posts.length, () => gateway.asked.length - gateway.posts.length];
    begin();
    await eventually(() => expect(polls()).toBe(16));
    // A due send waits for no poll, except those in reserved places.
    await rig.dispatch.runOnce();
    await eventually(() => expect(sends()).toBe(14));
    for (const answer of held.splice(0, 16)) answer();
    await eventually(() => expect(polls()).toBe(18));
    gateway.answer = (asked, response) => (asked.method === 'POST' ? take : hold)(asked, response);
    for (const answer of held.splice(0)) answer();
    await eventually(() => expect(sends()).toBe(40));
    await eventually(() => expect(polls()).toBe(20 + 14));
  });
});

// kill −9 of a real dispatcher between `fire` and the answer: no send leaves twice, none is lost, and a send whose fate is unknown is
// uncertain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { Dispatcher } from '../../../support/scheduler/dispatcher.js';
import { Gateway, take } from '../../../support/scheduler/gateway.js';
import { World } from '../../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let running: Dispatcher[];

beforeEach(async () => {
  world = await World.open();
  gateway = await Gateway.open();
  running = [];
});
afterEach(async () => {
  for (const dispatcher of running) await dispatcher.kill();
  await gateway.close();
  await world.close();
});

async function start(follows = false): Promise<Dispatcher> {
  const dispatcher = await Dispatcher.start({
    url: world.url,
    masterKey: world.masterKey,
    by: `dispatcher ${running.length + 1}`,
    aheadMs: 60_000,
    timeoutMs: 50_000,
    follows,
  });
  running.push(dispatcher);
  return dispatcher;
}

/** Has the others take it for dead without the wait. */
async function kill(dispatcher: Dispatcher): Promise<void> {
  await dispatcher.kill();
  await world.isGone(dispatcher.by);
}

async function states(): Promise<Record<string, number>> {
  const rows = await world.dataSource.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from send group by state order by state',
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.n]));
}

describe('a dispatcher that is killed', () => {
  it('leaves its sends in flight uncertain, and all others to the next dispatcher, once', async () => {
    await world.project({ base_url: gateway.url, in_flight: 6, rate_per_second: 1_000 });
    const campaign = await world.campaign({ target: { type: 'USER' } });
    const all = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    for (const [chunk, user] of all.entries()) {
      await world.send({ campaign, chunk, recipients: [user], dueAt: Date.now() });
    }
    gateway.next = [take, take, take, take];
    gateway.answer = () => undefined;
    const first = await start();
    await eventually(() => expect(gateway.posts).toHaveLength(10));
    await eventually(async () => expect(await states()).toMatchObject({ accepted: 4, sending: 6 }));
    await kill(first);
    gateway.answer = take;

    await start();
    await eventually(async () => expect(await states()).toEqual({ accepted: 24, uncertain: 6 }));
    const users = gateway.posts.flatMap(
      (asked) => (JSON.parse(asked.body) as { target: { to: string[] } }).target.to,
    );
    expect(users.toSorted()).toEqual(all.toSorted());
    const uncertain = await world.dataSource.query(
      `select distinct s.code, s.attempts, a.ended_at, a.outcome from send s join send_attempt a on a.send = s.id where s.state = 'uncertain'`,
    );
    expect(uncertain).toEqual([{ code: 'LOST_ANSWER', attempts: 1, ended_at: null, outcome: null }]);
  }, 180_000);

  it('leaves sends that it had only looked ahead to for another to send at once, but not those that it had fired', async () => {
    await world.project({ base_url: gateway.url });
    gateway.answer = () => undefined;
    const [first, second] = [await start(), await start()];
    const dueAt = Date.now() + 8_000;
    // Enough for some to be in each slice.
    const campaign = await world.campaign();
    const sends = await Promise.all(
      Array.from({ length: 12 }, (_, chunk) => world.send({ campaign, chunk, dueAt })),
    );
    // The process that fires this send has looked ahead to those of its slice.
    const fired = await world.send({ dueAt: Date.now() });
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    const { state_by: owner } = await world.read(fired);
    const victim = [first, second].find(({ by }) => by === owner);
    // Nobody learns that it is dead.
    await victim?.kill();
    gateway.answer = take;
    await eventually(async () => expect(await states()).toEqual({ accepted: 12, sending: 1 }));
    expect(gateway.posts).toHaveLength(13);
    for (const send of sends) {
      const { handed_off_at: at } = await world.read(send);
      expect((at?.getTime() ?? 0) - dueAt).toBeLessThan(10_000);
      expect(await world.path(send)).toEqual(['planned>sending', 'sending>accepted']);
    }
    expect((await world.read(fired)).state).toBe('sending');
    await world.isGone(victim?.by ?? '');
    await eventually(async () => expect((await world.read(fired)).state).toBe('uncertain'));
  }, 180_000);

  it('drains when it is asked to end: calls finish, and nothing else leaves', async () => {
    await world.project({ base_url: gateway.url });
    const flying = await world.send({ dueAt: Date.now() });
    let answer = (): void => undefined;
    gateway.answer = (asked, response) => {
      answer = () => void take(asked, response);
    };
    const dispatcher = await start();
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    const waiting = await world.send({ dueAt: Date.now() + 40_000 });
    const stopped = dispatcher.stop();
    answer();
    await stopped;
    expect((await world.read(flying)).state).toBe('accepted');
    expect((await world.read(waiting)).state).toBe('planned');
  }, 180_000);
});

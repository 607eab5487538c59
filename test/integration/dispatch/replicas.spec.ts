// Replicas and their heartbeats: which ones live, which may still send, and what happens to sends that a dead one had in flight. The
// tests set the clocks by which silence is counted, except where a real process is stopped.
import { pino } from 'pino';
import { v4 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock, SystemClock } from '../../../src/platform/clock.js';
import { createDataSource, type Sql } from '../../../src/platform/database/database.js';
import { Loops } from '../../../src/platform/loops/loops.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { Replicas, type ReplicasDeps } from '../../../src/scheduler/dispatch/replicas.js';
import { heartbeatOf } from '../../../src/scheduler/dispatch/stage.js';
import { lostSends, type WorkPlace } from '../../../src/scheduler/store/send/recover.store.js';
import { eventually, throughout } from '../../support/eventually.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { sendStatementOf } from '../../support/postgres/send-statements.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';
import { Dispatcher } from '../../support/scheduler/dispatcher.js';
import { Gateway, take } from '../../support/scheduler/gateway.js';
import { recoveryOf } from '../../support/scheduler/recovery.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World, type SendSeed } from '../../support/scheduler/world.js';

/** T by clocks that are set, and of real processes. */
const T = 1_000;
const REAL_T = 1_500;

let world: World;
let gateway: Gateway;
let proxy: TcpProxy;
let away: PooledDatabase;
let running: Dispatcher[];
/** elapsed() of every replica in this process. */
let elapsed: number;

beforeAll(async () => {
  world = await World.open();
  proxy = await TcpProxy.inFrontOf(world.url);
  away = createDataSource({ ...world.dataSource.options, url: proxy.through(world.url), poolSize: 2 });
});
afterAll(async () => {
  await away.destroy();
  await proxy.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('delete from unwritten_answer');
  gateway = await Gateway.open();
  elapsed = 0;
  running = [];
});
afterEach(async () => {
  for (const dispatcher of running) await dispatcher.kill();
  await gateway.close();
});

const silent = pino({ level: 'silent' });
const clock = new SteppedClock(START);
const replica = (more: Partial<ReplicasDeps> = {}) =>
  new Replicas({
    sql: world.dataSource,
    clock: { elapsed: () => elapsed },
    wall: () => elapsed,
    log: silent,
    silentMs: T,
    ...more,
  });

/** Has these replicas write a heartbeat every T/5, for this long. */
async function beating(replicas: readonly Replicas[], ms: number): Promise<void> {
  for (const end = elapsed + ms; elapsed < end; elapsed += T / 5)
    for (const one of replicas) await one.runOnce().catch(() => undefined);
}
const recover = (replicas: Replicas) => recoveryOf(world.dataSource, clock, { replicas }).runOnce();
const rowIds = async (): Promise<string[]> =>
  (await world.dataSource.query<{ id: string }>('select id from replica order by id')).map(({ id }) => id);
const slices = (replicas: readonly Replicas[]) =>
  replicas.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => one.slice());
const onTheWire = (firedBy: string, seed: SendSeed = {}) =>
  world.send({ ...seed, state: 'sending', columns: { fired_by: firedBy, attempts: 1, ...seed.columns } });
const stateOf = async (send: string) => (await world.read(send)).state;

describe('replicas', () => {
  it('share the sends among those that live', async () => {
    const [a, b, c] = [replica(), replica(), replica()];
    await beating([a], T / 5);
    expect(slices([a])).toEqual([{ index: 0, of: 1 }]);
    await beating([a, b, c], 2 * (T / 5));
    expect(slices([a, b, c])).toEqual([0, 1, 2].map((index) => ({ index, of: 3 })));
    await c.leave();
    await beating([a, b], T / 5);
    expect(slices([a, b])).toEqual([0, 1].map((index) => ({ index, of: 2 })));
    await beating([a], 2 * T);
    expect([slices([a]), a.live]).toEqual([[{ index: 0, of: 1 }], 1]);
    await beating([a, b], 2 * (T / 5));
    expect(slices([a, b])).toEqual([0, 1].map((index) => ({ index, of: 2 })));
  });

  it('may send from the first heartbeat on, until T/2 after the last, and not after leaving', async () => {
    const one = replica();
    expect(one.mayLeave()).toBe(false);
    await one.runOnce();
    elapsed += T / 2 - 1;
    expect(one.mayLeave()).toBe(true);
    elapsed += 1;
    expect(one.mayLeave()).toBe(false);
    await one.runOnce();
    expect(one.mayLeave()).toBe(true);
    await one.leave();
    expect(one.mayLeave()).toBe(false);
    await one.runOnce();
    expect(await rowIds()).toEqual([]);
  });

  it('on a machine that slept send nothing before the next heartbeat', async () => {
    let slept = 0;
    const one = replica({ wall: () => elapsed + slept });
    await one.runOnce();
    slept = 3_600_000;
    expect(one.mayLeave()).toBe(false);
    await one.runOnce();
    expect(one.mayLeave()).toBe(true);
  });

  it('count T/2 from when the heartbeat began, not from its answer', async () => {
    const { dataSource } = world;
    const slow: ReplicasDeps['sql'] = {
      query: async <Row>(text: string, parameters?: readonly unknown[]) => {
        const rows = await dataSource.query<Row>(text, parameters);
        elapsed += T / 2;
        return rows;
      },
    };
    const one = replica({ sql: slow });
    await one.runOnce();
    expect(one.mayLeave()).toBe(false);
  });
});

describe('what a replica had in flight', () => {
  it('is uncertain once it was silent for T; then its row is deleted', async () => {
    const [dead, observer] = [replica(), replica()];
    await dead.runOnce();
    await world.project();
    const [first, last] = [await onTheWire(dead.id), await onTheWire(dead.id, { dueAt: START + 500 })];
    const others = [
      await onTheWire(observer.id),
      await world.send({ columns: { attempts: 1, fired_by: dead.id } }),
      await world.send({ state: 'accepted', columns: { fired_by: dead.id } }),
    ];
    await beating([observer], T);
    expect(await recover(observer)).toBe(0);
    await beating([observer], 2 * (T / 5));
    expect(await recover(observer)).toBe(2);
    for (const send of [first, last]) {
      expect(await world.read(send)).toMatchObject({
        state: 'uncertain',
        code: 'LOST_ANSWER',
        attempts: 1,
        next_at: new Date(START + 2_000),
      });
      expect(await world.path(send)).toEqual(['sending>uncertain']);
    }
    expect(await Promise.all(others.map(stateOf))).toEqual(['sending', 'planned', 'accepted']);
    expect(await rowIds()).toEqual([observer.id]);
  });

  it('is uncertain at once if it left and did not wait for its answers', async () => {
    const [gone, observer] = [replica(), replica()];
    await beating([gone, observer], 2 * (T / 5));
    await world.project();
    const send = await onTheWire(gone.id);
    const news = observer.goneCount;
    await gone.leave();
    await observer.runOnce();
    expect(observer.goneCount).toBe(news + 1);
    expect(await recover(observer)).toBe(1);
    expect(await stateOf(send)).toBe('uncertain');
  });

  it('is not changed if it has written a heartbeat since it was found dead', async () => {
    const [zombie, observer] = [replica(), replica()];
    await zombie.runOnce();
    await world.project();
    const send = await onTheWire(zombie.id);
    await beating([observer], T + 2 * (T / 5));
    await zombie.runOnce();
    expect(await recover(observer)).toBe(0);
    expect(await stateOf(send)).toBe('sending');
    expect(await rowIds()).toHaveLength(2);
  });

  it('is found if it was due lately, even if the search of everything fails; the rest is found later, and the row stays until then', async () => {
    const [dead, observer] = [replica(), replica()];
    await dead.runOnce();
    await world.project();
    const [lately, late] = [
      await onTheWire(dead.id, { dueAt: START - 60_000 }),
      await onTheWire(dead.id, { dueAt: START - 3_600_000 }),
    ];
    await beating([observer], T + 2 * (T / 5));
    // Like a statement that reaches its time limit because it reads all sends that ended under a held snapshot.
    let isSlow = true;
    const sql: Sql = {
      query: async <Row>(text: string, parameters?: readonly unknown[]) => {
        if (isSlow && parameters?.includes('-infinity')) {
          elapsed += 2_000;
          throw new Error('canceling statement');
        }
        return world.dataSource.query<Row>(text, parameters);
      },
    };
    const now = Object.assign(new SteppedClock(START), { elapsed: () => elapsed });
    const loop = recoveryOf(sql, now, { replicas: observer });
    await expect(loop.runOnce()).rejects.toThrow('canceling statement');
    expect([await stateOf(lately), await stateOf(late)]).toEqual(['uncertain', 'sending']);
    expect(await rowIds()).toHaveLength(2);
    isSlow = false;
    elapsed += 37_999;
    expect(await loop.runOnce()).toBe(0);
    elapsed += 1;
    expect(await loop.runOnce()).toBe(1);
    expect(await stateOf(late)).toBe('uncertain');
    expect(await loop.runOnce()).toBe(0);
    expect(await rowIds()).toEqual([observer.id]);
  });

  it('is searched only by the first of the living replicas', async () => {
    const [one, other] = [replica(), replica()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [
      Replicas,
      Replicas,
    ];
    await beating([one, other], 2 * (T / 5));
    await world.project();
    const send = await onTheWire(v4());
    expect(await recover(other)).toBe(0);
    expect(await stateOf(send)).toBe('sending');
    expect(await recover(one)).toBe(1);
  });

  it('is searched when a replica has died and once a minute, not in every round', async () => {
    const [observer, now] = [replica(), new SteppedClock(START)];
    await observer.runOnce();
    const at = { now: () => now.now(), elapsed: () => elapsed, at: now.at.bind(now) };
    const loop = recoveryOf(world.dataSource, at, { replicas: observer });
    await world.project();
    expect(await loop.runOnce()).toBe(0);
    const send = await onTheWire(v4());
    expect(await loop.runOnce()).toBe(0);
    elapsed += 59_999;
    expect(await loop.runOnce()).toBe(0);
    elapsed += 1;
    expect(await loop.runOnce()).toBe(1);
    expect(await stateOf(send)).toBe('uncertain');
  });

  it('is found in pages among late sends, however far ahead the clock was by which it was fired', async () => {
    const gone = v4();
    await world.project();
    const late = await world.send({ dueAt: START - 1_000 });
    await world.copies(late, 7);
    const lost = [
      await onTheWire(gone, { dueAt: START - 2_000 }),
      await onTheWire(gone, { dueAt: START - 1_000, chunk: 3 }),
      await onTheWire(gone, { dueAt: START + 600_000 }),
    ];
    const found: string[] = [];
    let [after, pages]: [WorkPlace | undefined, number] = [undefined, 0];
    do {
      const ask = { serviceId: SERVICE, upTo: START + 3_600_000, replica: v4(), dead: [], most: 4 };
      const page = await lostSends(world.dataSource, after === undefined ? ask : { ...ask, after });
      found.push(...page.lost.map(({ id }) => id));
      after = page.last;
      pages += 1;
    } while (after !== undefined);
    expect([found, pages]).toEqual([lost, 3]);
    await recoveryOf(world.dataSource, clock).runOnce();
    expect(await Promise.all(lost.map(stateOf))).toEqual(['uncertain', 'uncertain', 'uncertain']);
  });

  it('is uncertain, except for sends that the database refuses to move', async () => {
    await world.project();
    const sends = [await onTheWire(v4()), await onTheWire(v4()), await onTheWire(v4())];
    await world.dataSource.query(
      `alter table send add constraint refused check (id <> '${sends[1]}' or state = 'sending') not valid`,
    );
    try {
      expect(await recoveryOf(world.dataSource, clock).runOnce()).toBe(2);
    } finally {
      await world.dataSource.query('alter table send drop constraint refused');
    }
    expect(await Promise.all(sends.map(stateOf))).toEqual(['uncertain', 'sending', 'uncertain']);
  });
});

describe('while nobody reaches the database', () => {
  it('however long, nobody is taken for dead, and no first byte leaves until a heartbeat succeeds', async () => {
    await world.project({ base_url: gateway.url });
    const [a, b] = [replica({ sql: away }), replica({ sql: away })];
    // a reads after b: it has seen each heartbeat of b.
    await beating([b, a], T);
    gateway.skewMs = START - Date.now();
    const rigs = [0, 1].map(() => rigOf(world, new SteppedClock(START), { replicas: a }));
    const [mute, rig] = rigs as [Rig, Rig];
    const unanswered = await onTheWire(b.id);
    try {
      // It has all that it needs: only its heartbeats keep it from sending.
      const first = await world.send();
      await mute.dispatch.runOnce();
      await eventually(async () => expect(await stateOf(first)).toBe('accepted'));
      await proxy.close();
      await beating([a, b], 5 * T);
      const send = await world.send();
      await mute.dispatch.runOnce();
      await throughout(500, () => expect(gateway.posts).toHaveLength(1));
      await mute.stop();
      expect(await world.read(send)).toMatchObject({ state: 'planned', attempts: 0 });
      await proxy.open();
      // The first that is back waits for the others.
      await beating([a], T);
      expect([a.live, await recover(a)]).toEqual([2, 0]);
      await beating([a, b], T);
      expect([a.live, b.live]).toEqual([2, 2]);
      // They go on writing heartbeats, as in a process: T/2 is short on a busy machine.
      await eventually(async () => {
        await Promise.all([a.runOnce(), b.runOnce()]);
        await rig.dispatch.runOnce();
        expect(await stateOf(send)).toBe('accepted');
      });
      expect(await stateOf(unanswered)).toBe('sending');
    } finally {
      await proxy.close();
      await proxy.open();
      await rig.stop();
    }
  });
});

it('let no send leave that was fired before a silence, although they have written heartbeats since', async () => {
  await world.project({ base_url: gateway.url });
  gateway.skewMs = START - Date.now();
  const one = replica();
  await one.runOnce();
  const answers: (() => void)[] = [];
  const sql: Sql = {
    query: async <Row>(text: string, parameters?: readonly unknown[]) => {
      const rows = await world.dataSource.query<Row>(text, parameters);
      if (sendStatementOf(text) === 'fire') await new Promise<void>((answer) => answers.push(answer));
      return rows;
    },
  };
  // Its own elapsed() is that of its heartbeats.
  const own = Object.assign(new SteppedClock(START), { elapsed: () => elapsed });
  const rig = rigOf(world, own, { replicas: one, sql });
  const send = await world.send();
  await rig.dispatch.runOnce();
  await eventually(() => expect(answers).toHaveLength(1));
  // Others have found the send lost; the replica writes a heartbeat again before it gets the answer of its fire.
  elapsed += T;
  await world.isGone('dispatch');
  await recoveryOf(world.dataSource, clock).runOnce();
  await one.runOnce();
  expect(one.mayLeave()).toBe(true);
  answers[0]?.();
  await eventually(async () => expect(await stateOf(send)).not.toBe('uncertain'));
  expect(gateway.posts).toEqual([]);
  await eventually(async () => {
    await rig.dispatch.runOnce();
    expect(answers).toHaveLength(2);
  });
  answers[1]?.();
  await eventually(async () => expect(await stateOf(send)).toBe('accepted'));
  expect(gateway.posts).toHaveLength(1);
  expect(await world.path(send)).toEqual([
    'planned>sending',
    'sending>uncertain',
    'uncertain>planned',
    'planned>sending',
    'sending>accepted',
  ]);
  await rig.stop();
});

it('write heartbeats as often while they fail, so that the first that is back does not take the next for dead', async () => {
  const absent = createDataSource({ ...world.dataSource.options, url: 'postgres://127.0.0.1:1/nowhere' });
  const query = vi.spyOn(absent, 'query');
  const loops = new Loops(silent);
  const heartbeat = heartbeatOf({
    config: { replicaSilentMs: 500 },
    database: absent,
    clock: new SystemClock(),
    log: silent,
    loops,
  });
  for (const loop of heartbeat.loops) loops.add(loop);
  loops.start();
  await eventually(() => expect(query.mock.calls.length).toBeGreaterThan(40), { withinMs: 15_000 });
  await heartbeat.leave();
  await absent.destroy();
});

describe('a process', () => {
  const start = async (): Promise<Dispatcher> => {
    const dispatcher = await Dispatcher.start({
      url: world.url,
      masterKey: world.masterKey,
      by: `dispatcher ${running.length + 1}`,
      aheadMs: 1_000,
      timeoutMs: 50_000,
      follows: false,
      silentMs: REAL_T,
    });
    running.push(dispatcher);
    return dispatcher;
  };
  const users = (): string[] =>
    gateway.posts.flatMap((asked) => (JSON.parse(asked.body) as { target: { to: string[] } }).target.to);
  const count = async (state: string): Promise<number> =>
    (await world.dataSource.query('select from send where state = $1', [state])).length;
  /** USER sends that are due now, of one id each. */
  const dueNow = async (many: number): Promise<string[]> => {
    await world.project({ base_url: gateway.url, in_flight: 4, rate_per_second: 1_000 });
    const campaign = await world.campaign({ target: { type: 'USER' } });
    const all = Array.from({ length: many }, (_, index) => `user-${String(index).padStart(2, '0')}`);
    for (const [chunk, user] of all.entries())
      await world.send({ campaign, chunk, recipients: [user], dueAt: Date.now() });
    return all;
  };

  it('that is stopped for longer than T loses no answer and sends nothing twice when it goes on', async () => {
    const all = await dueNow(12);
    const held: (() => void)[] = [];
    gateway.answer = (asked, response) => {
      held.push(() => void take(asked, response));
    };
    const stopped = await start();
    await eventually(() => expect(held).toHaveLength(4));
    stopped.hold();
    gateway.answer = take;
    await start();
    await eventually(
      async () => expect([await count('uncertain'), await count('accepted')]).toEqual([4, 8]),
      {
        withinMs: 20_000,
      },
    );
    for (const answer of held) answer();
    stopped.go();
    await eventually(async () => expect(await count('accepted')).toBe(12));
    expect(users().toSorted()).toEqual(all);
    await eventually(async () => expect(await rowIds()).toHaveLength(2));
  }, 60_000);

  it('that is killed leaves its row until T is over; one that ends deletes its row', async () => {
    await dueNow(1);
    gateway.answer = () => undefined;
    const killed = await start();
    await eventually(async () => expect(await count('sending')).toBe(1));
    const [row] = await rowIds();
    await killed.kill();
    const next = await start();
    expect(await rowIds()).toContain(row);
    await eventually(async () => expect(await count('uncertain')).toBe(1), { withinMs: 20_000 });
    await eventually(async () => expect(await rowIds()).not.toContain(row));
    expect(await rowIds()).toHaveLength(1);
    await next.stop();
    expect(await rowIds()).toEqual([]);
  }, 60_000);
});

it('a scheduler writes heartbeats if it dispatches, shows how many do, and deletes its row at its end', async () => {
  const scheduler = await startScheduler(
    schedulerConfig(world.url, { CARILLON_MASTER_KEY: world.masterKey, LOOP_IDLE_MS: '50' }),
  );
  try {
    await eventually(async () => expect(await rowIds()).toHaveLength(1));
    const metrics = await (await fetch(scheduler.metricsUrl)).text();
    expect(metrics).toContain('carillon_replicas_live 1');
    expect(metrics).toContain('carillon_sends_recovered_total 0');
  } finally {
    await scheduler.close();
  }
  expect(await rowIds()).toEqual([]);
});

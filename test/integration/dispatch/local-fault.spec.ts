// A project that we cannot call by a fault of our own: it is blocked under the fault's name and costs its sends nothing, the
// circuit hears nothing of it, and an operator is told once what to do.
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { Secret } from '../../../src/platform/env.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { newMasterKey, Sealer } from '../../../src/platform/secrets/sealed.js';
import { stopProjects } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { SECRET } from '../../../src/scheduler/store/project.store.js';
import { eventually } from '../../support/eventually.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { ACCESS_KEY, Gateway, SECRET_KEY } from '../../support/scheduler/gateway.js';
import { followerOf, rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let lines: { level: number; msg: string; serviceId?: string; code?: string }[];

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  lines = [];
  const to = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(JSON.parse(chunk.toString('utf8')) as (typeof lines)[number]);
      done();
    },
  });
  rig = rigOf(world, clock, { log: createLog('spec', 'info', to) });
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const blocked = async () =>
  (
    await world.dataSource.query<{ until: Date | number | null; code: string | null }>(
      'select blocked_until as until, blocked_code as code from project',
    )
  )[0];

/** The key as another master key of the same id sealed it. */
const sealByAnother = async () => {
  const other = new Sealer(new Secret(newMasterKey('spec')));
  await world.dataSource.query('update project_key set secret_sealed = $1', [
    other.seal(SECRET_KEY, SECRET, SERVICE, ACCESS_KEY),
  ]);
};

const errors = () => lines.filter(({ level }) => level >= 50);
const attempts = () => world.dataSource.query('select send from send_attempt');

describe('keys sealed under a master key that is not ours', () => {
  it('block the project here without an attempt, without the circuit, with one error line; and it goes on once they open', async () => {
    await world.project({ base_url: gateway.url });
    await sealByAnother();
    const sends = await Promise.all(Array.from({ length: 8 }, () => world.send()));
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect(await blocked()).toEqual({ until: null, code: null });
      for (const send of sends)
        expect(await world.read(send)).toMatchObject({
          state: 'planned',
          code: 'KEY_UNREADABLE',
          detail: expect.stringContaining('CARILLON_MASTER_KEY'),
          attempts: 0,
        });
    });
    expect(rig.calls.blocks.inTrouble).toEqual([]);
    expect(rig.dispatch.unusable()).toEqual([
      { serviceId: 'shop-app', text: expect.stringContaining('CARILLON_MASTER_KEY') as unknown },
    ]);
    expect(await rig.dispatch.runOnce()).toBe(0);

    clock.advance(60_000);
    expect(await rig.dispatch.runOnce()).toBe(8);
    await eventually(async () => {
      for (const send of sends)
        expect(await world.read(send)).toMatchObject({ state: 'planned', changes: 1 });
    });
    expect(await attempts()).toEqual([]);
    expect(gateway.posts).toEqual([]);
    expect(errors()).toMatchObject([{ serviceId: SERVICE, code: 'KEY_UNREADABLE' }]);

    await world.dataSource.query('update project_key set secret_sealed = $1', [
      world.sealer.seal(SECRET_KEY, SECRET, SERVICE, ACCESS_KEY),
    ]);
    rig.projects.forget();
    await eventually(async () => {
      await rig.dispatch.runOnce();
      for (const send of sends)
        expect(await world.read(send)).toMatchObject({ state: 'accepted', attempts: 1 });
    });
    expect(rig.dispatch.unusable()).toEqual([]);
    expect(errors()).toHaveLength(1);
  });

  it('are tried again as soon as they are mended, by a process that would look again in a minute', async () => {
    await world.project({ base_url: gateway.url });
    await sealByAnother();
    const send = await world.send({ dueAt: Date.now() });
    const environment = { CARILLON_MASTER_KEY: world.masterKey, LOOP_IDLE_MS: '60000' };
    const scheduler = await startScheduler(schedulerConfig(world.url, environment));
    try {
      await eventually(async () =>
        expect(await world.read(send)).toMatchObject({ state: 'planned', code: 'KEY_UNREADABLE' }),
      );
      // Until the rounds that put it down are over: a mended key in one of them needs no waking.
      await eventually(() => {
        const works = scheduler.internals.loops.status().filter(({ rests }) => !rests);
        expect(works.map(({ name }) => name)).toEqual([]);
      });
      await world.change('key', gateway.url);
      await eventually(async () => expect(await world.read(send)).toMatchObject({ state: 'accepted' }), {
        withinMs: 20_000,
      });
    } finally {
      await scheduler.close();
    }
  });

  it('cost a result that is asked for no poll, and are over with the first answer', async () => {
    await world.project({ base_url: gateway.url });
    await sealByAnother();
    const columns = { request_id: 'r-1', next_at: new Date(START), state_at: new Date(START - 60_000) };
    const send = await world.send({ state: 'accepted', columns });
    const follow = followerOf(world, clock, rig, { work: 'p' });
    expect(await follow.runOnce()).toBe(1);
    await follow.idle();
    expect(await world.read(send)).toMatchObject({ polls: 0, next_at: new Date(START) });
    expect(rig.calls.blocks.unusable).toHaveLength(1);

    await world.change('key', gateway.url);
    rig.projects.forget();
    clock.advance(60_000);
    await eventually(async () => {
      await follow.runOnce();
      await follow.idle();
      expect(gateway.asked).toHaveLength(1);
    });
    expect((await world.read(send)).polls).toBe(1);
    expect(rig.calls.blocks.unusable).toEqual([]);
    await follow.stop();
  });

  it('are told by /health/ready, which names the service and what to do', async () => {
    await world.project({ base_url: gateway.url });
    await world.send({ dueAt: Date.now() });
    const other = schedulerConfig(world.url, { CARILLON_MASTER_KEY: newMasterKey('spec') });
    const scheduler = await startScheduler(other);
    try {
      await eventually(() => scheduler.dataSource.isInitialized);
      const authorization = await scheduler.bearer(['operator']);
      await eventually(async () => {
        const { status, body } = await scheduler.call('GET', '/health/ready', { authorization });
        expect({ status, body }).toMatchObject({
          status: 200,
          body: {
            checks: expect.arrayContaining([
              {
                name: 'push projects',
                ok: false,
                note: true,
                text: expect.stringMatching(/shop-app: .*CARILLON_MASTER_KEY/),
              },
            ]),
          },
        });
      });
    } finally {
      await scheduler.close();
    }
  });
});

describe('a rest for a fault of ours', () => {
  it.each([
    ['NO_KEY', {}, []],
    ['BASE_URL_INVALID', { base_url: 'nowhere' }, [[ACCESS_KEY, SECRET_KEY]] as const],
  ])('is called %s', async (code, columns, keys) => {
    await world.project({ base_url: gateway.url, ...columns }, keys);
    const send = await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      expect((await blocked())?.code).toBe(code);
      expect(await world.read(send)).toMatchObject({ state: 'planned', code, attempts: 0 });
    });
  });

  it.each([
    ['NO_KEY', 'key'],
    ['BAD_KEY', 'key'],
    ['BASE_URL_INVALID', 'address'],
    ['BAD_ADDRESS', 'address'],
  ] as const)('of %s ends with a new %s', async (code, what) => {
    await world.project({ blocked_until: new Date(START + 60_000), blocked_code: code });
    await world.change(what, gateway.url);
    expect(await blocked()).toEqual({ until: null, code: null });
  });

  it('is the only one that a change ends: what an operator stopped stays stopped', async () => {
    await world.project();
    await stopProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date(START) });
    await world.change('key', gateway.url);
    await world.change('address', gateway.url);
    expect((await blocked())?.code).toBe('STOPPED');
  });

  it('does not keep a send beyond its time', async () => {
    await world.project({}, []);
    const send = await world.send({ dueAt: START - 1_800_001 });
    await eventually(async () => {
      await rig.dispatch.runOnce();
      expect(await world.read(send)).toMatchObject({ state: 'expired', code: 'LATE' });
    });
  });
});

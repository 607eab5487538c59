// A machine whose clock is not the database's: it says so, is not ready, and sends nothing until it is right. Where most machines
// agree with one another, the database's clock is wrong, and they go on.
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClockCheck } from '../../../src/platform/database/clock-check.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { eventually } from '../../support/eventually.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await World.open();
  gateway = await Gateway.open();
});
afterAll(async () => {
  await gateway.close();
  await world.close();
});

it.each([
  ['right', 0, undefined],
  ['half a second off', 500, undefined],
  ['ahead', 3_000, /clock is 3\.0 s ahead of the database's/],
  ['behind', -3_600_000, /clock is 3\d{3}\.\d s behind the database's/],
])('a clock that is %s', async (_, off, finding) => {
  const lines: string[] = [];
  const to = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const calls: string[] = [];
  const check = new ClockCheck({
    sql: world.dataSource,
    log: createLog('spec', 'info', to),
    wall: () => Date.now() + off,
    right: () => calls.push('right'),
  });
  expect(check.isRight).toBe(false);
  await check.runOnce();
  // What a question takes on its way to the database is taken for the database's own: a busy machine asks again.
  await eventually(async () => {
    await check.runOnce();
    expect(check.finding() ?? 'right').toMatch(finding ?? /^right$/);
  });
  expect(check.isRight).toBe(finding === undefined);
  expect(calls).toHaveLength(finding === undefined ? 1 : 0);
  expect(lines).toHaveLength(finding === undefined ? 0 : 1);
});

it('a machine that stands still while it asks is not thought wrong', async () => {
  const walls = [Date.now() - 60_000, Date.now() + 60_000];
  const log = createLog('spec', 'silent');
  const check = new ClockCheck({ sql: world.dataSource, log, wall: () => walls.shift() ?? 0 });
  await check.runOnce();
  expect(check.isRight).toBe(true);
});

it('a process whose machine is wrong is not ready and sends nothing; it goes on once it is right', async () => {
  await world.project({ base_url: gateway.url });
  const send = await world.send({ dueAt: Date.now() });
  let off = 5_000;
  const config = schedulerConfig(world.url, { CARILLON_MASTER_KEY: world.masterKey });
  const scheduler = await startScheduler(config, { wall: () => Date.now() + off });
  try {
    await eventually(() => scheduler.dataSource.isInitialized);
    const authorization = await scheduler.bearer(['admin']);
    await eventually(async () => {
      const { status, body } = await scheduler.call('GET', '/health/ready', { authorization });
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/clock is 5\.0 s ahead/)]);
    });
    await eventually(() => {
      const works = scheduler.internals.loops.status().filter(({ rests }) => !rests);
      expect(works).toEqual([]);
    });
    expect(await world.read(send)).toMatchObject({ state: 'planned', attempts: 0 });
    off = 0;
    scheduler.internals.loops.wake('clock');
    await eventually(async () => expect(await world.read(send)).toMatchObject({ state: 'accepted' }));
    await eventually(async () => expect((await scheduler.call('GET', '/health/ready')).status).toBe(200));
  } finally {
    await scheduler.close();
  }
});

it('a database whose clock is wrong stops nobody where two machines agree: they say which clock is to be set right', async () => {
  const settings = { CARILLON_MASTER_KEY: world.masterKey };
  const start = (machine: string, off: number) =>
    startScheduler(schedulerConfig(world.url, settings), { machine, wall: () => Date.now() + off });
  const [first, second, wrong] = [await start('a', 1_600), await start('b', 1_500), await start('c', -9_000)];
  const schedulers = [first, second, wrong];
  try {
    await eventually(() => schedulers.every(({ dataSource }) => dataSource.isInitialized));
    const authorization = await first.bearer(['admin']);
    const healthOf = async (scheduler: (typeof schedulers)[number]) => {
      scheduler.internals.loops.wake('clock');
      const { status, body } = await scheduler.call('GET', '/health/ready', { authorization });
      return [status, JSON.stringify(body)];
    };
    const databaseIs = expect.stringMatching(
      /database's clock is 1\.\d s behind this machine's, with which 1 other machine agrees/,
    );
    await eventually(async () => {
      expect(await healthOf(first)).toEqual([200, databaseIs]);
      expect(await healthOf(second)).toEqual([200, databaseIs]);
      expect(await healthOf(wrong)).toEqual([
        503,
        expect.stringMatching(/clock is 9\.\d s behind the database's/),
      ]);
    });
    expect(await first.internals.clockCheck.findsRight()).toBe(false);
    const send = await world.send({ dueAt: Date.now() });
    await eventually(async () => expect(await world.read(send)).toMatchObject({ state: 'accepted' }));
  } finally {
    for (const scheduler of schedulers) await scheduler.close();
  }
});

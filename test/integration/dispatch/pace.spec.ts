// The rate that replicas share, on a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { slowDown, takeTokens } from '../../../src/scheduler/push-client/rate/pace.store.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway } from '../../support/scheduler/gateway.js';
import { rigOf } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project({ rate_per_second: 200 });
});

const take = (wanted: number) =>
  takeTokens(world.dataSource, [{ serviceId: SERVICE, wanted }]).then(([grant]) => grant);
/** Makes the row as if this time had passed since the bucket was used. */
const pass = (seconds: number) =>
  world.dataSource.query(`update project_pace set at = at - $1::float8 * interval '1 second'`, [seconds]);

describe('the tokens of a project', () => {
  it('begin with enough for a quarter of a second, gather by the rate, and never exceed that', async () => {
    const began = performance.now();
    expect(await take(500)).toMatchObject({ granted: 50, rate: 200 });
    const gathered = await take(500);
    expect(gathered?.granted).toBeLessThanOrEqual(((performance.now() - began) / 1_000) * 200);
    await pass(0.1);
    expect((await take(500))?.granted).toBeGreaterThanOrEqual(20);
    await pass(3_600);
    expect((await take(500))?.granted).toBe(50);
  });

  it('say how long to wait when none is left', async () => {
    await world.dataSource.query('update project set rate_per_second = 1');
    expect((await take(1))?.granted).toBe(1);
    // In the future, so that no token gathers however slow the machine is.
    await pass(-3_600);
    expect(await take(1)).toMatchObject({ granted: 0, waitMs: 1_000 });
  });

  it('are shared by replicas: together they get the rate, and no more', async () => {
    const began = performance.now();
    const drain = async (): Promise<number> => {
      let got = 0;
      for (let granted = 1; granted > 0; got += granted) granted = (await take(50))?.granted ?? 0;
      return got;
    };
    let rest = await drain();
    const shares = [0, 0, 0];
    for (let round = 0; round < 20; round += 1) {
      await pass(0.1);
      await Promise.all(
        shares.map(async (_, replica) => {
          const grant = await take(7);
          shares[replica] = (shares[replica] ?? 0) + (grant?.granted ?? 0);
        }),
      );
      rest += await drain();
    }
    // The quarter of a second with which it begins, two seconds that passed, and the time of the test itself.
    const total = shares.reduce((sum, share) => sum + share, rest);
    expect(total).toBeGreaterThanOrEqual(50 + 400 - 1);
    expect(total).toBeLessThanOrEqual(50 + 400 + ((performance.now() - began) / 1_000) * 200);
    // Each takes at most 7 of the 20 tokens of a round.
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(20 * 6);
  });

  it('come at half the rate after a 429, once a second at most, and climb back within a minute', async () => {
    await take(1);
    expect(await slowDown(world.dataSource, SERVICE)).toBeLessThanOrEqual(100);
    // Set to the present, however slow the machine is.
    await world.dataSource.query(`update project_pace set slowed_at = slowed_at + interval '1 hour'`);
    expect(await slowDown(world.dataSource, SERVICE)).toBeUndefined();
    await pass(30);
    const [half] = [await take(1)];
    expect(half?.rate).toBeGreaterThan(190);
    await pass(60);
    expect((await take(1))?.rate).toBe(200);
    await world.dataSource.query(
      `update project_pace set slowed_at = slowed_at - interval '1 hour 1 second'`,
    );
    expect(await slowDown(world.dataSource, SERVICE)).toBe(100);
  });

  it('never exceed what the project is set to now', async () => {
    await take(1);
    await world.dataSource.query('update project set rate_per_second = 10');
    await pass(1);
    expect(await take(100)).toMatchObject({ granted: 2, rate: 10 });
  });
});

describe('a dispatcher', () => {
  it('halves the shared rate on a 429', async () => {
    const gateway = await Gateway.open();
    await world.dataSource.query('update project set base_url = $1', [gateway.url]);
    gateway.answer = failure(429, '410', { 'retry-after': '1' });
    const rig = rigOf(world, new SteppedClock(START));
    await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [row] = await world.dataSource.query<{ rate: number }>('select rate from project_pace');
      expect(row?.rate).toBe(100);
    });
    await rig.stop();
    await gateway.close();
  });
});

// How a process that sends ends while a gateway hangs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

it('a process that ends lets nothing more leave while it waits for an answer', async () => {
  const [hanging, well] = [await Gateway.open(), await Gateway.open()];
  hanging.answer = () => undefined;
  await world.project({ service_id: 'hanging', base_url: hanging.url });
  await world.project({ base_url: well.url, rate_per_second: 2, in_flight: 16 });
  const columns = { request_id: 'r-1', next_at: new Date() };
  await world.send({ serviceId: 'hanging', state: 'uncertain', columns });
  await world.copies(await world.send({ dueAt: Date.now() }), 30);
  const environment = { CARILLON_MASTER_KEY: world.masterKey };
  const scheduler = await startScheduler(schedulerConfig(world.url, environment));
  await eventually(() => {
    expect(hanging.asked).toHaveLength(1);
    expect(well.posts.length).toBeGreaterThan(0);
  });
  let isClosed = false;
  const closing = scheduler.close().then(() => (isClosed = true));
  await eventually(async () => {
    const onTheWire = "select from send where state = 'sending'";
    expect(await world.dataSource.query(onTheWire)).toEqual([]);
  });
  expect(isClosed).toBe(false);
  const left = well.posts.length;
  await hanging.close();
  await closing;
  await well.close();
  expect(left).toBeLessThan(31);
  expect(well.posts).toHaveLength(left);
});

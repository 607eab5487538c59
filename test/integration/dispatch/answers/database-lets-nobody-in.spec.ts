// If the database lets nobody in for a while (a changed password, ALLOW_CONNECTIONS off, an unreachable network), no answer of a send
// in flight is lost: a statement that could not be sent was not refused.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { createDataSource } from '../../../../src/platform/database/database.js';
import { onCluster } from '../../../support/postgres/database.js';
import { eventually } from '../../../support/eventually.js';
import { Gateway, take } from '../../../support/scheduler/gateway.js';
import { rigOf } from '../../../support/scheduler/rig.js';
import { START, World } from '../../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
beforeAll(async () => {
  world = await World.open();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url });
});
afterAll(async () => {
  await gateway.close();
  await world.close();
});

it('keeps the answer of a send in flight while nobody is let in', async () => {
  const role = `spec_${process.pid}`;
  await onCluster(`create role ${role} login superuser password 'old'`);
  const url = new URL(world.url);
  url.username = role;
  url.password = 'old';
  let keptOut = 0;
  const sql = createDataSource({
    url: url.href,
    schema: 'scheduler',
    migrations: [],
    poolSize: 4,
    applicationName: 'kept out',
    onFault: (error) => (keptOut += Number((error as { code?: string }).code === '08001')),
  });
  await sql.initialize();
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  gateway.answer = async (asked, response) => {
    await held;
    await take(asked, response);
  };
  const rig = rigOf(world, new SteppedClock(START), { sql });
  const id = await world.send();
  await rig.dispatch.runOnce();
  await eventually(() => expect(gateway.posts).toHaveLength(1));
  await onCluster(`alter role ${role} password 'new'`);
  await onCluster(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kept out'`,
  );
  answer();
  await eventually(() => expect(keptOut).toBeGreaterThan(1));
  await onCluster(`alter role ${role} password 'old'`);
  await eventually(async () => expect((await world.read(id)).state).toBe('accepted'));
  await rig.stop();
  await sql.destroy();
  await onCluster(`alter role ${role} nologin`);
  expect(await world.dataSource.query('select send from unwritten_answer')).toEqual([]);
});

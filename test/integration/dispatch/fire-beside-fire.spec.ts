// Two dispatchers fire the same sends while the campaign of one of them is canceled: one has read before the cancel, the X
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/platform/database/database.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { orderOf } from '../../support/scheduler/send-rows.js';
import { START, World } from '../../support/scheduler/world.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

const fire = (ids: readonly string[], sql: Sql = world.dataSource) =>
  fireSends(
    sql,
    ids.map((id) => orderOf(id)),
    { now: START, by: 'spec', replica: v7() },
  );

it('a fire does not wait for a fire that began before the cancel of a send', async () => {
  const canceled = await world.campaign();
  const first = await world.send({ campaign: canceled });
  const between = await world.send();
  const last = await world.send();
  const holder = await OwnConnection.beside(world.dataSource);
  await holder.query('begin');
  await holder.query('select from send where id = $1 for no key update', [between]);
  // It has locked the first send, and waits for the middle one.
  const before = fire([first, between, last]);
  await untilLockAwaited((text) => world.dataSource.query(text), { like: '%fire_sends%' });
  await world.dataSource.transaction((sql) =>
    askAct(sql, {
      act: 'cancel',
      campaign: canceled,
      now: new Date(START),
      by: 'spec',
      code: 'CANCELED_BY_HAND',
    }),
  );
  // It skips the first send, whose cancel it sees but which is locked, and fires the last.
  const other = await OwnConnection.beside(world.dataSource);
  await other.query("set lock_timeout = '5s'");
  const late = await fire([first, last], other);
  await other.release();
  await holder.query('commit');
  await holder.release();
  const early = await before;
  expect(early.map(({ id }) => id)).toEqual([first, between]);
  expect(late.map(({ id }) => id)).toEqual([last]);
});

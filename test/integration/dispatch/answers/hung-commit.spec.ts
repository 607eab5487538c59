// A fire whose COMMIT hangs for minutes, as on a disk that stalls or while a synchronous standby is away. The replica gives the
// connection up, and much later the send is fired although the replica never made the call.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { eventually } from '../../../support/eventually.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { Gateway } from '../../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../../support/scheduler/rig.js';
import { START, World } from '../../../support/scheduler/world.js';

/** Only its elapsed() goes on, so that no send becomes too late to be sent. */
class TravelledClock extends SteppedClock {
  travelledMs = 0;

  override elapsed(): number {
    return performance.now() + this.travelledMs;
  }
}

let world: World;
let gateway: Gateway;
let clock: TravelledClock;
let rig: Rig;
let hanging: OwnConnection;

beforeAll(async () => {
  world = await World.open();
  // It runs within COMMIT, where no statement time-out ends it.
  await world.dataSource.query(`
create table spec_hang (hangs boolean);
create function spec_hang() returns trigger language plpgsql as $$
begin
  while exists (select from spec_hang) loop perform pg_sleep(0.02); end loop;
  return null;
end $$;
create constraint trigger spec_hang after update on send deferrable initially deferred
  for each row when (old.state = 'planned' and new.state = 'sending') execute function spec_hang();`);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url });
  clock = new TravelledClock(START);
  hanging = await OwnConnection.beside(world.dataSource);
});
afterEach(async () => {
  await world.dataSource.query('delete from spec_hang');
  await rig.stop();
  await hanging.release();
  await gateway.close();
});

/** The first fire uses a connection that is given up before it is answered. */
function givesUp(): Sql {
  let first = true;
  return {
    query: (text, parameters) => {
      if (!first || !text.includes('fire_sends(')) return world.dataSource.query(text, parameters);
      first = false;
      const fired = hanging.query('begin').then(() => hanging.query(text, parameters));
      fired.then(() => hanging.query('commit')).catch(() => undefined);
      return fired.then(() => {
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
      });
    },
  };
}

const hangs = () =>
  world.dataSource.query(
    `select query from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  );
const row = async (send: string) => {
  const { state, attempts } = await world.read(send);
  return { state, attempts };
};

it.each([
  ['ten seconds', 10_000],
  ['three minutes', 180_000],
  ['three hours', 3 * 3_600_000],
])('a COMMIT that hangs for %s: the send leaves once, after it has ended', async (_, ms) => {
  const send = await world.send();
  rig = rigOf(world, clock, { sql: givesUp() });
  await world.dataSource.query('insert into spec_hang values (true)');
  await rig.dispatch.runOnce().catch(() => undefined);
  await eventually(async () => expect(await hangs()).toEqual([{ query: 'commit' }]));
  for (let round = 0; round < 4; round += 1) {
    clock.travelledMs += ms / 4;
    await rig.dispatch.runOnce().catch(() => undefined);
  }
  expect(await row(send)).toEqual({ state: 'planned', attempts: 0 });
  expect(gateway.posts).toEqual([]);

  await world.dataSource.query('delete from spec_hang');
  await eventually(async () => expect(await row(send)).toMatchObject({ attempts: 1 }));
  await eventually(async () => {
    clock.travelledMs += 5_000;
    clock.advance(1_000);
    await rig.dispatch.runOnce().catch(() => undefined);
    expect(await row(send)).toMatchObject({ state: 'accepted' });
  });
  expect(gateway.posts).toHaveLength(1);
});

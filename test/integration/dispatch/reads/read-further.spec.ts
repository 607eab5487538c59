// After a round a dispatcher reads further by itself as sends of its projects leave: all due sends leave without another round, and those
// that are held or in flight are not read again and again.
import { scheduler } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { eventually } from '../../../support/eventually.js';
import { sendStatementOf } from '../../../support/postgres/send-statements.js';
import { Gateway, take } from '../../../support/scheduler/gateway.js';
import { rigOf, type Limits, type Rig } from '../../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let rig: Rig;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await project();
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const project = (service_id = SERVICE) =>
  world.project({ service_id, base_url: gateway.url, rate_per_second: 100_000, in_flight: 100 });

/** Sends of one campaign, all due at one instant. */
async function sends(count: number, dueAt = START, serviceId = SERVICE): Promise<string> {
  const first = await world.send({ dueAt, serviceId });
  await world.copies(first, count - 1);
  return (await world.read(first)).campaign;
}

function begin(limits: Limits = {}): void {
  rig = rigOf(world, new SteppedClock(START), limits);
}

/** The page of projects that are not named; a read further on has none. */
const isRound = (parameters: readonly unknown[] = []): boolean => parameters[2] !== null;

const open = async (): Promise<number> => {
  const [row] = await world.dataSource.query<{ n: number }>(
    "select count(*)::int as n from send where state in ('planned', 'sending')",
  );
  return row?.n ?? -1;
};

it('all due sends of a project leave after one round, late or not, each once', async () => {
  await sends(1_100, START - 60_000);
  await sends(1_100);
  begin();
  await rig.dispatch.runOnce();
  await eventually(async () => expect(await open()).toBe(0));
  expect(gateway.posts).toHaveLength(2_200);
  expect(new Set(gateway.posts.map(({ requestId }) => requestId)).size).toBe(2_200);
});

it('those of several projects as well, in turns', async () => {
  await project('other');
  await sends(900);
  await sends(900, START, 'other');
  begin();
  await rig.dispatch.runOnce();
  await eventually(async () => expect(await open()).toBe(0));
  const of = (service: string): number[] =>
    gateway.posts.flatMap(({ path }, index) => (path.includes(`/services/${service}/`) ? [index] : []));
  // Neither has sent all before the other has begun its second half.
  expect(Math.max(...of(SERVICE))).toBeGreaterThan(of('other')[450] ?? Infinity);
  expect(Math.max(...of('other'))).toBeGreaterThan(of(SERVICE)[450] ?? Infinity);
});

it('a send that is planned before the place that was read up to leaves with the next round', async () => {
  await sends(600);
  const held: (() => void)[] = [];
  gateway.answer = (asked, response) => void held.push(() => void take(asked, response));
  begin();
  await rig.dispatch.runOnce();
  await eventually(() => expect(held).toHaveLength(100));
  const earlier = await world.send({ dueAt: START - 500 });
  const later = await world.send({ dueAt: START + 500 });
  gateway.answer = take;
  for (const answer of held) answer();
  await eventually(async () => expect(await open()).toBe(2));
  await rig.dispatch.runOnce();
  await eventually(async () => expect((await world.read(earlier)).state).toBe('accepted'));
  expect((await world.read(later)).state).toBe('planned');
});

it('there are few statements for many sends, and only one a round names held sends', async () => {
  const asked: { text: string; parameters: readonly unknown[] }[] = [];
  const sql: Sql = {
    query: (text, parameters = []) => {
      if (sendStatementOf(text) === 'look-ahead') asked.push({ text, parameters });
      return world.dataSource.query(text, parameters);
    },
  };
  await sends(2_000);
  begin({ sql });
  await rig.dispatch.runOnce();
  await eventually(async () => expect(await open()).toBe(0));
  const fromStart = asked.filter(({ parameters }) => isRound(parameters));
  expect(fromStart).toHaveLength(1);
  // 200 of a project may wait here: each read brings half of them at least.
  expect(asked.length).toBeLessThan(2_000 / 100 + 3);
  rig.wakes = 0;
  await rig.dispatch.runOnce();
  expect(rig.wakes).toBe(0);
});

it('a read that failed is not made again and again: the next round reads the same', async () => {
  let away = true;
  let failed = 0;
  const sql: Sql = {
    query: async (text, parameters) => {
      const isFurther = sendStatementOf(text) === 'look-ahead' && !isRound(parameters);
      if (!away || !isFurther) return world.dataSource.query(text, parameters);
      failed += 1;
      await scheduler.wait(1);
      throw Object.assign(new Error('away'), { code: '08006' });
    },
  };
  await sends(600);
  begin({ sql });
  await rig.dispatch.runOnce();
  await eventually(() => {
    expect(failed).toBeGreaterThan(0);
    expect(rig.dispatch.inFlight).toBe(0);
  });
  expect(failed).toBe(1);
  expect(await open()).toBeGreaterThan(0);
  away = false;
  await rig.dispatch.runOnce();
  await eventually(async () => expect(await open()).toBe(0));
  expect(gateway.posts).toHaveLength(600);
});

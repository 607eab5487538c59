// A cancel never waits for a planning: it comes first, however large the plan, and nothing of what was being written leaves.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import type { Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { plannerOn, PlanWorld, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());
beforeEach(() => world.clock.set(START));

/** Runs `meanwhile` once, after the nth statement that writes cells, while its transaction is open. */
function interrupted(nth: number, meanwhile: () => Promise<unknown>): Database {
  let left = nth;
  const watched = (sql: Sql): Sql => ({
    query: async (text, parameters) => {
      const rows = await sql.query(text, parameters);
      if (text.startsWith('insert into cell') && (left -= 1) === 0) await meanwhile();
      return rows as never;
    },
  });
  return {
    query: world.dataSource.query.bind(world.dataSource),
    transaction: (work: (sql: never) => Promise<unknown>) =>
      world.dataSource.transaction((sql) => work(watched(sql) as never)),
  } as unknown as Database;
}

const cancel = (campaign: string, occurrence?: string) =>
  world.dataSource.transaction((sql) =>
    askAct(sql, {
      act: 'cancel',
      campaign,
      occurrence,
      now: new Date(world.clock.now()),
      by: 'spec',
      code: 'CANCELED_BY_EVENT',
    }),
  );

const segments = Array.from({ length: 300 }, (_, index) => ({
  zone: 'Asia/Seoul',
  audience: users(1, `p${index}-`),
}));
/** So far ahead that all of it is planned at once. */
const MONTH_MS = 31 * 86_400_000;
const daily: Delivery = {
  kind: 'recipient',
  local: '2027-03-02T09:00',
  segments,
  recurrence: 'FREQ=DAILY;COUNT=30',
};

async function written(campaign: string): Promise<object | undefined> {
  const [row] = await world.rows<object>(
    `select (select count(distinct occurrence)::int from cell where campaign = $1) as cells,
            (select count(distinct occurrence)::int from send where campaign = $1) as sends,
            (select count(*)::int from occurrence where campaign = $1 and state <> 'canceled') as occurrences`,
    [campaign],
  );
  return row;
}

it('of a campaign whose rows are being written is answered at once, and the rows are never there', async () => {
  const id = await world.accepted({
    audience: null,
    delivery: { kind: 'recipient', local: '2027-03-02T09:00', segments },
  });
  const answers: unknown[] = [];
  await plannerOn(
    interrupted(1, async () => answers.push(await cancel(id))),
    world.clock,
  ).runOnce();
  expect(answers).toEqual([{ kind: 'asked' }]);
  expect(await world.campaign(id)).toMatchObject({ state: 'canceling', plan_tries: 1 });
  expect(await written(id)).toEqual({ cells: 0, sends: 0, occurrences: 0 });
});

it('of a recurrence of many cells leaves what was committed before it to the take-back, and no more comes', async () => {
  const id = await world.accepted({ audience: null, delivery: daily });
  // The first transaction writes 13 occurrences, their cells with three statements.
  await plannerOn(
    interrupted(4, () => cancel(id)),
    world.clock,
    MONTH_MS,
  ).runOnce();
  const rows = await written(id);
  expect(rows).toEqual({ cells: 13, sends: 13, occurrences: 13 });
  await world.takeBack();
  const states = await world.rows('select distinct state from send where campaign = $1', [id]);
  expect(states).toEqual([{ state: 'canceled' }]);
});

it('of one occurrence leaves out that occurrence, and the others are planned', async () => {
  const id = await world.accepted({ audience: null, delivery: daily });
  await plannerOn(
    interrupted(1, () => cancel(id, '2027-03-05T09:00')),
    world.clock,
    MONTH_MS,
  ).runOnce();
  expect(await written(id)).toEqual({ cells: 29, sends: 29, occurrences: 29 });
  const [plan] = await world.rows<{ cells: number }>(
    `select (plan->>'cells')::int as cells from revision where campaign = $1`,
    [id],
  );
  expect(plan).toEqual({ cells: 29 * 300 });
});

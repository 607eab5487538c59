// While somebody holds a snapshot, entries of planned campaigns stay in the index of campaigns to plan. No round of the planner reads
// more because of them: the spec counts blocks, not time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { FullReads } from '../../../src/platform/loops/full-reads.js';
import { ClaimDue } from '../../../src/scheduler/plan/claim-due.js';
import { claimToPlan, FROM_START, lockToPlan, readToPlan } from '../../../src/scheduler/plan/plan.store.js';
import { workDue } from '../../../src/scheduler/work-due.store.js';
import { blocksOf } from '../../support/postgres/blocks-of.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { PlanWorld, SERVICE, START } from '../../support/scheduler/plan-world.js';

const PLANNED = 20_000;
/** How many more blocks a statement may read than without dead entries. */
const A_FEW = 40;
const MINUTE = 60_000;

let world: PlanWorld;
let holder: OwnConnection | undefined;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => {
  await holder?.release();
  await world.close();
});

const claim = { now: START, by: 'spec', limit: { campaigns: 32, bytes: 1_000_000 } };

async function blocks(
  questions: Readonly<Record<string, (sql: Sql) => Promise<unknown>>>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, ask] of Object.entries(questions)) counts[name] = await blocksOf(world.dataSource, ask);
  return counts;
}

/** Inserts all campaigns, plans them, and plans them once more, like recurrences whose next occurrences came near. */
async function livePlans(): Promise<string> {
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query("set session_replication_role = 'replica'");
    await own.query(
      `insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at)
       select id, $2, id::text, id, 'accepted', $3, $3, 'spec', $3
         from (select uuidv7() as id from generate_series(1, $1::int)) as ids`,
      [PLANNED, SERVICE, new Date(START)],
    );
    holder = await OwnConnection.beside(world.dataSource);
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from campaign');
    const at = (ms: number): string => `'${new Date(START + ms).toISOString()}'`;
    for (const change of [
      `state = 'planning', plan_tries = 1, plan_at = ${at(-9 * MINUTE)}`,
      `state = 'planned', plan_tries = 0, plan_at = ${at(-8 * MINUTE)}`,
      `plan_tries = 1, plan_at = ${at(-7 * MINUTE)}`,
      'plan_tries = 0, plan_at = null',
    ])
      await own.query(`update campaign set ${change}`);
    const [last] = await own.query<{ id: string }>(
      'select id from campaign where event = id order by id desc limit 1',
    );
    return last?.id ?? '';
  } finally {
    await own.release();
  }
}

it('a round reads no entries of campaigns that were planned under a held snapshot, and a full read all of them', async () => {
  const recurring = await world.accepted({
    delivery: { kind: 'wall', local: '2027-03-01T12:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY' },
  });
  await world.planDue.runOnce();
  const roundFrom = (born: string): Parameters<typeof blocks>[0] => ({
    claim: (sql) => claimToPlan(sql, { ...claim, from: { born, due: START - 5_000 } }),
    'what is claimed': (sql) => readToPlan(sql, [recurring]),
    'its locks': (sql) => lockToPlan(sql, [recurring]),
    'work due': (sql) =>
      workDue(sql, { now: START, upTo: START, loops: ['plan'], only: { since: START - 5_000 } }),
  });
  const fromStart: Parameters<typeof blocks>[0] = {
    claim: (sql) => claimToPlan(sql, { ...claim, from: FROM_START }),
    'work due': (sql) => workDue(sql, { now: START, upTo: START, loops: ['plan'] }),
  };
  const [roundBefore, fullBefore] = [await blocks(roundFrom(recurring)), await blocks(fromStart)];
  const last = await livePlans();
  const [round, full] = [await blocks(roundFrom(last)), await blocks(fromStart)];
  for (const [name, count] of Object.entries(round))
    expect(count - (roundBefore[name] ?? NaN), name).toBeLessThan(A_FEW);
  // So dead entries are there.
  for (const [name, count] of Object.entries(full))
    expect(count - (fullBefore[name] ?? NaN), name).toBeGreaterThan(PLANNED / 200);
});

/** Full reads as after one that took very long: none is made before `realMs`. */
class SlowClock extends SteppedClock {
  realMs = 0;

  override elapsed(): number {
    return this.realMs;
  }
}

it('between full reads it finds at once what is committed soon, and later what is committed late', async () => {
  const clock = new SlowClock(START);
  const [everyMs, limit] = [60_000, 3];
  const claims = new ClaimDue({
    database: world.dataSource,
    clock,
    by: 'spec',
    limit: { campaigns: limit, bytes: 1_000_000 },
    fullReads: new FullReads(clock, { everyMs, oneIn: 20 }),
  });
  /** And planned. */
  const claimed = async (): Promise<string[]> => {
    const ids = (await claims.claim()).claimed.map(({ id }) => id).toSorted();
    await world.dataSource.query('update campaign set plan_at = null, plan_tries = 0 where id = any($1)', [
      ids,
    ]);
    return ids;
  };
  const later = (ms: number): void => {
    clock.realMs += ms;
    clock.advance(ms);
    world.clock.advance(ms);
  };
  const bornAt = async (at: number): Promise<string> => {
    const now = world.clock.now();
    world.clock.set(at);
    const id = await world.accepted();
    world.clock.set(now);
    return id;
  };
  const putBack = async (id: string, at: number): Promise<string> => {
    await world.dataSource.query('update campaign set plan_at = $2 where id = $1', [id, new Date(at)]);
    return id;
  };
  world.clock.set(START);
  const first = await bornAt(START);
  expect(await claimed()).toEqual([first]);

  // More than are claimed at once.
  const many: string[] = [];
  for (const ms of [4, 5, 6, 7]) many.push(await bornAt(START + ms));
  expect(await claimed()).toEqual(many.slice(0, limit));
  later(6_000);
  expect(await claimed()).toEqual(many.slice(limit));

  // Committed after one that was inserted later.
  const late = await bornAt(START + 6_000);
  expect(await claimed()).toEqual([late]);
  const early = await bornAt(START + 5_000);
  expect(await claimed()).toEqual([early]);

  // Recurrences of one instant, more than are claimed at once.
  later(10_000);
  expect(await claimed()).toEqual([]);
  await Promise.all([first, ...many].map((id) => putBack(id, START + 8_000)));
  const some = await claimed();
  later(6_000);
  some.push(...(await claimed()));
  expect(some.toSorted()).toEqual([first, ...many].toSorted());

  // So old that it lies before the place from which it reads, until a full read.
  later(6_000);
  expect(await claimed()).toEqual([]);
  later(6_000);
  await putBack(first, START + 4_000);
  const old = await bornAt(START + 1);
  expect(await claimed()).toEqual([]);
  const fresh = await bornAt(START + 22_000);
  expect(await claimed()).toEqual([fresh]);
  later(everyMs);
  expect(await claimed()).toEqual([first, old].toSorted());

  // A clock that is set back gives ids and times before all that were read.
  clock.set(START - 60_000);
  const before = await bornAt(START - 60_000);
  expect(await claimed()).toEqual([before]);
});

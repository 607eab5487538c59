// A planning that fails for good comes to an end: a first one rejects its campaign, of a recurrence that goes on one
// occurrence is left out, and both are published.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { ClaimDue } from '../../../src/scheduler/plan/claim-due.js';
import { PlanDue } from '../../../src/scheduler/plan/plan-due.js';
import { PlanMaker } from '../../../src/scheduler/plan/plan-maker.js';
import { occurrencesOf } from '../../../src/scheduler/store/read/campaign.store.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { skippedOccurrences } from '../../../src/scheduler/store/occurrence.store.js';
import { outcomeEventsOf } from '../../support/events/outcome-events.js';
import { PlanWorld, plannerOn, projectsOf, START, users } from '../../support/scheduler/plan-world.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(async () => world.close());
beforeEach(() => world.clock.set(START));

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Tries whenever one is due, until the campaign is given up or nothing is due for a day; in ms since the first. */
async function triesOf(id: string): Promise<number[]> {
  const first = world.clock.now();
  const made: number[] = [];
  for (;;) {
    const [due] = await world.rows<{ at: number | null; tries: number }>(
      `select extract(epoch from nullif(plan_at, '-infinity'))::float8 * 1000 as at, plan_tries as tries from campaign
        where id = $1 and plan_at is not null`,
      [id],
    );
    if (due === undefined || (due.at ?? 0) > first + DAY) return made;
    world.clock.set(Math.max(world.clock.now(), Math.ceil(due.at ?? 0)));
    await world.planDue.runOnce();
    made.push(world.clock.now() - first);
    const { state, plan_tries: tries } = await world.campaign(id);
    if (state === 'rejected' || tries < due.tries) return made;
  }
}

async function breakData(id: string): Promise<void> {
  await world.rows(`update revision set data = jsonb_set(data, '{policy}', 'null') where campaign = $1`, [
    id,
  ]);
}

async function plannedOf(ids: readonly string[]): Promise<string[]> {
  const rows = await world.rows<{ id: string }>(
    `select id from campaign where id = any($1) and state = 'planned'`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

const published = (id: string) => outcomeEventsOf(world.dataSource, id);

/** A planner that waits for that once, between its claim and the transaction after it. */
function plannerBetween(that: () => Promise<void>): PlanDue {
  let begun = 0;
  const database: Database = {
    query: world.dataSource.query.bind(world.dataSource),
    transaction: async <Result>(work: (sql: Sql) => Promise<Result>) => {
      begun += 1;
      if (begun === 2) await that();
      return world.dataSource.transaction(work);
    },
  };
  return plannerOn(database, world.clock);
}

describe('a first planning that fails', () => {
  it('is tried ten times over half an hour, ever more rarely, and then rejects its campaign, with the reason', async () => {
    const id = await world.accepted();
    await breakData(id);
    const made = await triesOf(id);
    expect(made).toHaveLength(10);
    expect(made.at(-1)).toBeGreaterThanOrEqual(30 * MINUTE);
    expect(made.at(-1)).toBeLessThan(31 * MINUTE);
    const waits = made.slice(1).map((at, index) => at - (made[index] ?? 0));
    expect(waits.every((wait, index) => wait > (waits[index - 1] ?? 0))).toBe(true);

    const detail = expect.stringContaining('null') as string;
    expect(await world.campaign(id)).toMatchObject({ state: 'rejected', code: 'PLANNING_FAILED', detail });
    const [revision] = await world.rows('select state, reasons from revision where campaign = $1', [id]);
    expect(revision).toMatchObject({
      state: 'rejected',
      reasons: [{ code: 'PLANNING_FAILED', text: detail }],
    });
    expect((await published(id)).at(-1)).toMatchObject({
      type: 'carillon.outcome.campaign.rejected.v1',
      data: { code: 'PLANNING_FAILED', problems: [{ code: 'PLANNING_FAILED' }] },
    });
    world.clock.advance(DAY);
    expect(await world.planDue.runOnce()).toBe(0);
  });

  it('is given up as well where each of its tries ended its process', async () => {
    const id = await world.accepted();
    await world.rows('update campaign set plan_tries = 10 where id = $1', [id]);
    await world.planDue.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'rejected', code: 'PLANNING_FAILED' });
  });

  it('takes nobody with it where it ends its process: whoever was claimed with it is claimed alone', async () => {
    const ids = [await world.accepted(), await world.accepted(), await world.accepted()].toSorted();
    const claims = new ClaimDue({
      database: world.dataSource,
      clock: world.clock,
      by: 'spec',
      limit: { campaigns: 10, bytes: 1_000_000 },
    });
    expect((await claims.claim()).claimed.map(({ id }) => id).toSorted()).toEqual(ids);
    const fresh = await world.accepted();
    world.clock.advance(5_000);
    const planned: string[][] = [];
    for (let round = 0; round < 4; round += 1) {
      expect(await world.planDue.runOnce()).toBe(1);
      planned.push(await plannedOf([fresh, ...ids]));
    }
    expect(planned.at(0)).toEqual([fresh]);
    expect(planned.map((some) => some.length)).toEqual([1, 2, 3, 4]);
  });

  it('uses up no try while the database is away', async () => {
    const id = await world.accepted();
    let away = true;
    let begun = 0;
    const gone = Object.assign(new Error('terminating connection due to administrator command'), {
      code: '57P01',
    });
    const database: Database = {
      query: world.dataSource.query.bind(world.dataSource),
      transaction: async <Result>(work: (sql: never) => Promise<Result>) => {
        // The first of a round claims: the try is counted.
        begun += 1;
        if (away && begun % 2 === 0) throw gone;
        return world.dataSource.transaction(work as (sql: Sql) => Promise<Result>);
      },
    };
    const rules = loadZoneRules();
    const planDue = new PlanDue({
      database,
      clock: world.clock,
      log: pino({ level: 'silent' }),
      rules,
      plans: new PlanMaker({ rules }),
      projects: projectsOf(world.dataSource),
      offsetCacheMs: DAY,
    });
    for (let round = 0; round < 12; round += 1)
      await expect(planDue.runOnce()).rejects.toThrow('terminating');
    away = false;
    expect(await planDue.runOnce()).toBe(1);
    expect(await world.campaign(id)).toMatchObject({ state: 'planned', code: null, plan_tries: 0 });
  });
});

describe('the planning of a recurrence that goes on', () => {
  const weekly = {
    audience: users(2),
    delivery: {
      kind: 'wall',
      local: '2027-03-01T12:00',
      zone: 'Asia/Seoul',
      recurrence: 'FREQ=WEEKLY;BYDAY=MO;COUNT=8',
    },
  } as const;
  const NEXT = '2027-03-08T12:00';

  it('leaves out the occurrence it fails for, publishes that, and goes on with the next', async () => {
    const { id } = await world.planned(weekly);
    // Only a fault of ours could do this: its cell exists already.
    const [cell] = await world.rows<{ cell: string }>('select cell from cell where campaign = $1 limit 1', [
      id,
    ]);
    await world.damage(
      `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
       values ($1, $2, $3, 1, 'Asia/Seoul', 'delivery', '{}', 0)`,
      [id, NEXT, cell?.cell],
    );
    world.clock.advance(5 * DAY);
    const made = await triesOf(id);
    expect(made).toHaveLength(10);

    const states = await occurrencesOf(world.dataSource, id, 100);
    expect(states.find(({ occurrence }) => occurrence === NEXT)).toMatchObject({
      state: 'skipped',
      code: 'PLANNING_FAILED',
    });
    expect(await skippedOccurrences(world.dataSource, id)).toMatchObject([
      { occurrence: NEXT, code: 'PLANNING_FAILED' },
    ]);
    expect((await published(id)).at(-1)).toMatchObject({
      type: 'carillon.outcome.occurrence.skipped.v1',
      data: { occurrence: NEXT, state: 'skipped', code: 'PLANNING_FAILED' },
    });
    expect(await world.campaign(id)).toMatchObject({ state: 'planned', code: 'PLANNING_FAILED' });

    await world.rows('delete from cell where campaign = $1 and occurrence = $2', [id, NEXT]);
    for (let day = 0; day < 30; day += 1) {
      await world.planDue.runOnce();
      world.clock.advance(DAY);
    }
    const after = await occurrencesOf(world.dataSource, id, 100);
    expect(after.map(({ occurrence, state }) => `${occurrence} ${state}`).slice(0, 3)).toEqual([
      '2027-03-01T12:00 planned',
      '2027-03-08T12:00 skipped',
      '2027-03-15T12:00 planned',
    ]);
    expect(await world.campaign(id)).toMatchObject({ code: null });
    expect(await readLedger(world.dataSource, { serviceIds: null }, world.clock.now())).toMatchObject({
      balanced: true,
    });
  });

  it('leaves nothing out where its last try comes to an end after all, while another process gives it up', async () => {
    const { id } = await world.planned({
      ...weekly,
      delivery: { ...weekly.delivery, recurrence: 'FREQ=DAILY' },
    });
    world.clock.advance(15 * DAY);
    await world.rows('update campaign set plan_tries = 9, plan_at = $2 where id = $1', [
      id,
      new Date(world.clock.now()),
    ]);
    let other: Promise<number> | undefined;
    const lastTry: Promise<number> = plannerBetween(() => {
      world.clock.advance(DAY);
      return new Promise((hasClaimed) => {
        other = plannerBetween(async () => {
          hasClaimed();
          await lastTry;
        }).runOnce();
      });
    }).runOnce();
    expect([await lastTry, await other]).toEqual([1, 1]);
    const states = await occurrencesOf(world.dataSource, id, 100);
    expect(states.filter(({ state }) => state === 'skipped')).toEqual([]);
    expect(await world.campaign(id)).toMatchObject({ state: 'planned', code: null, plan_tries: 0 });
  });

  it('plans what stood before it in the same window', async () => {
    const { id } = await world.planned({
      ...weekly,
      delivery: { ...weekly.delivery, recurrence: 'FREQ=DAILY;COUNT=40' },
    });
    const [last] = (await occurrencesOf(world.dataSource, id, 1)).map(({ occurrence }) => occurrence);
    const [cell] = await world.rows<{ cell: string }>('select cell from cell where campaign = $1 limit 1', [
      id,
    ]);
    const third = new Date(Date.parse(`${last}Z`) + 3 * DAY).toISOString().slice(0, 16);
    await world.damage(
      `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, chunks)
       values ($1, $2, $3, 1, 'Asia/Seoul', 'delivery', '{}', 0)`,
      [id, third, cell?.cell],
    );
    world.clock.advance(5 * DAY);
    for (let round = 0; round < 4; round += 1) await triesOf(id);
    const after = await occurrencesOf(world.dataSource, id, 100);
    expect(after.filter(({ state }) => state === 'skipped').map(({ occurrence }) => occurrence)).toEqual([
      third,
    ]);
    await world.rows('delete from cell where campaign = $1 and occurrence = $2', [id, third]);
  });

  it('ends with what is planned where its rule cannot be read any more', async () => {
    const { id } = await world.planned(weekly);
    await breakData(id);
    world.clock.advance(15 * DAY);
    await triesOf(id);
    expect(await world.rows('select plan_at, code from campaign where id = $1', [id])).toEqual([
      { plan_at: null, code: 'PLANNING_FAILED' },
    ]);
  });
});

// Planning of campaigns that ask for approval, or name users to test with: what is planned, what waits, and what the ledger says.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { releaseApproved } from '../../../src/scheduler/store/approval.store.js';
import { readLedger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { PlanWorld, SERVICE, START } from '../../support/scheduler/plan-world.js';

const DAY = 86_400_000;

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  world.clock.set(START);
  await world.rows('update project set approval = $1, max_to = 2', ['none']);
});

const daily = {
  kind: 'wall',
  local: '2027-03-02T12:00',
  zone: 'UTC',
  recurrence: 'FREQ=DAILY;COUNT=5',
} as const;
const required = { approval: 'required' } as const;

const facts = async (id: string) => {
  const [row] = await world.rows<{
    state: string;
    plan_at: Date | number | null;
    revision: string;
    marks: number;
  }>(
    `select c.state, c.plan_at, r.state as revision,
            (select count(*)::int from campaign_act k where k.campaign = c.id and k.mark = 'approval' and k.goal = 'held') as marks
       from campaign c join revision r on r.campaign = c.id where c.id = $1`,
    [id],
  );
  return row;
};
const statesOf = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await world.sends(id)).map(({ occurrence, chunk, state }) => [`${occurrence} ${chunk}`, state]),
  );

describe('a campaign that asks for approval', () => {
  it('is planned, awaits it, and is held', async () => {
    const { id } = await world.planned({ policy: required });
    expect(await facts(id)).toEqual({
      state: 'awaiting-approval',
      plan_at: null,
      revision: 'awaiting-approval',
      marks: 1,
    });
    await world.takeBack();
    expect(await statesOf(id)).toEqual({ 'once 0': 'held' });
    expect(await world.path(id)).toEqual(['accepted', 'planning', 'awaiting-approval']);
    expect(await readLedger(world.dataSource, { serviceIds: null }, world.clock.now())).toMatchObject({
      balanced: true,
    });
  });

  it('does so for its project, whatever its own policy says', async () => {
    await world.rows('update project set approval = $1 where service_id = $2', ['required', SERVICE]);
    const { id } = await world.planned();
    expect(await facts(id)).toMatchObject({ state: 'awaiting-approval', marks: 1 });
  });

  it('is planned at once where nobody asks for it', async () => {
    const { id } = await world.planned();
    expect(await facts(id)).toMatchObject({ state: 'planned', revision: 'in-force', marks: 0 });
  });

  it('makes no further occurrence of a recurrence before it is approved, and goes on once for all of them', async () => {
    const { id } = await world.planned({ delivery: daily, policy: required });
    await world.takeBack();
    const first = { '2027-03-02T12:00 0': 'held', '2027-03-03T12:00 0': 'held' };
    expect(await statesOf(id)).toEqual(first);
    expect(await facts(id)).toMatchObject({ state: 'awaiting-approval', plan_at: Infinity });
    world.clock.advance(DAY);
    await world.planDue.runOnce();
    expect(await statesOf(id)).toEqual(first);

    await world.dataSource.transaction((sql) => releaseApproved(sql, id, new Date(world.clock.now()), 'ops'));
    await world.takeBack();
    await world.planDue.runOnce();
    expect(await facts(id)).toMatchObject({ state: 'planned', revision: 'in-force', marks: 0 });
    expect(await statesOf(id)).toEqual({
      '2027-03-02T12:00 0': 'planned',
      '2027-03-03T12:00 0': 'planned',
      '2027-03-04T12:00 0': 'planned',
    });
  });

  it('plans what came due meanwhile by its lateness', async () => {
    const { id } = await world.planned({ delivery: daily, policy: required });
    world.clock.advance(4 * DAY);
    await world.dataSource.transaction((sql) => releaseApproved(sql, id, new Date(world.clock.now()), 'ops'));
    await world.takeBack();
    await world.planDue.runOnce();
    expect(await statesOf(id)).toMatchObject({
      '2027-03-04T12:00 0': 'expired',
      '2027-03-06T12:00 0': 'planned',
    });
  });
});

describe('testTo', () => {
  const testTo = ['ann', 'bob', 'cho', 'ann'];

  it('is an occurrence of its own, due at once, in requests of maxTo, outside all counts of the plan', async () => {
    const { id } = await world.planned({ policy: { testTo, ...required }, delivery: daily });
    await world.takeBack();
    const states = await statesOf(id);
    expect(states).toMatchObject({
      'test-1 0': 'planned',
      'test-1 1': 'planned',
      '2027-03-02T12:00 0': 'held',
    });
    const tests = (await world.sends(id)).filter(({ occurrence }) => occurrence === 'test-1');
    expect(tests.map(({ recipients, due_ms }) => [recipients, due_ms])).toEqual([
      [['ann', 'bob'], START],
      [['cho'], START],
    ]);
    const [{ cells } = { cells: 0 }] = await world.rows<{ cells: number }>(
      "select (plan->>'cells')::int as cells from revision where campaign = $1",
      [id],
    );
    expect(cells).toBe(2);
  });

  it('is made once, however often a recurrence is planned on, and has its own line in the ledger', async () => {
    const { id } = await world.planned({ policy: { testTo }, delivery: daily });
    world.clock.advance(DAY);
    await world.planDue.runOnce();
    const names = Object.keys(await statesOf(id));
    expect(names.filter((name) => name.startsWith('test-'))).toEqual(['test-1 0', 'test-1 1']);
    expect(names).toHaveLength(5);
    const { tests, planned, missing } = await readLedger(
      world.dataSource,
      { serviceIds: null },
      world.clock.now(),
    );
    expect(missing).toEqual([]);
    expect(tests).toMatchObject({ balanced: true });
    expect(planned).toMatchObject({ balanced: true });
  });

  it('neither begins its campaign nor decides how it ends', async () => {
    const { id } = await world.planned({
      policy: { testTo: ['ann'] },
      delivery: { kind: 'instant', at: START + DAY },
    });
    const [test, ...others] = (await world.sends(id)).toSorted((a, b) =>
      b.occurrence.localeCompare(a.occurrence),
    );
    await world.lead(test?.id ?? '', ['sending', 'accepted', 'sent'], { target_count: 1, sent_count: 1 });
    await world.closeFinished.runOnce();
    expect((await world.campaign(id)).state).toBe('planned');
    for (const { id: send } of others) await world.lead(send, ['expired']);
    await world.closeFinished.runOnce();
    expect(await world.campaign(id)).toMatchObject({ state: 'expired', code: 'ALL_EXPIRED' });
    const told = await world.rows<{ target_count: string }>(
      "select target_count from send_event where campaign = $1 and kind = 'campaign.expired'",
      [id],
    );
    expect(told).toEqual([{ target_count: '0' }]);
  });
});

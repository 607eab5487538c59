// One service publishes many large campaigns: another's is planned beside the first of them, not behind the last.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../../src/platform/clock.js';
import type { Audience } from '../../../src/scheduler/decide/plan/campaign.js';
import { plannerOn, PlanWorld, SERVICE, START } from '../../support/scheduler/plan-world.js';

const GREEDY = 'greedy';
let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.project({ service_id: GREEDY });
});
afterAll(async () => world.close());
beforeEach(() => world.clock.set(START));

/** Random, so that PostgreSQL stores them as long as they are. */
function longIds(count: number): Audience {
  const to = Array.from({ length: count }, () => crypto.randomUUID() + crypto.randomUUID());
  return { type: 'USER', to, deviceType: null, country: [] };
}

async function campaigns(count: number, serviceId: string, audience: Audience): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await world.accepted({ serviceId, audience }));
  return ids;
}

async function stateOf(ids: readonly string[]): Promise<Record<string, number>> {
  const rows = await world.rows<{ state: string; count: number }>(
    `select state || ' ' || plan_tries as state, count(*)::int as count from campaign where id = any($1) group by 1 order by 1`,
    [ids],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

it('claims the first campaign of every service before the second of one', async () => {
  // One round claims two of them.
  const greedy = await campaigns(6, GREEDY, longIds(7_000));
  const [other = ''] = await campaigns(1, SERVICE, longIds(1));
  await world.planDue.runOnce();
  expect(await world.campaign(other)).toMatchObject({ state: 'planned' });
  expect(await stateOf(greedy)).toMatchObject({ 'planned 0': 1 });
  while ((await world.planDue.runOnce()) > 0);
  expect(await stateOf(greedy)).toEqual({ 'planned 0': 6 });
});

it('begins no further large campaign of a service after a while, and counts no try of those it left', async () => {
  const greedy = await campaigns(6, GREEDY, longIds(2_001));
  const other = await campaigns(1, SERVICE, longIds(2_001));
  let elapsed = 0;
  // Each look at the clock is a second later.
  const slow: Clock = {
    now: () => world.clock.now(),
    elapsed: () => (elapsed += 1_000),
    at: (at, fire) => world.clock.at(at, fire),
  };
  const planner = plannerOn(world.dataSource, slow);
  await planner.runOnce();
  expect(await stateOf(other)).toEqual({ 'planned 0': 1 });
  const left = (await stateOf(greedy))['planning 1'] ?? 0;
  expect(left).toBeGreaterThan(0);
  // Campaigns that came meanwhile are planned before those that were left.
  const [late = ''] = await campaigns(1, SERVICE, longIds(1));
  await planner.runOnce();
  expect(await world.campaign(late)).toMatchObject({ state: 'planned' });
  while ((await planner.runOnce()) > 0);
  expect(await stateOf(greedy)).toEqual({ 'planned 0': 6 });
});

// A send may end by a clock that was set back by days since it was planned, or by a machine whose clock is behind: every search by its
// id still finds it, so it is published, counted, shown and retried like any other.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { attentionStatesOf, countSends } from '../../../src/scheduler/report/lists/campaign-list.store.js';
import { makeRetries } from '../../../src/scheduler/store/send/retry.store.js';
import { sendById } from '../../../src/scheduler/store/read/send-view.store.js';
import { outcomeEventsOf } from '../../support/events/outcome-events.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { PlanWorld, SERVICE, users } from '../../support/scheduler/plan-world.js';
import { DAY_MS, retentionBuilders } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());
const { now, later, rollUp } = retentionBuilders(() => world);

const answered = () => ({ answered_at: now(), request_id: 'r', target_count: 3, sent_count: 0 });

/** Accepts the first of two sends, moves the clock by so many days, and ends both. */
async function ended(days: number): Promise<{ id: string; sends: readonly string[] }> {
  const made = await world.planned({ audience: users(2) });
  const [first = '', second = ''] = made.sends;
  // Planned by a machine whose clock is ahead, where the sends are to end before that.
  await later(Math.max(0, days));
  await world.lead(first, ['sending', 'accepted'], answered());
  world.clock.advance(-Math.abs(days) * DAY_MS);
  await ensurePartitions(world.dataSource, now());
  await world.lead(first, ['sent'], { sent_count: 3 });
  await world.lead(second, ['sending', 'accepted', 'failed'], answered());
  return made;
}

it.each([
  ['set back by hours', -0.9],
  ['set back by more than a day', -1.5],
  ['set back by days', -4],
  ['that is right, after another was ahead', 2],
])('a send that ends by a clock %s is found by its id', async (_, days) => {
  await later(0);
  const { id, sends } = await ended(days);
  const outcomes = (await outcomeEventsOf(world.dataSource, id)).map(
    ({ type }) => /send\.(\w+)/.exec(type)?.[1],
  );
  expect(outcomes.filter((state) => state !== undefined).toSorted()).toEqual([
    'accepted',
    'accepted',
    'failed',
    'sent',
  ]);
  await rollUp();
  expect(
    await world.rows(
      'select state, sum(sends)::int as sends from send_rollup where campaign = $1 group by 1 order by 1',
      [id],
    ),
  ).toEqual(['failed', 'sent'].map((state) => ({ state, sends: 1 })));
  for (const [index, state] of ['sent', 'failed'].entries())
    expect(await sendById(world.dataSource, sends[index] ?? '')).toMatchObject({ state });
  const at = world.clock.now();
  const retries = await world.dataSource.transaction((sql) =>
    makeRetries(sql, sends, { now: at, by: 'ops', nextDue: () => at }),
  );
  expect([...retries.values()]).toEqual(['NOT_RETRYABLE', expect.objectContaining({ of: sends[1] })]);
});

it.each([5, 23 * 60])(
  'a campaign whose sends end by a clock set back by %i minutes is listed with them',
  async (minutes) => {
    await later(0);
    const id = await world.accepted({ audience: users(2) });
    const createdAt = now();
    world.clock.advance(-minutes * 60_000);
    await ensurePartitions(world.dataSource, now());
    // Its plan was due by the clock that was ahead.
    await world.rows('update campaign set plan_at = $2 where id = $1 and plan_at is not null', [id, now()]);
    await world.planDue.runOnce();
    const sends = await world.sends(id);
    for (const [index, state] of (['sent', 'failed'] as const).entries())
      await world.lead(sends[index]?.id ?? '', ['sending', 'accepted', state], answered());
    const { states } = await countSends(world.dataSource, [{ id, createdAt }]);
    expect(states.get(id)).toEqual({ sent: 1, failed: 1 });
    const attention = await attentionStatesOf(world.dataSource, [{ id, serviceId: SERVICE, createdAt }]);
    expect(attention.get(id)).toEqual({ failed: 1 });
  },
);

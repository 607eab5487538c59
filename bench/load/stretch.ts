// Sends that come due evenly over a stretch of time: how many a second were taken, and how late.
import { scheduler } from 'node:timers/promises';
import type { World } from '../dispatch/world.js';

export interface Stretch {
  /** As they came due, a second; and as they were taken, until the last of them. */
  readonly due: number;
  readonly taken: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** Long enough for the sends to be there before they are due. */
const AHEAD_MS = 8_000;

export async function stretch(
  world: World,
  serviceId: string,
  perSecond: number,
  seconds: number,
): Promise<Stretch> {
  await world.sql.query('checkpoint');
  const count = Math.round(perSecond * seconds);
  const dueAt = Math.ceil((Date.now() + AHEAD_MS) / 1_000) * 1_000;
  const overMs = seconds * 1_000;
  const seeded = await world.seed({ count, state: 'planned', dueAt, overMs, serviceIds: [serviceId] });
  const [campaign = ''] = seeded.campaigns;
  await scheduler.wait(Math.max(0, dueAt + overMs - Date.now()));
  await world.none(campaign, ['planned', 'sending'], 100);
  return world.one<Stretch>(
    `select $2::float8 as due,
            count(*) / extract(epoch from greatest(max(answered_at), $3) - $4)::float8 as taken,
            percentile_cont(0.5) within group (order by late) as p50,
            percentile_cont(0.99) within group (order by late) as p99, max(late) as longest
       from (select answered_at, extract(epoch from answered_at - due_at)::float8 * 1000 as late from send
              where campaign = $1 and state in ('accepted', 'sent')) as l`,
    [campaign, count / seconds, new Date(dueAt + overMs), new Date(dueAt)],
  );
}

/** Sends that are due at once: how many are taken a second. */
export async function dispatchRate(world: World, serviceId: string, count: number): Promise<number> {
  const { campaigns, visibleAt } = await world.seed({
    count,
    state: 'planned',
    dueAt: Date.now() - 1_000,
    serviceIds: [serviceId],
  });
  for (const campaign of campaigns) await world.none(campaign, ['planned', 'sending'], 50);
  return (count / (performance.now() - visibleAt)) * 1_000;
}

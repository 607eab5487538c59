// The occurrences of a recurrence that are not planned yet: shown beside the plan, cancelled like any other, and planned when they
// come near; all of them at once where an event names the plan that was previewed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { canceled, type Json } from '../../support/scheduler/intake-world.js';
import { campaignOf, dataOf, START, TwoServices, type Plan } from '../../support/scheduler/two-services.js';

let world: TwoServices;
let serviceId: string;
beforeAll(async () => {
  world = await TwoServices.open('api,plan');
  ({ serviceId } = await world.project());
});
afterAll(() => world.close());

interface Shown {
  planned: string[];
  later: string[];
}
async function shown(campaign: string): Promise<Shown> {
  const { body } = await world.get(`/v1/campaigns/${campaign}/plan?limit=500`);
  const { items, later } = body as Plan & { later: string[] };
  return { planned: items.map(({ occurrence }) => occurrence), later };
}

const daily = (recurrence = 'FREQ=DAILY'): Json =>
  dataOf({ serviceId, delivery: { at: '2027-03-01T12:00', zone: 'Asia/Seoul', recurrence } });
const days = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) =>
    new Date(START + (from + index) * 86_400_000).toISOString().replace(/T.*/, 'T12:00'),
  );

it('are listed until they are planned, but for those that were cancelled', async () => {
  const campaign = campaignOf(await world.publish(daily()));
  expect(await world.planned(campaign)).toBe('planned');
  // Noon of the third day comes first in UTC+14, 58 hours after START.
  expect(await shown(campaign)).toEqual({ planned: days(0, 3), later: days(3, 36) });
  const [cancel] = days(10, 11);
  const time = new Date(world.clock.now()).toISOString();
  const answer = await world.scheduler.call('POST', '/v1/events', {
    authorization: world.publisher,
    body: canceled(`c-${world.published}`, { serviceId, occurrence: cancel }, { time }),
  });
  expect(answer.status).toBe(202);
  await eventually(async () =>
    expect((await shown(campaign)).later).toEqual(days(3, 36).filter((day) => day !== cancel)),
  );
  await world.moveTo(START + 86_400_000);
  await eventually(async () => expect((await shown(campaign)).planned).toEqual(days(0, 4)));
  expect((await shown(campaign)).later).toEqual(days(4, 37).filter((day) => day !== cancel));
});

it('are none of a rule that has ended, nor where the event named the plan of a dry run', async () => {
  const ended = campaignOf(await world.publish(daily('FREQ=DAILY;COUNT=2')));
  await world.moveTo(START + 86_400_000);
  const { planHash, items } = (await world.preview(daily(), '?limit=500')).body as Plan;
  // The first one is over.
  expect(items.map(({ occurrence }) => occurrence)).toEqual(days(1, 37));
  const pinned = campaignOf(await world.publish({ ...daily(), planHash }));
  for (const campaign of [ended, pinned]) await world.planned(campaign);
  expect(await shown(ended)).toMatchObject({ later: [] });
  expect(await shown(pinned)).toEqual({ planned: days(1, 37), later: [] });
});

// Lengths are code points in both services, as the published schemas say: what one takes, the other takes too.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, TwoServices } from '../../support/scheduler/two-services.js';

let world: TwoServices;
beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
});
afterAll(() => world.close());

it('a user of 128 emoji is registered, planned for and delivered to', async () => {
  const userId = '\u{1F514}'.repeat(128);
  const service = await world.project();
  expect((await service.register({ userId })).status).toBe(201);
  const data = dataOf({ serviceId: service.serviceId, audience: { type: 'USER', to: [userId] } });
  expect((await world.preview(data)).status).toBe(200);
  const published = await world.publish(data);
  expect(published.status).toBe(202);
  expect(await world.planned(campaignOf(published))).not.toBe('rejected');
  await eventually(
    async () => {
      await world.step(world.clock.now() + 1_000);
      const taken = (await world.taken()).find((one) => one.service === service.serviceId);
      const handed = taken === undefined ? [] : await world.stage.management.deliveries(taken.requestId);
      expect(handed).toMatchObject([{ userId, outcome: 'sent' }]);
    },
    { withinMs: 50_000 },
  );
});

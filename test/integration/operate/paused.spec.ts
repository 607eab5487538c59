// A campaign that is paused and resumed: a whole scheduler and the real push service over HTTP, counted in what devices got.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../support/scheduler/intake-world.js';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve'];

let world: TwoServices;
let service: string;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
  // It answers a second request under one key with its first answer: what is reserved anew needs another key.
  ({ serviceId: service } = await world.projectOf(USERS, { extensions: ['idempotency-key'] }));
}, 120_000);
afterAll(() => world.close());

const operate = async (path: string, body: Json = {}) =>
  world.scheduler.call('POST', `/v1/campaigns/${path}`, {
    authorization: await world.scheduler.bearer(['operator']),
    body,
  });

const sends = async (campaign: string): Promise<Record<string, number>> =>
  ((await world.get(`/v1/campaigns/${campaign}`)).body as { sends: Record<string, number> }).sends;

const asked = async (state: string) =>
  (await world.taken()).filter((one) => one.service === service && one.state === state);

it('asks back what the push service holds, holds the rest, and sends everybody one message once it goes on', async () => {
  const due = new Date(START + 12 * HOUR).toISOString().slice(0, 16);
  const published = await world.publish(
    dataOf({
      serviceId: service,
      audience: { type: 'USER', to: USERS },
      delivery: { at: due, zone: 'UTC' },
    }),
  );
  expect(published.status).toBe(202);
  const campaign = campaignOf(published);
  await eventually(async () => expect(await sends(campaign)).toEqual({ reserved: 3 }));

  const preview = await operate(`${campaign}/pause?preview=true`);
  expect(preview).toMatchObject({
    status: 202,
    body: { changed: false, paused: false, preview: { atOnce: 0, askedOfPushService: 3, tooLate: 0 } },
  });
  expect(await operate(`${campaign}/pause`, { reason: 'the link is wrong' })).toMatchObject({
    status: 202,
    body: { act: 'pause', changed: true, paused: true, preview: null },
  });
  await eventually(async () => expect(await sends(campaign)).toEqual({ held: 3 }));
  expect(await asked('CANCELED')).toHaveLength(3);
  expect((await world.get(`/v1/campaigns/${campaign}`)).body).toMatchObject({
    paused: true,
    acts: [{ act: 'pause', reason: 'the link is wrong', isDone: true, moved: 3, left: 0 }],
  });

  expect(await operate(`${campaign}/resume?preview=true`)).toMatchObject({
    body: {
      preview: {
        atOnce: 3,
        late: { expire: 0, send: 0 },
        firstDueAt: new Date(START + 12 * HOUR).toISOString(),
      },
    },
  });
  expect(await operate(`${campaign}/resume`)).toMatchObject({ body: { changed: true, paused: false } });
  await eventually(async () => expect(await sends(campaign)).toEqual({ reserved: 3 }));
  expect(await asked('READY')).toHaveLength(3);
  expect((await world.get(`/v1/campaigns/${campaign}`)).body).toMatchObject({ paused: false, acts: [] });

  await world.moveTo(START + 12 * HOUR + 60_000);
  await eventually(async () => expect(await world.firing()).toBe(0), { withinMs: 30_000 });
  let at = START + 12 * HOUR + 60_000;
  await eventually(
    async () => {
      // Results are asked for as time goes on.
      await world.moveTo((at += 10_000));
      expect(await sends(campaign)).toEqual({ sent: 3 });
    },
    { withinMs: 30_000 },
  );
  expect((await world.counts()).get(service)).toMatchObject({ handed: USERS.length });
}, 120_000);

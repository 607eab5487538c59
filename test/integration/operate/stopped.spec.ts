/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// Projects that are stopped, with and without a recall, and started: a whole scheduler and the real push service over HTTP, counted in
// what devices got.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../support/scheduler/intake-world.js';
import { eventually } from '../../support/eventually.js';
import { CuttingProxy } from '../../support/peers/cutting-proxy.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve'];
const PATIENT = { withinMs: 30_000 };
/** maxTo is 2. */
const REQUESTS = 3;

let world: TwoServices;
let now = START;
let proxy: CuttingProxy;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
  proxy = await CuttingProxy.inFrontOf(world.stage.target.url, 'DELETE');
}, 120_000);
afterAll(async () => {
  await proxy.close();
  await world.close();
});

/** A project with five users. What is reserved anew needs another key, because the push service remembers keys. */
const project = async (settings: Json = {}): Promise<string> =>
  (await world.projectOf(USERS, { extensions: ['idempotency-key'], ...settings })).serviceId;

/** A whole minute. */
const dueIn = (hours: number): string =>
  new Date(Math.floor((now + hours * HOUR) / 60_000) * 60_000).toISOString();

const publish = async (serviceId: string, hours: number, more: Json = {}): Promise<string> => {
  const published = await world.publish(
    dataOf({
      serviceId,
      audience: { type: 'USER', to: USERS },
      delivery: { at: dueIn(hours).slice(0, 16), zone: 'UTC' },
      ...more,
    }),
  );
  expect(published.status).toBe(202);
  return campaignOf(published);
};

const operate = async (path: string, body: Json = {}, services: readonly string[] = ['*']) =>
  world.scheduler.call('POST', `/v1/${path}`, {
    authorization: await world.scheduler.bearer(['operator'], services),
    body,
  });

const show = async (serviceId: string) =>
  (
    await world.scheduler.call('GET', `/v1/projects/${serviceId}`, {
      authorization: await world.scheduler.bearer(['operator']),
    })
  ).body as Json;

const campaign = async (id: string) =>
  (await world.get(`/v1/campaigns/${id}`)).body as {
    sends: Record<string, number>;
    acts: Json[];
    paused: boolean;
  };

const sends = (id: string, wanted: Record<string, number>) =>
  eventually(async () => expect((await campaign(id)).sends).toEqual(wanted), PATIENT);

const moveTo = async (instant: number): Promise<void> => {
  now = instant;
  await world.moveTo(instant);
};

/** To a time at which reservations are due: none of them misses its minute. */
const fireAt = async (instant: number): Promise<void> => {
  await moveTo(instant);
  await eventually(async () => expect(await world.firing()).toBe(0), PATIENT);
};

/** Time goes on in small steps, in which results are asked for. */
const later = (id: string, wanted: Record<string, number>) =>
  eventually(async () => {
    await moveTo(now + 10_000);
    expect((await campaign(id)).sends).toEqual(wanted);
  }, PATIENT);

const handed = async (service: string): Promise<number> => (await world.counts()).get(service)?.handed ?? 0;
const reservations = async (service: string, state: string): Promise<number> =>
  (await world.taken()).filter((one) => one.service === service && one.state === state).length;

describe('a stop without a recall', () => {
  it('says what it holds, and how much is still delivered and when, and that is what happens', async () => {
    const service = await project();
    const reserved = await publish(service, 2);
    const planned = await publish(service, 3, { policy: { handoff: 'hold', lateness: { max: 'PT6H' } } });
    const standing = await publish(service, 30, { policy: { handoff: 'hold' } });
    await sends(reserved, { reserved: REQUESTS });
    for (const one of [planned, standing]) await sends(one, { planned: REQUESTS });
    const next = dueIn(2);
    const counts = {
      held: 2 * REQUESTS,
      atPushService: { reservations: REQUESTS, next, standing: 0, inFlight: 0 },
    };
    const preview = await operate(`projects/${service}/stop?preview=true`);
    expect(preview).toMatchObject({ status: 200, body: { blocked: null, changed: false, ...counts } });
    expect((await show(service))['stopped']).toBeNull();

    const stop = await operate(`projects/${service}/stop`, { reason: 'wrong prices' });
    expect(stop).toMatchObject({
      status: 200,
      body: {
        blocked: { code: 'STOPPED', detail: 'wrong prices' },
        recalled: false,
        changed: true,
        ...counts,
      },
    });
    expect(await show(service)).toMatchObject({ stopped: counts });

    await fireAt(now + 2 * HOUR + 60_000);
    await later(reserved, { sent: REQUESTS });
    expect(await handed(service)).toBe(USERS.length);
    await moveTo(now + 2 * HOUR);
    expect((await campaign(planned)).sends).toEqual({ planned: REQUESTS });
    expect(await show(service)).toMatchObject({
      stopped: {
        held: 2 * REQUESTS,
        atPushService: { reservations: 0, next: null, standing: 0, inFlight: 0 },
      },
    });
    expect(await operate(`projects/${service}/start`)).toMatchObject({
      body: { blocked: null, changed: true },
    });
    await later(planned, { sent: REQUESTS });
    expect(await handed(service)).toBe(2 * USERS.length);
    expect(await operate(`projects/${service}/start`)).toMatchObject({
      body: { blocked: null, changed: false },
    });
  }, 120_000);
});

describe('a stop with a recall', () => {
  it('takes back what the push service holds, through lost answers, and a start puts it back once', async () => {
    const service = await project({ baseUrl: proxy.url });
    const due = Date.parse(dueIn(12));
    const [one, paused] = [await publish(service, 12), await publish(service, 12)];
    for (const id of [one, paused]) await sends(id, { reserved: REQUESTS });
    proxy.cutNext(['unanswered', 'during', 'before', 'unanswered']);
    const stop = await operate(`projects/${service}/stop`, { reason: 'wrong prices', recall: true });
    expect(stop).toMatchObject({
      status: 200,
      body: { held: 0, atPushService: { reservations: 2 * REQUESTS, next: dueIn(12), standing: 0 } },
    });
    // A cancel whose answer was lost is asked again later.
    for (const id of [one, paused]) await later(id, { held: REQUESTS });
    expect(proxy.endCutting().length).toBeGreaterThan(0);
    expect(await reservations(service, 'READY')).toBe(0);
    expect(await show(service)).toMatchObject({
      recalled: true,
      stopped: { held: 2 * REQUESTS, atPushService: { reservations: 0, next: null, inFlight: 0 } },
    });
    expect(await campaign(one)).toMatchObject({
      paused: false,
      acts: [{ act: 'recall', reason: 'wrong prices', isDone: true, moved: REQUESTS }],
    });

    // A pause beneath the stop: neither a start nor a resume alone releases what both hold.
    expect(await operate(`campaigns/${paused}/pause`)).toMatchObject({
      status: 202,
      body: { changed: true },
    });
    const starts = await Promise.all([1, 2].map(() => operate(`projects/${service}/start`)));
    expect(starts.map(({ body }) => (body as Json)['changed']).filter(Boolean)).toHaveLength(1);
    await sends(one, { reserved: REQUESTS });
    expect((await campaign(paused)).sends).toEqual({ held: REQUESTS });
    await operate(`projects/${service}/stop`, { recall: true });
    await sends(one, { held: REQUESTS });
    await operate(`campaigns/${paused}/resume`);
    await eventually(async () => expect((await campaign(paused)).paused).toBe(false));
    await operate(`projects/${service}/start`);
    for (const id of [one, paused]) await sends(id, { reserved: REQUESTS });

    await fireAt(due + 60_000);
    for (const id of [one, paused]) await later(id, { sent: REQUESTS });
    expect(await handed(service)).toBe(2 * USERS.length);
  }, 120_000);

  it('makes late what its start comes too late for, as its lateness says', async () => {
    const service = await project();
    const lateness = (then: string) => ({ policy: { lateness: { max: 'PT1H', then } } });
    const strict = await publish(service, 2, lateness('expire'));
    const patient = await publish(service, 2, lateness('send'));
    for (const id of [strict, patient]) await sends(id, { reserved: REQUESTS });
    await operate(`projects/${service}/stop`, { recall: true });
    for (const id of [strict, patient]) await sends(id, { held: REQUESTS });
    await moveTo(now + 4 * HOUR);
    await operate(`projects/${service}/start`);
    await later(strict, { expired: REQUESTS });
    await later(patient, { sent: REQUESTS });
    expect(await handed(service)).toBe(USERS.length);
  }, 120_000);
});

describe('a stop of all projects', () => {
  it('is for those of the token, with the same answer for each', async () => {
    const [one, two, foreign] = [await project(), await project(), await project()];
    const id = await publish(one, 12);
    await sends(id, { reserved: REQUESTS });
    const held = [one, two];
    const stop = await operate('stop', { reason: 'incident', recall: true }, held);
    const projects = (stop.body as { projects: { serviceId: string }[] }).projects;
    expect(projects.map(({ serviceId }) => serviceId)).toEqual(held.toSorted());
    expect(projects.find(({ serviceId }) => serviceId === one)).toMatchObject({
      blocked: { code: 'STOPPED', detail: 'incident' },
      changed: true,
      held: 0,
      atPushService: { reservations: REQUESTS, next: dueIn(12), standing: 0, inFlight: 0 },
    });
    await sends(id, { held: REQUESTS });
    expect(await show(foreign)).toMatchObject({ blocked: null, stopped: null });
    expect(await operate('start?preview=true', {}, held)).toMatchObject({
      body: { projects: [{ changed: false }, { changed: false }] },
    });
    await operate('start', {}, held);
    await sends(id, { reserved: REQUESTS });
    expect((await operate('start', {}, held)).body).toMatchObject({
      projects: [{ changed: false }, { changed: false }],
    });
  }, 120_000);
});

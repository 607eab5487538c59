// Revisions of a campaign that is under way: a whole scheduler and the real push service over HTTP, counted in what the push service
// was asked for and in what devices got.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve'];
const PATIENT = { withinMs: 30_000 };

interface Shown {
  state: string;
  paused: boolean;
  revision: number;
  name: string | null;
  sends: Record<string, number>;
  revisions: {
    revision: number;
    state: string;
    hash: string;
    reasons: Json[] | null;
    difference: Json | null;
  }[];
  acts: Json[];
  occurrences: Json[];
}

let world: TwoServices;
let now = START;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
}, 120_000);
afterAll(() => world.close());

const register = async (settings: Json = {}): Promise<string> =>
  (await world.projectOf(USERS, settings)).serviceId;

const utc = (hours: number): string => new Date(now + hours * HOUR).toISOString().slice(0, 16);
const moveTo = async (instant: number): Promise<void> => {
  now = instant;
  await world.moveTo(instant);
};
const shown = async (campaign: string): Promise<Shown> =>
  (await world.get(`/v1/campaigns/${campaign}`)).body as Shown;
const data = (service: string, more: Json = {}): Json =>
  dataOf({
    serviceId: service,
    audience: { type: 'USER', to: USERS },
    message: { default: { content: 'first' } },
    delivery: { at: utc(12), zone: 'UTC' },
    ...more,
  });

/** Publishes a campaign; returns our id, and what publishes its next revision. */
const publish = async (first: Json) => {
  const published = await world.publish(first);
  expect(published.status).toBe(202);
  const campaign = campaignOf(published);
  const subject = `c-${world.published}`;
  await world.planned(campaign);
  const revise = async (next: Json, envelope: Json = {}) => {
    await moveTo(now + 1_000);
    const event = scheduled(subject, {}, { data: next, time: new Date(now).toISOString(), ...envelope });
    return world.scheduler.call('POST', '/v1/events', {
      authorization: world.publisher,
      body: event,
      headers: { 'content-type': 'application/cloudevents+json' },
    });
  };
  return { campaign, revise };
};

const becomes = (campaign: string, wanted: object): Promise<unknown> =>
  eventually(async () => {
    expect(await shown(campaign)).toMatchObject(wanted);
  }, PATIENT);
/** Results are asked for as time goes on: five seconds a try. */
const settled = (campaign: string, wanted: object): Promise<unknown> =>
  eventually(async () => {
    await moveTo(now + 5_000);
    expect(await shown(campaign)).toMatchObject(wanted);
  }, PATIENT);
const inForce = (campaign: string, revision: number): Promise<unknown> =>
  settled(campaign, { revision, acts: [] });
const handed = async (service: string): Promise<number> => (await world.counts()).get(service)?.handed ?? 0;
const ready = async (service: string) =>
  (await world.taken()).filter((one) => one.service === service && one.state === 'READY');
/** Of each request that the push service has sent. */
const contents = async (service: string): Promise<string[]> =>
  (await world.taken())
    .filter((one) => one.service === service && one.state === 'FINISHED')
    .map(({ message }) => message.default.content)
    .sort();
const ledger = async (): Promise<void> => {
  const { body } = await world.scheduler.call('GET', '/v1/ledger', {
    authorization: await world.scheduler.bearer(['analyst']),
  });
  expect(body).toMatchObject({ missing: [] });
};

const view = async (campaign: string, revision: number): Promise<Json> =>
  (await world.get(`/v1/campaigns/${campaign}/revisions/${revision}`)).body as Json;
const second: Json = { message: { default: { content: 'second' } } };
const answer = async (path: string, body: Json = {}) =>
  world.scheduler.call('POST', `/v1/campaigns/${path}`, {
    authorization: await world.scheduler.bearer(['operator']),
    body,
  });

describe('a revision', () => {
  it('replaces reservations, and everybody gets the last message once', async () => {
    const service = await register();
    const { campaign, revise } = await publish(data(service));
    await settled(campaign, { sends: { reserved: 3 } });
    expect(await revise(data(service, { name: 'second', ...second }))).toMatchObject({ status: 202 });
    await inForce(campaign, 2);
    expect(await shown(campaign)).toMatchObject({
      name: 'second',
      revisions: [
        { revision: 1, state: 'superseded' },
        { revision: 2, state: 'in-force' },
      ],
    });
    expect(await view(campaign, 2)).toMatchObject({
      state: 'in-force',
      difference: {
        cells: { same: 0, changed: 1, new: 0, gone: 0, late: 0 },
        requests: { same: 0, changed: 3, new: 0, gone: 0, late: 0 },
        changed: [{ occurrence: 'once', what: 'changed' }],
        kept: [],
        tooLate: 0,
      },
    });
    expect(await view(campaign, 1)).toMatchObject({ difference: null });
    expect(await world.get(`/v1/campaigns/${campaign}/revisions/3`)).toMatchObject({ status: 404 });
    await settled(campaign, { sends: { reserved: 3 } });
    expect(await ready(service)).toHaveLength(3);
    await moveTo(START + 12 * HOUR);
    await settled(campaign, { state: 'completed' });
    expect(await handed(service)).toBe(5);
    expect(await contents(service)).toEqual(['second', 'second', 'second']);
    await ledger();
  }, 120_000);

  it('that changes nothing but its name keeps every reservation', async () => {
    await moveTo(START + 13 * HOUR);
    const service = await register();
    const first = data(service);
    const { campaign, revise } = await publish(first);
    await settled(campaign, { sends: { reserved: 3 } });
    const before = (await ready(service)).map(({ requestId }) => requestId);
    await revise({ ...first, name: 'another name' });
    await inForce(campaign, 2);
    expect((await ready(service)).map(({ requestId }) => requestId)).toEqual(before);
    expect(await view(campaign, 2)).toMatchObject({ difference: { requests: { same: 3, changed: 0 } } });
  }, 120_000);

  it('of an audience of which a part has it is rejected, and the rest gets what was in force', async () => {
    await moveTo(START + 30 * HOUR);
    const service = await register();
    // One request a minute.
    const paced = {
      delivery: { at: utc(1), zone: 'UTC' },
      policy: { pace: { perMinute: 1 }, handoff: 'hold' },
    };
    const due = now + HOUR;
    const first = data(service, paced);
    const { campaign, revise } = await publish(first);
    await moveTo(due);
    await becomes(campaign, { sends: { planned: 2 } });
    // Time stands still from here: the next leaves within a minute.
    await revise({ ...first, audience: { type: 'USER', to: ['ann'] } });
    await becomes(campaign, {
      revision: 1,
      revisions: [{ state: 'in-force' }, { state: 'rejected', reasons: [{ code: 'AUDIENCE_FIXED' }] }],
    });
    // Its message may change for the rest.
    await revise({ ...first, ...second });
    await becomes(campaign, { revision: 3, acts: [] });
    await moveTo(due + 61_000);
    await settled(campaign, { state: 'completed' });
    expect(await contents(service)).toEqual(['first', 'second', 'second']);
    expect(await handed(service)).toBe(5);
    await ledger();
  }, 180_000);

  it('that asks for approval waits while the one before stands, and is declined or approved', async () => {
    await moveTo(START + 48 * HOUR);
    const service = await register();
    const first = data(service);
    const due = now + 12 * HOUR;
    const { campaign, revise } = await publish(first);
    await settled(campaign, { sends: { reserved: 3 } });
    const asking = { ...first, ...second, policy: { approval: 'required' } };
    await revise(asking);
    await settled(campaign, {
      revision: 1,
      revisions: [{}, { state: 'awaiting-approval' }],
      sends: { reserved: 3 },
    });
    expect(await answer(`${campaign}/decline`, { reason: 'no' })).toMatchObject({ status: 202 });
    await settled(campaign, {
      revision: 1,
      revisions: [{}, { state: 'rejected', reasons: [{ code: 'DECLINED' }] }],
    });
    await revise(asking);
    await settled(campaign, { revisions: [{}, {}, { state: 'awaiting-approval' }] });
    const [, , third] = (await shown(campaign)).revisions;
    const saw = { revision: 3, hash: third?.hash ?? '' };
    expect(await answer(`${campaign}/approve`, { ...saw, revision: 1 })).toMatchObject({ status: 409 });
    expect(await answer(`${campaign}/approve`, saw)).toMatchObject({ status: 202 });
    await inForce(campaign, 3);
    await settled(campaign, { sends: { reserved: 3 } });
    await moveTo(due);
    await settled(campaign, { state: 'completed' });
    expect(await contents(service)).toEqual(['second', 'second', 'second']);
    expect(await handed(service)).toBe(5);
    await ledger();
  }, 180_000);

  it('of a paused campaign holds, and a resume sends it', async () => {
    await moveTo(START + 72 * HOUR);
    const service = await register();
    const due = now + 12 * HOUR;
    const first = data(service);
    const { campaign, revise } = await publish(first);
    await settled(campaign, { sends: { reserved: 3 } });
    await answer(`${campaign}/pause`);
    await settled(campaign, { sends: { held: 3 } });
    await revise({ ...first, ...second });
    await settled(campaign, { revision: 2, sends: { held: 3 } });
    expect(await ready(service)).toHaveLength(0);
    await answer(`${campaign}/resume`);
    await settled(campaign, { sends: { reserved: 3 }, acts: [] });
    await moveTo(due);
    await settled(campaign, { state: 'completed' });
    expect(await contents(service)).toEqual(['second', 'second', 'second']);
    expect(await handed(service)).toBe(5);
  }, 180_000);

  it('beside another one and a cancel: nobody gets anything after the cancel is confirmed', async () => {
    await moveTo(START + 96 * HOUR);
    const service = await register();
    const first = data(service);
    const due = now + 12 * HOUR;
    const { campaign, revise } = await publish(first);
    await settled(campaign, { sends: { reserved: 3 } });
    await revise({ ...first, ...second });
    await revise({ ...first, message: { default: { content: 'third' } } });
    await answer(`${campaign}/cancel`);
    await settled(campaign, { state: 'canceled' });
    expect(await revise(first)).toMatchObject({ status: 422 });
    await moveTo(due);
    await moveTo(due + 120_000);
    expect(await handed(service)).toBe(0);
    expect(await ready(service)).toHaveLength(0);
    await ledger();
  }, 180_000);

  it('that is not newer is refused', async () => {
    const service = await register();
    const first = data(service);
    const { revise } = await publish(first);
    expect(await revise(first, { time: new Date(START).toISOString() })).toMatchObject({
      status: 422,
      body: { events: [{ problems: [{ code: 'SUPERSEDED' }] }] },
    });
  }, 60_000);
});

// Approval and test sends: a whole scheduler and the real push service over HTTP, counted in what devices got.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { ExpireHeld } from '../../../src/scheduler/operate/changes/expire-held.js';
import type { Json } from '../../support/scheduler/intake-world.js';
import { eventually } from '../../support/eventually.js';
import { campaignOf, dataOf, START, TwoServices } from '../../support/scheduler/two-services.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'bob', 'cho', 'dan', 'eve'];
const PATIENT = { withinMs: 30_000 };

interface Shown {
  state: string;
  code: string | null;
  detail: string | null;
  paused: boolean;
  sends: Record<string, number>;
  revisions: { revision: number; hash: string; state: string; reasons: Json[] | null }[];
  acts: Json[];
}

let world: TwoServices;
let now = START;

const register = async (settings: Json = {}, more: Json = {}): Promise<string> =>
  (await world.projectOf(USERS, settings, more)).serviceId;

beforeAll(async () => {
  world = await TwoServices.open('api,plan,dispatch,follow');
}, 120_000);
afterAll(() => world.close());

const shown = async (campaign: string): Promise<Shown> =>
  (await world.get(`/v1/campaigns/${campaign}`)).body as Shown;

const answer = async (path: string, body: Json, authorization?: string) =>
  world.scheduler.call('POST', `/v1/campaigns/${path}`, {
    authorization: authorization ?? (await world.scheduler.bearer(['operator'])),
    body,
  });

const sawOf = async (campaign: string): Promise<{ revision: number; hash: string }> => {
  const [{ revision, hash } = { revision: 0, hash: '' }] = (await shown(campaign)).revisions;
  return { revision, hash };
};

const publish = async (serviceId: string, more: Json = {}): Promise<string> => {
  const published = await world.publish(
    dataOf({
      serviceId,
      audience: { type: 'USER', to: USERS },
      delivery: { at: utc(12), zone: 'UTC' },
      ...more,
    }),
  );
  expect(published.status).toBe(202);
  return campaignOf(published);
};

const utc = (hours: number): string => new Date(now + hours * HOUR).toISOString().slice(0, 16);

const moveTo = async (instant: number): Promise<void> => {
  now = instant;
  await world.moveTo(instant);
};

const handed = async (service: string): Promise<number> => (await world.counts()).get(service)?.handed ?? 0;

const until = (campaign: string, wanted: Partial<Shown>): Promise<unknown> =>
  eventually(async () => {
    // Results are asked for as time goes on.
    await moveTo(now + 10_000);
    expect(await shown(campaign)).toMatchObject(wanted);
  }, PATIENT);

describe('a campaign that awaits approval', () => {
  it('is planned and shown, leaves once it is approved, and reaches everybody once', async () => {
    const service = await register();
    const campaign = await publish(service, { policy: { approval: 'required' } });
    expect(await world.planned(campaign)).toBe('awaiting-approval');
    await eventually(async () => expect((await shown(campaign)).sends).toEqual({ held: 3 }));
    const saw = await sawOf(campaign);
    expect(await shown(campaign)).toMatchObject({
      paused: false,
      acts: [],
      revisions: [{ revision: 1, state: 'awaiting-approval', hash: saw.hash }],
    });
    const wrong = { ...saw, hash: '0'.repeat(64) };
    expect(await answer(`${campaign}/approve`, wrong)).toMatchObject({
      status: 409,
      body: { code: 'HASH_DIFFERS' },
    });
    expect(await answer(`${campaign}/approve`, { ...saw, revision: 2 })).toMatchObject({
      status: 409,
      body: { code: 'REVISION_CHANGED' },
    });
    expect(await answer(`${campaign}/approve?preview=true`, saw)).toMatchObject({
      status: 202,
      body: {
        act: 'approve',
        state: 'awaiting-approval',
        changed: false,
        preview: {
          atOnce: 3,
          late: { expire: 0, send: 0 },
          firstDueAt: new Date(START + 12 * HOUR).toISOString(),
        },
      },
    });
    // The publisher asked for it of its own accord, and releases its own draft.
    expect(await answer(`${campaign}/approve`, saw, world.publisher)).toMatchObject({
      status: 202,
      body: { act: 'approve', state: 'planned', changed: true },
    });
    expect(await answer(`${campaign}/approve`, saw)).toMatchObject({ status: 202, body: { changed: false } });
    expect(await answer(`${campaign}/decline`, { reason: 'late' })).toMatchObject({
      status: 409,
      body: { code: 'APPROVED_ALREADY' },
    });
    await eventually(async () =>
      expect(await shown(campaign)).toMatchObject({
        sends: { reserved: 3 },
        acts: [],
        revisions: [{ state: 'in-force' }],
      }),
    );
    await moveTo(START + 12 * HOUR + 60_000);
    await until(campaign, { state: 'completed', sends: { sent: 3 } });
    expect(await handed(service)).toBe(USERS.length);
  }, 120_000);

  it('stays held by a pause beside it, whichever of the two is lifted first', async () => {
    const service = await register();
    const [first, second] = await Promise.all(
      [1, 2].map(() => publish(service, { policy: { approval: 'required' } })),
    );
    for (const campaign of [first ?? '', second ?? '']) {
      expect(await world.planned(campaign)).toBe('awaiting-approval');
      expect(await answer(`${campaign}/pause`, {})).toMatchObject({ status: 202, body: { changed: true } });
      await eventually(async () => expect((await shown(campaign)).sends).toEqual({ held: 3 }));
    }
    const resume = (campaign: string) => answer(`${campaign}/resume`, {});
    const approve = async (campaign: string) => answer(`${campaign}/approve`, await sawOf(campaign));
    await approve(first ?? '');
    await resume(second ?? '');
    await eventually(async () => {
      expect(await shown(first ?? '')).toMatchObject({ state: 'planned', paused: true, sends: { held: 3 } });
      expect((await shown(first ?? '')).acts).toMatchObject([{ act: 'pause', isDone: true }]);
      const other = await shown(second ?? '');
      expect(other).toMatchObject({
        state: 'awaiting-approval',
        paused: false,
        sends: { held: 3 },
        acts: [],
      });
    });
    await resume(first ?? '');
    await approve(second ?? '');
    for (const campaign of [first ?? '', second ?? ''])
      await eventually(async () => expect((await shown(campaign)).sends).toEqual({ reserved: 3 }));
  }, 120_000);

  it('of a project that asks for it takes another hand than the publisher’s', async () => {
    const service = await register({ approval: 'required' });
    const campaign = await publish(service);
    expect(await world.planned(campaign)).toBe('awaiting-approval');
    const saw = await sawOf(campaign);
    expect(await answer(`${campaign}/approve`, saw, world.publisher)).toMatchObject({
      status: 403,
      body: { code: 'ROLE_MISSING' },
    });
    const both = await world.scheduler.bearer(['publisher', 'operator']);
    const before = world.publisher;
    world.publisher = both;
    const own = await publish(service);
    expect(await world.planned(own)).toBe('awaiting-approval');
    expect(await answer(`${own}/approve`, await sawOf(own), both)).toMatchObject({
      status: 409,
      body: { code: 'SAME_HAND' },
    });
    expect((await shown(own)).state).toBe('awaiting-approval');
    world.publisher = before;
    expect(await answer(`${own}/approve`, await sawOf(own))).toMatchObject({ status: 202 });
    expect((await shown(own)).state).toBe('planned');
    expect(await answer(`${campaign}/decline`, { reason: 'the price is wrong' })).toMatchObject({
      status: 202,
      body: { act: 'decline', changed: true },
    });
    await eventually(async () =>
      expect(await shown(campaign)).toMatchObject({
        state: 'canceled',
        code: 'DECLINED',
        detail: 'the price is wrong',
        sends: { canceled: 3 },
        revisions: [{ state: 'rejected', reasons: [{ code: 'DECLINED', text: 'the price is wrong' }] }],
      }),
    );
    expect(await answer(`${campaign}/decline`, { reason: 'again' })).toMatchObject({
      status: 202,
      body: { changed: false },
    });
  }, 120_000);

  it('follows its lateness when it is approved late, and expires when nobody approves it', async () => {
    const service = await register();
    const approval = 'required';
    const lateness = { max: 'PT1H' };
    const late = await publish(service, {
      policy: { approval, lateness },
      delivery: { at: utc(1), zone: 'UTC' },
    });
    const never = await publish(service, {
      policy: { approval, lateness },
      delivery: { at: utc(1), zone: 'UTC' },
    });
    for (const campaign of [late, never]) {
      expect(await world.planned(campaign)).toBe('awaiting-approval');
      await eventually(async () => expect((await shown(campaign)).sends).toEqual({ held: 3 }));
    }
    const [saw, due] = [await sawOf(late), now + HOUR];
    await moveTo(due + HOUR / 2);
    expect(await answer(`${late}/approve`, saw)).toMatchObject({ status: 202 });
    await until(late, { state: 'completed', sends: { sent: 3 } });
    expect(await shown(never)).toMatchObject({ state: 'awaiting-approval', sends: { held: 3 } });
    await moveTo(due + 2 * HOUR);
    expect(
      await new ExpireHeld({
        database: world.scheduler.dataSource,
        clock: world.clock,
        rules: loadZoneRules(),
      }).runOnce(),
    ).toBe(3);
    await until(never, { state: 'expired', code: 'ALL_EXPIRED', sends: { expired: 3 } });
    expect(await answer(`${never}/approve`, saw)).toMatchObject({
      status: 409,
      body: { code: 'CAMPAIGN_CLOSED' },
    });
    expect(await handed(service)).toBe(USERS.length);
  }, 120_000);
});

describe('a test send', () => {
  const ledger = async (service: string) => {
    const read = await world.scheduler.call('GET', `/v1/ledger?serviceId=${service}`, {
      authorization: await world.scheduler.bearer(['analyst']),
    });
    return read.body as { planned: { left: number }; tests: { left: number; right: Json }; missing: Json[] };
  };

  it('leaves at once, before the approval, and is counted on a line of its own', async () => {
    const service = await register();
    const policy = {
      approval: 'required',
      testTo: ['ann', 'bob', 'cho', 'ann'],
      quietHours: { start: utc(-1).slice(11), end: utc(4).slice(11), action: 'skip' },
    };
    const campaign = await publish(service, { policy, delivery: { at: utc(12), zone: 'UTC' } });
    expect(await world.planned(campaign)).toBe('awaiting-approval');
    await eventually(async () => {
      await moveTo(now + 10_000);
      expect(await handed(service)).toBe(3);
    }, PATIENT);
    await eventually(async () => {
      await moveTo(now + 10_000);
      expect((await ledger(service)).tests).toMatchObject({ left: 2, right: { sent: 2 } });
    }, PATIENT);
    expect(await shown(campaign)).toMatchObject({ state: 'awaiting-approval' });
    expect((await ledger(service)).missing).toEqual([]);
    const report = await world.scheduler.call('GET', `/v1/reports/campaigns/${campaign}`, {
      authorization: await world.scheduler.bearer(['analyst']),
    });
    expect(JSON.stringify(report.body)).not.toContain('test-1');
  }, 120_000);

  it('goes to nobody who did not consent', async () => {
    const service = await register({}, { isNotificationAgreement: false });
    const campaign = await publish(service, { policy: { testTo: ['ann'], handoff: 'hold' } });
    expect(await world.planned(campaign)).toBe('planned');
    await eventually(async () => {
      await moveTo(now + 10_000);
      expect((await shown(campaign)).sends).toEqual({ planned: 3, empty: 1 });
    }, PATIENT);
    // The test does not begin it.
    expect((await shown(campaign)).state).toBe('planned');
    expect(await handed(service)).toBe(0);
  }, 120_000);

  it('does not leave while its campaign is paused, and not at all once it is cancelled', async () => {
    const service = await register();
    const world_ = world.scheduler;
    await world_.call('POST', `/v1/projects/${service}/stop`, {
      authorization: await world_.bearer(['operator']),
    });
    const [paused, canceled] = [
      await publish(service, { policy: { testTo: ['ann'], lateness: { max: 'P1D' } } }),
      await publish(service, { policy: { testTo: ['bob'] } }),
    ];
    for (const campaign of [paused, canceled]) expect(await world.planned(campaign)).toBe('planned');
    await answer(`${paused}/pause`, {});
    await answer(`${canceled}/cancel`, {});
    await world_.call('POST', `/v1/projects/${service}/start`, {
      authorization: await world_.bearer(['operator']),
    });
    await eventually(async () => {
      expect((await shown(paused)).sends).toEqual({ held: 4 });
      expect(await shown(canceled)).toMatchObject({ state: 'canceled', sends: { canceled: 4 } });
    }, PATIENT);
    expect(await handed(service)).toBe(0);
    await answer(`${paused}/resume`, {});
    await eventually(async () => {
      await moveTo(now + 10_000);
      expect(await handed(service)).toBe(1);
    }, PATIENT);
  }, 120_000);
});

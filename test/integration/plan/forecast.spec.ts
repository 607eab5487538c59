// GET /v1/forecast over HTTP on a whole scheduler: what is planned against each project's rate, what is expected to be late, and what
// would help; and the warning of it at publishing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyDefaults } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import { plannedLoad } from '../../../src/scheduler/plan/forecast/planned-load.store.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { PlanWorld, SERVICE, START, users } from '../../support/scheduler/plan-world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OTHER = 'another-app';
const at = (ms: number): string => new Date(START + ms).toISOString();

interface Forecast {
  coveredTo: string | null;
  projects: {
    serviceId: string;
    requests: number;
    lateMs: number;
    notPlannedYet: number;
    drainedAt: string | null;
  }[];
  steps: {
    at: string;
    key: string;
    campaignId: string | null;
    requests: number;
    backlog: number | null;
    lateMs: number;
  }[];
  late: Record<string, unknown>[];
  lateCampaigns: number;
}

let world: PlanWorld;
let scheduler: TestScheduler;
let analyst: string;

beforeAll(async () => {
  world = await PlanWorld.open();
  await world.project({ service_id: OTHER });
  await world.rows('update project set max_to = 1, rate_per_second = 1, reservations = false');
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }), {
    clock: world.clock,
  });
  await eventually(() => scheduler.dataSource.isInitialized);
  analyst = await scheduler.bearer(['analyst']);
  const lateness = { maxMs: MINUTE, beyond: 'expire' } as const;
  // Due in an hour in two zones of one offset: 180 requests at one a second; the last of them three minutes late.
  await world.planned({
    audience: null,
    policy: { ...policyDefaults, lateness },
    delivery: {
      kind: 'recipient',
      local: new Date(START + 10 * HOUR).toISOString().slice(0, 16),
      segments: ['Asia/Seoul', 'Asia/Tokyo'].map((zone) => ({ zone, audience: users(90, zone) })),
    },
  });
  await world.planned({
    serviceId: OTHER,
    audience: users(30),
    delivery: { kind: 'instant', at: START + 2 * HOUR },
  });
}, 60_000);
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

async function forecast(query: string, authorization = analyst): Promise<Forecast> {
  const answer = await scheduler.call('GET', `/v1/forecast?${query}`, { authorization });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Forecast;
}

describe('GET /v1/forecast', () => {
  it('says by project what is handed off, what waits, and when the last leaves', async () => {
    const { projects, steps } = await forecast(`step=minute&from=${at(HOUR)}&to=${at(2 * HOUR + MINUTE)}`);
    expect(projects).toMatchObject([
      { serviceId: OTHER, requests: 30, lateMs: 29_000, drainedAt: at(2 * HOUR + 29_000) },
      { serviceId: SERVICE, requests: 180, lateMs: 179_000, drainedAt: at(HOUR + 179_000) },
    ]);
    expect(steps).toEqual([
      { at: at(HOUR), key: SERVICE, campaignId: null, requests: 180, backlog: 120, lateMs: 179_000 },
      { at: at(HOUR + MINUTE), key: SERVICE, campaignId: null, requests: 0, backlog: 60, lateMs: 0 },
      { at: at(2 * HOUR), key: OTHER, campaignId: null, requests: 30, backlog: 0, lateMs: 29_000 },
    ]);
  });

  it('says by zone, and by campaign with the publisher’s id', async () => {
    const byZone = await forecast(`by=zone&serviceId=${SERVICE}`);
    expect(byZone.steps.map(({ key, requests, backlog }) => [key, requests, backlog])).toEqual([
      ['Asia/Seoul', 90, null],
      ['Asia/Tokyo', 90, null],
    ]);
    const [step] = (await forecast(`by=campaign&serviceId=${OTHER}`)).steps;
    expect(step).toMatchObject({ requests: 30, campaignId: `c-${step?.key}` });
  });

  it('names the campaign that misses its lateness.max, by how much, and what would help', async () => {
    const { late, lateCampaigns } = await forecast('');
    expect(lateCampaigns).toBe(1);
    expect(late).toMatchObject([
      {
        serviceId: SERVICE,
        dueAt: at(HOUR),
        lastLeavesAt: at(HOUR + 179_000),
        requests: 180,
        maxLateMs: MINUTE,
        beyond: 'expire',
        missesLateness: { byMs: 119_000, requests: 180 },
        missesDeadline: null,
        waysOut: { ratePerSecond: 3, pace: { perMinute: 60, minutes: 3 }, jitterMinutes: null },
      },
    ]);
  });

  it('adds the load of a previewed plan', async () => {
    const publisher = await scheduler.bearer(['publisher']);
    const preview = await scheduler.call('POST', '/v1/plans', {
      authorization: publisher,
      body: {
        serviceId: OTHER,
        name: 'more',
        audience: { type: 'USER', to: Array.from({ length: 600 }, (_, index) => `more-${index}`) },
        message: { default: { content: 'Hello' } },
        delivery: { at: at(2 * HOUR) },
        policy: { lateness: { max: 'PT5M' } },
      },
    });
    expect(preview.status).toBe(200);
    const { planHash, warnings } = preview.body as { planHash: string; warnings: { code: string }[] };
    expect(warnings.map(({ code }) => code)).toContain('WILL_BE_LATE');
    const { projects, late } = await forecast(`serviceId=${OTHER}&with=${planHash}`);
    expect(projects).toMatchObject([{ requests: 630, drainedAt: at(2 * HOUR + 629_000) }]);
    expect(late).toMatchObject([
      { campaign: planHash, campaignId: null, missesLateness: { byMs: 329_000, requests: 600 } },
    ]);
    expect(
      await scheduler.call('GET', `/v1/forecast?with=${'0'.repeat(64)}`, { authorization: analyst }),
    ).toMatchObject({ status: 404 });
    const foreign = await scheduler.bearer(['analyst'], [SERVICE]);
    expect(
      await scheduler.call('GET', `/v1/forecast?with=${planHash}`, { authorization: foreign }),
    ).toMatchObject({ status: 404 });
  });

  it('shows a token only its own services, and roles other than analysts nothing', async () => {
    const own = await scheduler.bearer(['operator'], [OTHER]);
    expect((await forecast('', own)).projects.map(({ serviceId }) => serviceId)).toEqual([OTHER]);
    const publisher = await scheduler.bearer(['publisher']);
    expect(await scheduler.call('GET', '/v1/forecast', { authorization: publisher })).toMatchObject({
      status: 403,
    });
  });

  it.each([
    [`from=${at(HOUR)}&to=${at(HOUR)}`, 400, 'INVALID_RANGE'],
    [`from=${at(-48 * HOUR)}&to=${at(-24 * HOUR)}`, 400, 'INVALID_RANGE'],
    [`step=minute&to=${at(48 * HOUR)}`, 400, 'INVALID_RANGE'],
    [`to=${at(36 * 24 * HOUR)}`, 400, 'INVALID_RANGE'],
    ['step=second', 400, 'INVALID_REQUEST'],
    ['with=abc', 400, 'INVALID_REQUEST'],
  ])('refuses %s', async (query, status, code) => {
    const answer = await scheduler.call('GET', `/v1/forecast?${query}`, { authorization: analyst });
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
  });

  it('counts campaigns whose later occurrences nobody has planned yet', async () => {
    await world.planned({
      serviceId: OTHER,
      audience: users(1),
      delivery: { kind: 'instant', at: START + 300 * HOUR, recurrence: 'FREQ=DAILY' } as never,
    });
    const [project] = (await forecast(`serviceId=${OTHER}&to=${at(34 * 24 * HOUR)}`)).projects;
    expect(project?.notPlannedYet).toBe(1);
  });

  it('reads no more than its bound, and says up to when it counted', async () => {
    const most = { ofOne: 100, ofAll: 1_000, groups: 1_000 };
    const load = await plannedLoad(world.dataSource, [SERVICE, OTHER], START + 24 * HOUR, most);
    expect(load.coveredTo).toBe(START + HOUR);
    expect(load.groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(130);
    const few = await plannedLoad(world.dataSource, [SERVICE, OTHER], START + 24 * HOUR, {
      ...most,
      ofOne: 1_000,
      groups: 1,
    });
    expect([few.groups.length, few.coveredTo]).toEqual([1, START + HOUR]);
  });
});

/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// POST /v1/plans on a whole scheduler: what is previewed is what is planned, and what the push service is asked for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { schedulerConfig, startScheduler, type Answer, type TestScheduler } from '../../support/scheduler.js';
import { scheduled, type Json } from '../accept/intake-world.js';
import { ACCESS_KEY, Gateway, SECRET_KEY } from '../dispatch/gateway.js';

const SERVICE = 'shop-app';
const START = Date.parse('2027-03-01T00:00:00.000Z');
const PATIENT = { withinMs: 20_000 };

const clock = new SteppedClock(START);
let database: TestDatabase;
let gateway: Gateway;
let scheduler: TestScheduler;
let publisher: string;

beforeAll(async () => {
  database = await cloneDatabase();
  gateway = await Gateway.open();
  const config = schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan,dispatch', LOOP_IDLE_MS: '50' });
  scheduler = await startScheduler(config, { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  const admin = await scheduler.bearer(['admin']);
  for (const serviceId of [SERVICE, 'another-app']) {
    const key = { accessKey: ACCESS_KEY, secretKey: SECRET_KEY };
    const body = { serviceId, baseUrl: gateway.url, key, maxTo: 2, ratePerSecond: 1_000 };
    const made = await scheduler.call('POST', '/v1/projects', { authorization: admin, body });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
});
afterAll(async () => {
  await scheduler.close();
  await gateway.close();
  await database.drop();
});

/** Tokens last an hour of the same clock. */
async function moveTo(instant: number | string): Promise<void> {
  clock.set(instant);
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
}

interface Cell extends Json {
  occurrence: string;
  cell: string;
  dueAt: string;
  mode: string;
  rule: string;
  skipped: string | null;
  requests: number;
  target: Json;
}
interface Plan extends Json {
  planHash: string;
  items: Cell[];
  nextCursor: string | null;
  totals: { requests: number; skippedRequests: number };
}

function dataOf(more: Json): Json {
  return scheduled('x', more)['data'] as Json;
}

async function preview(data: Json, query = ''): Promise<Answer> {
  return scheduler.call('POST', `/v1/plans${query}`, { authorization: publisher, body: data });
}

let published = 0;
async function publish(data: Json, batch = false): Promise<Answer> {
  published += 1;
  const event = scheduled(`c-${published}`, {}, { data, time: new Date(clock.now()).toISOString() });
  return scheduler.call('POST', '/v1/events', {
    authorization: publisher,
    body: batch ? [event] : event,
    headers: { 'content-type': `application/cloudevents${batch ? '-batch' : ''}+json` },
  });
}

function campaignOf(answer: Answer): string {
  return (answer.body as { events: { campaignId: string }[] }).events[0]?.campaignId ?? '';
}

async function allCells(path: string): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await scheduler.call('GET', `${path}?limit=3&cursor=${cursor}`, {
      authorization: publisher,
    });
    expect(answer.status).toBe(200);
    const page = answer.body as Plan;
    cells.push(...page.items);
    cursor = page.nextCursor;
  }
  return cells;
}

async function planned(campaign: string): Promise<string> {
  return eventually(async () => {
    const answer = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: publisher });
    const { state } = answer.body as { state: string };
    return ['accepted', 'planning'].includes(state) ? false : state;
  }, PATIENT);
}

const users = (count: number, prefix: string) => ({
  type: 'USER',
  to: Array.from({ length: count }, (_, index) => `${prefix}-${index}`),
});
const segments = (...zones: string[]) => zones.map((zone) => ({ zone, audience: users(3, zone) }));
const recipientAt = (at: string, more: Json = {}) => ({ at, zone: 'recipient', ...more });

const drafts: [what: string, data: Json][] = [
  [
    'a reservation on every recipient clock',
    {
      audience: null,
      delivery: recipientAt('2027-03-01T18:00', {
        segments: segments('Asia/Seoul', 'Europe/Paris', 'America/New_York'),
      }),
    },
  ],
  [
    'passed zones skipped, and a fallback for a zone that is none',
    {
      audience: null,
      delivery: recipientAt('2027-03-01T10:00', {
        segments: segments('Asia/Seoul', 'Pacific/Auckland', 'Mars/Base'),
      }),
    },
  ],
  [
    'passed zones the next day',
    {
      audience: null,
      delivery: recipientAt('2027-03-01T10:00', { segments: segments('Asia/Seoul', 'Pacific/Auckland') }),
      policy: { passedZone: 'next-day' },
    },
  ],
  [
    'passed zones on a floor',
    {
      audience: null,
      delivery: recipientAt('2027-03-01T10:00', { segments: segments('Asia/Seoul', 'Pacific/Auckland') }),
      policy: { passedZone: 'floor:Europe/London' },
    },
  ],
  [
    'countries as zones',
    {
      audience: { type: 'CHANNEL', to: ['vip'], country: ['KR', 'JP', 'FR'] },
      delivery: recipientAt('2027-03-02T09:00'),
    },
  ],
  [
    'a split by device and country',
    {
      audience: { type: 'ALL', country: ['KR', 'JP'] },
      delivery: { at: '2027-03-02T09:00', zone: 'Asia/Seoul' },
      policy: { split: ['deviceType', 'country'] },
    },
  ],
  [
    'a night deferred',
    {
      messageType: 'AD',
      delivery: { at: '2027-03-01T22:00', zone: 'Asia/Seoul' },
      policy: { night: 'defer' },
    },
  ],
  [
    'quiet hours skipped',
    {
      delivery: { at: '2027-03-01T12:30', zone: 'Asia/Seoul' },
      policy: { quietHours: { start: '12:00', end: '13:00', action: 'skip' } },
    },
  ],
  [
    'a wall time that does not exist, moved on',
    { delivery: { at: '2027-03-14T02:30', zone: 'America/New_York' } },
  ],
  [
    'a wall time that comes twice, the second',
    {
      delivery: { at: '2027-03-28T02:30', zone: 'Europe/Paris' },
      policy: { dst: { gap: 'skip', overlap: 'second' } },
    },
  ],
  [
    'a deferral past its deadline',
    {
      messageType: 'AD',
      delivery: { at: '2027-03-01T22:00', zone: 'Asia/Seoul' },
      policy: { night: 'defer', deadline: 'PT1H' },
    },
  ],
  [
    'a pace',
    {
      audience: users(9, 'paced'),
      delivery: { at: '2027-03-02T09:00', zone: 'Asia/Seoul' },
      policy: { pace: { perMinute: 2 } },
    },
  ],
  [
    'a jitter over zones of one instant',
    {
      audience: null,
      delivery: recipientAt('2027-03-02T09:00', { segments: segments('Asia/Seoul', 'Asia/Tokyo') }),
      policy: { jitter: 'PT10M' },
    },
  ],
  [
    'a recurrence',
    { delivery: { at: '2027-03-01T12:00', zone: 'Asia/Seoul', recurrence: 'FREQ=WEEKLY;COUNT=3' } },
  ],
  ['a schedule code', { delivery: { scheduleCode: 'WEEKLY', until: '2027-06-30T00:00:00Z' } }],
  ['what goes now', { audience: users(5, 'now'), delivery: { now: true } }],
];

describe('what is previewed', () => {
  it.each(drafts)('%s: is planned so, and asked of the push service so', async (_, draft) => {
    gateway.asked.length = 0;
    const data = dataOf(draft);
    const answer = await preview(data, '?limit=500');
    expect(answer.status).toBe(200);
    const { planHash, items } = answer.body as Plan;

    const accepted = await publish({ ...data, planHash });
    expect(accepted.status).toBe(202);
    const campaign = campaignOf(accepted);
    expect(await planned(campaign)).toMatch(/^(planned|running)$/);

    const stored = await allCells(`/v1/campaigns/${campaign}/plan`);
    const byKey = (a: Cell, b: Cell) => (`${a.occurrence} ${a.cell}` < `${b.occurrence} ${b.cell}` ? -1 : 1);
    expect(stored.map(({ revision: _revision, ...cell }) => cell)).toEqual(items.toSorted(byKey));

    // What is reserved or attached, or due now, leaves at once; the rest would at its time.
    const leaving = items.filter(({ skipped, rule }) => skipped === null && rule !== 'BEYOND_HORIZON');
    const requests = leaving.reduce((sum, cell) => sum + cell.requests, 0);
    const sent = await eventually(() => {
      const bodies = gateway.posts.map(({ body }) => JSON.parse(body) as Json);
      return bodies.length >= requests ? bodies : false;
    }, PATIENT);
    const asked = sent.map(({ reserveTime = null, target }) => requestText(reserveTime, target));
    // Only a pace spreads the requests of a cell, over the minutes that follow.
    const { perMinute } = (policyOf(data)['pace'] ?? { perMinute: Infinity }) as { perMinute: number };
    const foreseen = leaving.flatMap((cell) =>
      Array.from({ length: cell.requests }, (_entry, chunk) =>
        foreseenText(cell, Math.floor(chunk / perMinute) * 60_000),
      ),
    );
    expect(asked.toSorted()).toEqual(foreseen.toSorted());
    expect(asked).toHaveLength(requests);
  });

  /** A request without its USER ids, members in order of name. */
  function requestText(reserveTime: unknown, target: unknown): string {
    const { type, to, ...filters } = target as { type: string; to?: string[] };
    const whom = { ...filters, ...(type === 'USER' ? {} : { to }) };
    return JSON.stringify([reserveTime, type, Object.entries(whom).toSorted(([x], [y]) => (x < y ? -1 : 1))]);
  }

  /** As the interface has it: a wall time in UTC, to the minute. */
  function foreseenText({ mode, dueAt, target }: Cell, laterMs: number): string {
    if (mode !== 'reserved') return requestText(null, target);
    const at = new Date(Date.parse(dueAt) + laterMs).toISOString();
    return requestText(at.slice(0, 16).replace('T', ' '), target);
  }

  function policyOf(data: Json): Json {
    return (data['policy'] ?? {}) as Json;
  }

  it('is kept for 24 hours under its hash, and paged', async () => {
    const data = dataOf({
      audience: null,
      delivery: recipientAt('2027-03-02T09:00', {
        segments: segments('Asia/Seoul', 'Asia/Tokyo', 'Europe/Paris', 'Europe/London', 'Asia/Dubai'),
      }),
    });
    const first = (await preview(data, '?limit=2')).body as Plan;
    expect(first.items).toHaveLength(2);
    expect(first.nextCursor).not.toBeNull();
    expect(first).toMatchObject({
      cells: 5,
      totals: { requests: 10 },
      refusal: null,
      expiresAt: new Date(clock.now() + 86_400_000).toISOString(),
    });

    const whole = (await preview(data, '?limit=500')).body as Plan;
    expect(whole.planHash).toBe(first.planHash);
    expect(await allCells(`/v1/plans/${first.planHash}`)).toEqual(whole.items);

    const other = await scheduler.bearer(['publisher'], ['another-app']);
    expect(
      (await scheduler.call('GET', `/v1/plans/${first.planHash}`, { authorization: other })).status,
    ).toBe(404);
    await moveTo(START + 86_400_000);
    expect(
      (await scheduler.call('GET', `/v1/plans/${first.planHash}`, { authorization: publisher })).status,
    ).toBe(404);
    await moveTo(START);
  });

  it('says why it would be refused, as a plan that has no cells', async () => {
    const answer = await preview(
      dataOf({
        delivery: { at: '2027-03-14T02:30', zone: 'America/New_York' },
        policy: { dst: { gap: 'reject' } },
      }),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { items: [], refusal: { code: 'DST_GAP', pointer: '/policy/dst/gap' } },
    });
  });

  it('is refused with every reason where the event would be rejected, and nothing is kept', async () => {
    const answer = await preview(
      dataOf({
        delivery: { at: '2027-03-14T02:30' },
        policy: { approval: 'required' },
        audience: { type: 'USER' },
      }),
    );
    expect(answer.status).toBe(422);
    const { problems } = answer.body as { problems: { pointer: string; code: string }[] };
    expect(problems.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/audience/to REQUIRED',
      '/delivery/at ZONE_MISSING',
      '/policy/approval NOT_YET_OFFERED',
    ]);
  });

  it('answers 404 for a foreign push project as for an unknown one', async () => {
    for (const serviceId of ['another-app', 'nobody']) {
      expect(await preview(dataOf({ serviceId }))).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    }
  });
});

describe('a campaign that names a planHash', () => {
  const draft = (): Json =>
    dataOf({
      audience: null,
      delivery: recipientAt('2027-03-01T18:00', { segments: segments('Asia/Seoul', 'Europe/Paris') }),
    });

  it('over HTTP answers 409 with the difference when it would be planned otherwise now, and keeps nothing', async () => {
    await moveTo(START);
    const data = draft();
    const { planHash } = (await preview(data)).body as Plan;
    // In Seoul 18:00 is over by then.
    await moveTo('2027-03-01T09:30:00Z');
    const answer = await publish({ ...data, planHash });

    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'PLAN_CHANGED',
        difference: {
          known: true,
          cellsChanged: 1,
          cells: [
            { cell: 'Asia/Seoul|given|1|all|all', was: { skipped: null }, is: { skipped: 'PASSED_ZONE' } },
          ],
        },
      },
    });
    expect(await eventsNamed(`c-${published}`)).toBe(0);
    await moveTo(START);
  });

  it('is taken hours after its preview where nothing decided has changed: it goes now, at a pace', async () => {
    await moveTo(START);
    const data = dataOf({
      audience: users(9, 'later'),
      delivery: { now: true },
      policy: { pace: { perMinute: 7 } },
    });
    const { planHash } = (await preview(data)).body as Plan;
    await moveTo('2027-03-01T02:17:21.987Z');
    const accepted = await publish({ ...data, planHash });
    expect(accepted.status).toBe(202);
    expect(await planned(campaignOf(accepted))).toMatch(/^(planned|running)$/);
    await moveTo(START);
  });

  it('that was taken before is a duplicate, whatever has changed since', async () => {
    await moveTo(START);
    const data = draft();
    const { planHash } = (await preview(data)).body as Plan;
    const event = scheduled('twice', {}, { data: { ...data, planHash } });
    const post = () =>
      scheduler.call('POST', '/v1/events', {
        authorization: publisher,
        body: event,
        headers: { 'content-type': 'application/cloudevents+json' },
      });
    const first = await post();
    expect(first.status).toBe(202);
    await planned(campaignOf(first));
    await moveTo('2027-03-01T09:30:00Z');
    expect(await post()).toMatchObject({ status: 202, body: { events: [{ verdict: 'duplicate' }] } });
    await moveTo(START);
  });

  it('in a batch, as over Kafka, is rejected by planning', async () => {
    await moveTo(START);
    const data = draft();
    const { planHash } = (await preview(data)).body as Plan;
    await moveTo('2027-03-01T09:30:00Z');
    const campaign = campaignOf(await publish({ ...data, planHash }, true));
    expect(await planned(campaign)).toBe('rejected');
    const answer = await scheduler.call('GET', `/v1/campaigns/${campaign}`, { authorization: publisher });
    expect(answer.body).toMatchObject({
      code: 'PLAN_CHANGED',
      detail: 'cells that would be planned otherwise than previewed: 1',
      revisions: [
        {
          state: 'rejected',
          reasons: [{ code: 'PLAN_CHANGED', pointer: '/planHash', difference: { cellsChanged: 1 } }],
        },
      ],
    });
    await moveTo(START);
  });

  it('of another message is refused, and of a hash nobody made as well', async () => {
    const data = draft();
    const { planHash } = (await preview(data)).body as Plan;
    const other = await publish({ ...data, message: { default: { content: 'another text' } }, planHash });
    expect(other).toMatchObject({ status: 409, body: { difference: { known: true, cellsChanged: 0 } } });
    const nobodys = await publish({ ...data, planHash: 'f'.repeat(64) });
    expect(nobodys).toMatchObject({ status: 409, body: { difference: { known: false } } });
  });
});

describe("a project's policy defaults", () => {
  it('are shown with the project, hold for its campaigns, and are told in preview and plan', async () => {
    await moveTo(START);
    const admin = await scheduler.bearer(['admin']);
    const policyDefaults = {
      dst: { overlap: 'second' },
      night: 'defer',
      quietHours: { start: '12:00', end: '13:30', action: 'defer' },
      passedZone: 'floor:Europe/London',
      deadline: 'P1DT12H',
      lateness: { max: 'PT1H' },
      handoff: 'hold',
      pace: { perMinute: 1 },
      jitter: 'PT0S',
      split: ['deviceType'],
    };
    const path = '/v1/projects/another-app';
    expect(
      await scheduler.call('PATCH', path, { authorization: admin, body: { policyDefaults } }),
    ).toMatchObject({ status: 200 });
    expect((await scheduler.call('GET', path, { authorization: admin })).body).toMatchObject({
      policyDefaults,
    });

    publisher = await scheduler.bearer(['publisher'], ['another-app']);
    const data = dataOf({
      serviceId: 'another-app',
      audience: null,
      delivery: recipientAt('2027-03-01T12:15', {
        segments: [{ zone: 'Asia/Seoul', audience: { type: 'ALL' } }],
      }),
      policy: { lateness: { then: 'send' }, deadline: 'P2D' },
    });
    const effective = {
      ...policyDefaults,
      dst: { gap: 'forward', overlap: 'second' },
      deadline: 'P2D',
      lateness: { max: 'PT1H', then: 'send' },
      jitter: null,
      approval: 'none',
      testTo: [],
    };
    const foreseen = (await preview(data)).body as Plan;
    expect(foreseen['policy']).toEqual(effective);
    expect(foreseen.items).toMatchObject([
      { cell: 'Asia/Seoul|given|1|GCM|all', dueAt: '2027-03-01T04:31:00.000Z', rule: 'HELD_BY_POLICY' },
      { cell: 'Asia/Seoul|given|1|APNS|all', dueAt: '2027-03-01T04:30:00.000Z', rule: 'HELD_BY_POLICY' },
    ]);

    const campaign = campaignOf(await publish(data));
    expect(await planned(campaign)).toBe('planned');
    const stored = await scheduler.call('GET', `/v1/campaigns/${campaign}/plan`, {
      authorization: publisher,
    });
    expect(stored.body).toMatchObject({ policy: effective });
    const cells = await allCells(`/v1/campaigns/${campaign}/plan`);
    expect(cells.map(({ cell, dueAt }) => `${cell} ${dueAt}`).toSorted()).toEqual(
      foreseen.items.map(({ cell, dueAt }) => `${cell} ${dueAt}`).toSorted(),
    );
    await moveTo(START);
  });
});

async function eventsNamed(subject: string): Promise<number> {
  const [row] = (await scheduler.dataSource.query(
    'select count(*)::int as count from event where subject = $1',
    [subject],
  )) as { count: number }[];
  return row?.count ?? -1;
}

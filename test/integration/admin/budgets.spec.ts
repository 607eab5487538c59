// The budgets of one token, and of all tokens of a service: a caller beyond them gets 429 BUDGET_SPENT, while others are answered.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import { dataOf, recipientAt } from '../../support/scheduler/two-services.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

/** Its elapsed() stands still until the test moves it, so that no budget refills meanwhile. */
const clock = {
  elapsedMs: 0,
  now: () => Date.now(),
  elapsed: () => clock.elapsedMs,
};
let database: TestDatabase;
let scheduler: TestScheduler;

const BUDGETS = {
  BUDGET_REQUESTS: '60',
  BUDGET_KILOBYTES: '20000',
  BUDGET_PLANS: '1000',
  BUDGET_CELLS: '1000',
  MAX_PLANNED_CELLS: '1000',
  BUDGET_PREVIEW_MB: '1',
};

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { ...BUDGETS, CARILLON_ROLES: 'api' }), {
    clock: clock as never,
  });
  await eventually(() => scheduler.dataSource.isInitialized);
  const admin = await scheduler.bearer(['admin']);
  for (const serviceId of ['greedy', 'other', 'rich']) {
    const key = { accessKey: 'ak', secretKey: 'sk' };
    const body = { serviceId, baseUrl: 'http://127.0.0.1:9', key };
    await scheduler.call('POST', '/v1/projects', { authorization: admin, body });
  }
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

const ZONES = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));

/** A campaign that may have `cells` cells, one for each of its segments; segments of one zone share theirs. */
const campaign = (serviceId: string, cells: number, content = 'Hello'): Json =>
  dataOf({
    serviceId,
    audience: null,
    message: { default: { content } },
    delivery: recipientAt('2030-05-01T09:00', {
      segments: Array.from({ length: cells }, (_, at) => ({
        zone: ZONES[at % ZONES.length],
        audience: { type: 'USER', to: [`user-${at}`] },
      })),
    }),
  });
const plan = (authorization: string, body: unknown): Promise<Answer> =>
  scheduler.call('POST', '/v1/plans?limit=1', { authorization, body });
const refusalOf = ({ status, headers, body }: Answer): unknown[] => {
  const { code, detail } = body as { code?: string; detail?: string };
  return [status, code, headers.get('retry-after'), detail];
};

describe('bytes of events', () => {
  it('beyond the budget of a token are refused, while another service is answered', async () => {
    const [greedy, other] = [
      await scheduler.bearer(['publisher'], ['greedy']),
      await scheduler.bearer(['publisher'], ['other']),
    ];
    const post = (authorization: string, length: number): Promise<Answer> =>
      scheduler.call('POST', '/v1/events', {
        authorization,
        body: `[${' '.repeat(length)}]`,
        headers: { 'content-type': 'application/cloudevents-batch+json' },
      });
    expect((await post(greedy, 15_000_000)).status).toBe(400);
    const refused = await post(greedy, 6_000_000);
    const text =
      'this token has spent its budget of 20000 kilobytes a minute (BUDGET_KILOBYTES): ask again in 4 s';
    expect(refusalOf(refused)).toEqual([429, 'BUDGET_SPENT', '4', text]);
    expect((await post(greedy, 4_000_000)).status).toBe(400);
    expect((await post(other, 15_000_000)).status).toBe(400);
    clock.elapsedMs += 60_000;
  });
});

describe('requests', () => {
  it('beyond the budget of a token are refused before their body is read, and come back evenly', async () => {
    const token = await scheduler.bearer(['operator'], ['other']);
    const ask = (): Promise<Answer> => scheduler.call('GET', '/v1/projects/other', { authorization: token });
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const text =
      'this token has spent its budget of 60 requests a minute (BUDGET_REQUESTS): ask again in 1 s';
    expect(refusalOf(await ask())).toEqual([429, 'BUDGET_SPENT', '1', text]);
    const tooLong = { authorization: token, body: 'x'.repeat(2_000_000) };
    expect((await scheduler.call('POST', '/v1/plans', tooLong)).status).toBe(429);
    // Another token of the same service has its own; together they have twice as much.
    const second = await scheduler.bearer(['operator'], ['other']);
    const own = await scheduler.call('GET', '/v1/projects/other', { authorization: second });
    expect(own.status).toBe(200);
    clock.elapsedMs += 1_000;
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    expect(await (await fetch(scheduler.metricsUrl)).text()).toMatch(
      /carillon_budget_spent_total\{budget="requests"\} 3/,
    );
  });

  it('beyond it are answered a second late: who asks again at once asks seldom', async () => {
    const authorization = await scheduler.bearer(['operator'], ['patient']);
    const ask = (): Promise<Answer> => scheduler.call('GET', '/v1/projects/patient', { authorization });
    await Promise.all(Array.from({ length: 60 }, ask));
    const began = performance.now();
    const refused = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    // A timer may come a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it('of many tokens are those of their service, too', async () => {
    const tokens = await Promise.all([1, 2, 3].map(() => scheduler.bearer(['operator'], ['greedy'])));
    const answers = await Promise.all(
      tokens.flatMap((authorization) =>
        Array.from({ length: 50 }, () => scheduler.call('GET', '/v1/projects/greedy', { authorization })),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30);
    expect(refused[0]?.body).toMatchObject({
      detail: expect.stringContaining('the service greedy has spent its budget of 120 requests a minute'),
    });
  });
});

describe('plans', () => {
  it('and events over HTTP to be planned share a budget of cells, and nothing of what is refused is kept', async () => {
    const greedy = await scheduler.bearer(['publisher'], ['rich']);
    const other = await scheduler.bearer(['publisher'], ['other']);
    expect((await plan(greedy, campaign('rich', 700))).status).toBe(200);
    const text = 'this token has spent its budget of 1000 cells a minute (BUDGET_CELLS): ask again in 24 s';
    expect(refusalOf(await plan(greedy, campaign('rich', 699)))).toEqual([429, 'BUDGET_SPENT', '24', text]);
    const events = [1, 2].map((id) => event('rich', String(id), 200));
    expect(refusalOf(await publish(greedy, events)).slice(0, 3)).toEqual([429, 'BUDGET_SPENT', '6']);
    expect(await scheduler.dataSource.query('select from event')).toEqual([]);
    expect((await publish(greedy, events.slice(1))).status).toBe(202);
    // A caller who names another's service spends nothing of that service's budget: the event is refused for the service alone.
    expect((await publish(greedy, [event('other', '9', 999)])).status).toBe(422);
    // Waiting does not help a request for more than a whole budget.
    const many = [3, 4, 5].map((id) => event('rich', String(id), 400));
    expect(refusalOf(await publish(greedy, many)).slice(0, 3)).toEqual([413, 'TOO_LARGE', null]);
    expect((await plan(other, campaign('other', 100))).status).toBe(200);
  });

  it('of edited replays come from the same budget', async () => {
    clock.elapsedMs += 60_000;
    const token = await scheduler.bearer(['publisher', 'operator'], ['rich']);
    const good = event('rich', 'edited', 400);
    const wrong = { ...good, data: { ...(good['data'] as Json), messageType: 'NO_TYPE' } };
    expect((await publish(token, [wrong])).status).toBe(422);
    const { body } = await scheduler.call('GET', '/v1/rejections?limit=1', { authorization: token });
    const [{ id }] = (body as { items: [{ id: string }] }).items;
    const replay = (): Promise<Answer> =>
      scheduler.call('POST', `/v1/rejections/${id}/replay`, { authorization: token, body: { event: good } });
    expect((await plan(token, campaign('rich', 700))).status).toBe(200);
    expect(refusalOf(await replay()).slice(0, 2)).toEqual([429, 'BUDGET_SPENT']);
    clock.elapsedMs += 60_000;
    expect((await replay()).status).toBe(200);
  });

  it('are kept up to so many bytes of a service, and the answer says when there is room again', async () => {
    const token = await scheduler.bearer(['publisher']);
    const content = 'x'.repeat(100);
    let kept = 0;
    let answer: Answer;
    do {
      clock.elapsedMs += 60_000;
      answer = await plan(token, campaign('greedy', 900 - kept, content));
      kept += answer.status === 200 ? 1 : 0;
    } while (answer.status === 200 && kept < 30);
    expect(kept).toBeGreaterThan(0);
    const [status, code, retryAfter, detail] = refusalOf(answer);
    expect([status, code]).toEqual([429, 'BUDGET_SPENT']);
    expect(detail).toContain('the service greedy has its 1 MB of previews (BUDGET_PREVIEW_MB) kept');
    expect(Number(retryAfter)).toBeGreaterThan(86_000);
    const [sum] = await scheduler.dataSource.query<{ bytes: string; rows: string }>(
      `select sum(p.bytes)::text as bytes, count(*)::text as rows from plan_preview p where service_id = 'greedy'`,
    );
    expect([Number(sum?.bytes) <= 1_000_000, Number(sum?.rows)]).toEqual([true, kept]);
    // A preview that is kept already may be made again, and other services have room.
    clock.elapsedMs += 60_000;
    expect((await plan(token, campaign('greedy', 900, content))).status).toBe(200);
    expect((await plan(token, campaign('other', 50, content))).status).toBe(200);
  });
});

const event = (serviceId: string, id: string, cells: number): Json => ({
  ...scheduled(`c-${id}`, {}, { id, time: new Date().toISOString() }),
  data: campaign(serviceId, cells),
});

function publish(authorization: string, events: readonly unknown[]): Promise<Answer> {
  return scheduler.call('POST', '/v1/events', {
    authorization,
    body: JSON.stringify(events),
    headers: { 'content-type': 'application/cloudevents-batch+json' },
  });
}

describe('requests', () => {
  it('say with each answer how many are left, and after a refusal when all of them are back', async () => {
    const authorization = await scheduler.bearer(['analyst'], ['rich']);
    const left = ({ status, headers }: Answer) => [
      status,
      ...['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`)),
    ];
    const ask = () => scheduler.call('GET', '/v1/campaigns', { authorization });
    expect(left(await ask())).toEqual([200, '60', '59', '1']);
    expect(left(await ask())).toEqual([200, '60', '58', '2']);
    for (let more = 0; more < 58; more += 1) await ask();
    expect(left(await ask())).toEqual([429, '60', '0', '60']);
    clock.elapsedMs += 30_000;
    expect(left(await ask())).toEqual([200, '60', '29', '31']);
    expect((await scheduler.call('GET', '/health/live')).headers.get('ratelimit-limit')).toBeNull();
  });
});

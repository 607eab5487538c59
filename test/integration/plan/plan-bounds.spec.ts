// A caller may ask for plans in which a few kilobytes make millions of cells, and send bodies that take long to parse. Each such plan is
// refused in every way of input before it is expanded, long work runs in a thread, and the process goes on.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  hostileBatch,
  hostileBodies,
  hostilePlans,
  largePlans,
  unknownMembers,
} from '../../../tools/hostile/corpus.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { addProject, canceled, scheduled, SERVICE, type Json } from '../../support/scheduler/intake-world.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { produce } from '../../support/scheduler/kafka-world.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const PATIENT = { withinMs: 150_000 };
const plans = hostilePlans(SERVICE);
const now = (): string => new Date().toISOString();
const event = (campaignId: string, data: Json): Json => scheduled(campaignId, data, { time: now(), data });

interface Verdicts {
  events: { verdict: string; problems?: { code: string; text: string }[]; campaignId?: string }[];
}

let kafka: TestKafka;
let topic: string;
let database: TestDatabase;
let scheduler: TestScheduler;
let authorization: string;

const runs = () => vi.spyOn(scheduler.internals.workers, 'run');
const jobsOf = (spy: ReturnType<typeof runs>): string[] => spy.mock.calls.map(([{ name }]) => name);
const post = (path: string, body: unknown, type = 'application/cloudevents+json'): Promise<Answer> =>
  scheduler.call('POST', path, { authorization, body, headers: { 'content-type': type } });

async function campaignOf(campaignId: string): Promise<Json | undefined> {
  const [row] = await scheduler.dataSource.query<Json>(
    `select c.state, c.code, (r.plan->>'cells')::int as shown,
            (select count(*)::int from cell k where k.campaign = c.id) as cells,
            (select coalesce(sum(k.chunks), 0)::int from cell k where k.campaign = c.id) as requests,
            (select count(*)::int from send s where s.campaign = c.id) as sends
       from campaign c join revision r on r.campaign = c.id where c.campaign_id = $1`,
    [campaignId],
  );
  return row;
}

async function open(more: Record<string, string>): Promise<void> {
  database = await cloneDatabase();
  [topic = ''] = await kafka.newTopics(['events']);
  scheduler = await startScheduler(
    schedulerConfig(database.url, {
      CARILLON_ROLES: 'accept,plan,api',
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_GROUP_ID: topic,
      KAFKA_EVENTS_TOPIC: topic,
      KAFKA_DEAD_TOPIC: `${topic}.dead`,
      ...more,
    }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
  await scheduler.dataSource.query('update project set lookup_max = 0');
  authorization = await scheduler.bearer(['publisher', 'admin', 'operator']);
}

async function close(): Promise<void> {
  await scheduler.close();
  await database.drop();
}

beforeAll(async () => {
  kafka = await testKafka();
});

describe('a plan that is too large', () => {
  beforeAll(() => open({}));
  afterAll(close);

  it.each(plans)('is refused by the dry run: $name', async ({ data, refused }) => {
    const answer = await post('/v1/plans', data, 'application/json');
    expect(answer.body).toMatchObject({ refusal: { code: refused }, cells: 0, items: [] });
  });

  it.each(plans)('is refused over HTTP, as an event and in a batch: $name', async ({ data, refused }) => {
    const alone = await post('/v1/events', event('alone', data));
    expect(alone.status).toBe(422);
    expect((alone.body as Verdicts).events[0]?.problems).toMatchObject([{ code: refused }]);
    const good = scheduled('good', {}, { time: now() });
    const batch = await post(
      '/v1/events',
      [event('in-batch', data), good],
      'application/cloudevents-batch+json',
    );
    expect((batch.body as Verdicts).events).toMatchObject([
      { verdict: 'rejected', problems: [{ code: refused }] },
      {},
    ]);
  });

  it('is refused over Kafka, and the partition goes on', async () => {
    const records = plans.map(({ data }, index) => ({
      value: JSON.stringify(event(`kafka-${index}`, data)),
    }));
    await produce(kafka.brokers, topic, [
      ...records,
      { value: JSON.stringify(scheduled('after', {}, { time: now() })) },
    ]);
    await eventually(async () => expect(await campaignOf('after')).toBeDefined(), PATIENT);
    const rows = await scheduler.dataSource.query<{ code: string }>(
      `select reasons->0->>'code' as code from rejection where topic = $1 order by "offset"`,
      [topic],
    );
    expect(rows.map(({ code }) => code)).toEqual(plans.map(({ refused }) => refused));
  });
});

describe('a plan as large as is taken', () => {
  beforeAll(() => open({}));
  afterAll(close);

  it.each(largePlans(SERVICE, 0.15))('is made in a thread, and written whole: $name', async ({ data }) => {
    const spy = runs();
    const preview = await post('/v1/plans?limit=5', data, 'application/json');
    const { planHash, cells, items } = preview.body as { planHash: string; cells: number; items: unknown[] };
    expect(items).toHaveLength(Math.min(cells, 5));
    expect(jobsOf(spy)).toContain('plan');
    const named = `large-${cells}`;
    const taken = await post('/v1/events', event(named, { ...data, planHash }));
    expect((taken.body as Verdicts).events).toMatchObject([{ verdict: 'accepted' }]);
    await eventually(
      async () =>
        expect(await campaignOf(named)).toMatchObject({ state: 'planned', code: null, cells, shown: cells }),
      PATIENT,
    );
    const { requests, sends } = (await campaignOf(named)) ?? {};
    expect(sends).toBe(requests);
    spy.mockRestore();
  });

  it('is compared with the previewed one, cell by cell, in a thread', async () => {
    const [plan] = largePlans(SERVICE, 0.15);
    const preview = await post('/v1/plans', plan?.data, 'application/json');
    const { planHash } = preview.body as { planHash: string };
    const before = plan?.data['delivery'] as Json;
    const delivery = { ...before, at: String(before['at']).replace('T09', 'T10') };
    const spy = runs();
    const answer = await post('/v1/events', event('moved', { ...plan?.data, delivery, planHash }));
    expect(answer.body).toMatchObject({ code: 'PLAN_CHANGED', difference: { known: true } });
    expect(jobsOf(spy)).toContain('difference');
    spy.mockRestore();
  });
});

describe('a plan as large as is taken, while it is written', () => {
  beforeAll(() => open({ CARILLON_ROLES: 'accept,plan,follow,api' }));
  afterAll(close);

  const writers = (): Promise<Json[]> =>
    scheduler.dataSource.query(
      `select pid, virtualtransaction from pg_locks
        where database = (select oid from pg_database where datname = current_database())
          and relation = 'cell'::regclass and not granted`,
    );

  it('lets its cancel and the stop of its project win, and nothing of it is left to send', async () => {
    const [plan] = largePlans(SERVICE, 0.15);
    const holder = await OwnConnection.beside(scheduler.dataSource);
    await holder.query('begin');
    await holder.query('lock table cell in share mode');
    expect((await post('/v1/events', event('stopped', plan?.data ?? {}))).status).toBe(202);
    await eventually(async () => expect(await writers()).toHaveLength(1), PATIENT);
    const writing = await writers();

    const cancel = await post('/v1/events', canceled('stopped', {}, { time: now() }));
    const stop = await scheduler.call('POST', `/v1/projects/${SERVICE}/stop`, { authorization });
    expect((cancel.body as Verdicts).events).toMatchObject([{ verdict: 'accepted' }]);
    expect(stop).toMatchObject({ status: 200, body: { blocked: { code: 'STOPPED' } } });
    // The planner still waits: it did not make room by giving up.
    expect(await writers()).toEqual(writing);

    await holder.release();
    await eventually(async () =>
      expect(await campaignOf('stopped')).toMatchObject({ state: 'canceled', sends: 0, cells: 0 }),
    );
  });
});

describe('a plan that takes more than a thread may', () => {
  beforeAll(() => open({ MAX_PLANNED_CELLS: '1000000', WORKER_HEAP_MB: '64', WORKER_THREADS: '1' }));
  afterAll(close);
  const data: Json = plans[0]?.data ?? {};
  // Under the moved bound: 500 segments in each hour.
  const delivery = { ...(data['delivery'] as Json) };
  delivery['segments'] = (delivery['segments'] as Json[]).slice(0, 500);

  it('is refused by the dry run and by planning, and the process goes on', async () => {
    const preview = await post('/v1/plans', { ...data, delivery }, 'application/json');
    expect(preview.body).toMatchObject({ refusal: { code: 'PLAN_TOO_LARGE' }, items: [] });
    await post('/v1/events', event('hoarding', { ...data, delivery }));
    await eventually(
      async () =>
        expect(await campaignOf('hoarding')).toMatchObject({
          state: 'rejected',
          code: 'PLAN_TOO_LARGE',
          cells: 0,
        }),
      PATIENT,
    );
    expect((await scheduler.call('GET', '/health/live')).status).toBe(200);
  });
});

describe('a body that is long to read', () => {
  beforeAll(() => open({ CARILLON_ROLES: 'accept,api' }));
  afterAll(close);
  const rejected = (answer: Answer): number =>
    (answer.body as { problems?: unknown[] }).problems?.length ?? 0;

  it.each(hostileBodies())(
    'is read in a thread, and refused with at most 51 problems: $name',
    async ({ body }) => {
      const spy = runs();
      const asEvent = await post('/v1/events', body);
      const asDraft = await post('/v1/plans', body);
      const answers = [asEvent, asDraft];
      for (const answer of answers) expect([400, 409, 413, 422]).toContain(answer.status);
      for (const answer of answers) expect(rejected(answer)).toBeLessThanOrEqual(51);
      for (const answer of answers) expect(JSON.stringify(answer.body).length).toBeLessThan(100_000);
      expect(jobsOf(spy)).toEqual(expect.arrayContaining(['elements', 'draft']));
      spy.mockRestore();
    },
  );

  it('that is taken is read in a thread as well', async () => {
    const spy = runs();
    const to = Array.from({ length: 5_000 }, (_, index) => `user-${index}`);
    const long = scheduled('read', { audience: { type: 'USER', to } }, { time: now() });
    const answer = await post('/v1/events', long);
    expect(answer.status).toBe(202);
    expect(jobsOf(spy)).toEqual(expect.arrayContaining(['elements', 'event']));
    spy.mockRestore();
  });

  it('is cut into its events in a thread, each of which is refused with few problems', async () => {
    const spy = runs();
    const answer = await post(
      '/v1/events',
      hostileBatch(10 * 1024 * 1024),
      'application/cloudevents-batch+json',
    );
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body).length).toBeLessThan(1_000_000);
    expect(jobsOf(spy)).toContain('elements');
    spy.mockRestore();
  });

  it('with 8 000 unknown members is answered in a few kilobytes, and with more not read by a route of the API', async () => {
    const answer = await scheduler.call('PATCH', `/v1/projects/${SERVICE}`, {
      authorization,
      body: unknownMembers(8_000),
    });
    expect(answer.status).toBe(400);
    const { problems } = answer.body as { problems: unknown[] };
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toEqual({ pointer: '', code: 'MORE', text: 'and 7950 more' });
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
    const longer = { authorization, body: unknownMembers(80_000) };
    expect((await scheduler.call('PATCH', `/v1/projects/${SERVICE}`, longer)).status).toBe(413);
  });

  it('over Kafka is rejected and stored in at most 51 reasons', async () => {
    const odd = event('odd', { serviceId: SERVICE, ...unknownMembers(60_000) });
    await produce(kafka.brokers, topic, [{ value: JSON.stringify(odd) }]);
    await eventually(async () => {
      const [row] = await scheduler.dataSource.query(
        'select jsonb_array_length(reasons) as reasons from rejection where topic = $1',
        [topic],
      );
      expect(row).toEqual({ reasons: 51 });
    }, PATIENT);
  });
});

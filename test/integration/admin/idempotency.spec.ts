// Idempotency-Key: a client that lost an answer asks again and gets the same one; nothing is done twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { dataOf } from '../../support/scheduler/two-services.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type Answer,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let admin: string;
const clock = new SteppedClock('2026-11-21T09:00:00Z');

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url), { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

function post(path: string, body: unknown, key: string, authorization = admin): Promise<Answer> {
  return scheduler.call('POST', path, { authorization, body, headers: { 'idempotency-key': key } });
}

const project = (serviceId: string) => ({ serviceId, baseUrl: 'https://push.example.test' });

describe('a POST with an Idempotency-Key', () => {
  it('is done once and answered alike', async () => {
    const first = await post('/v1/projects', project('once'), 'key-1');
    const second = await post('/v1/projects', project('once'), 'key-1');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  it('is refused with another request under the same key', async () => {
    await post('/v1/projects', project('reused'), 'key-2');
    const answer = await post('/v1/projects', project('reused-2'), 'key-2');
    expect(answer).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('belongs to its token: the same key of another token is another', async () => {
    const other = await scheduler.bearer(['admin']);
    await post('/v1/projects', project('mine'), 'key-3');
    expect((await post('/v1/projects', project('theirs'), 'key-3', other)).status).toBe(201);
  });

  it('keeps nothing of a request that failed', async () => {
    await post('/v1/projects', project('clash'), 'key-4');
    const refused = await post('/v1/projects', project('clash'), 'key-5');
    expect(refused.status).toBe(409);
    const after = await post('/v1/projects', project('no-clash'), 'key-5');
    expect(after.status).toBe(201);
  });

  it('runs once of two at the same time', async () => {
    const both = await Promise.all([1, 2].map(() => post('/v1/projects', project('race'), 'key-6')));
    const codes = both.map(({ status, body }) => (status === 201 ? 'made' : (body as { code: string }).code));
    expect(codes).toContain('made');
    const rows = await scheduler.dataSource.query<unknown>(`select 1 from audit where target = 'race'`);
    expect(rows).toHaveLength(1);
  });

  it('whose process died before it changed anything is done by a repeat, once it counts as lost', async () => {
    const { status } = await post('/v1/projects', project('died'), 'key-7');
    expect(status).toBe(201);
    // As if nothing had been committed but the key.
    await scheduler.dataSource.query(
      `update idempotent_answer set status = null, body = null where key = 'key-7'`,
    );
    await scheduler.dataSource.query(`delete from project where service_id = 'died'`);
    expect((await post('/v1/projects', project('died'), 'key-7')).body).toMatchObject({
      code: 'IDEMPOTENT_REQUEST_RUNNING',
    });
    clock.advance(10 * 60_000);
    expect((await post('/v1/projects', project('other'), 'key-7')).body).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    const done = await post('/v1/projects', project('died'), 'key-7');
    expect([done.status, done.headers.get('idempotency-replayed')]).toEqual([201, null]);
    const again = await post('/v1/projects', project('died'), 'key-7');
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it('does not keep the token that a first answer showed', async () => {
    const body = { name: 'shown', roles: ['analyst'], serviceIds: ['*'] };
    const first = await post('/v1/tokens', body, 'key-8');
    const second = await post('/v1/tokens', body, 'key-8');
    const { token, ...rest } = first.body as { token: string };
    expect(token).toMatch(/^car_/);
    expect(second.body).toEqual({ ...rest, token: null });
    const [row] = await scheduler.dataSource.query<{ whole: string }>(
      `select i::text as whole from idempotent_answer i where key = 'key-8'`,
    );
    expect(row?.whole).toContain('shown');
    expect(row?.whole).not.toContain(token);
  });

  it('is made anew where it changes nothing: a dry run keeps no answer', async () => {
    await post('/v1/projects', project('dry'), 'key-dry');
    const plan = dataOf({ serviceId: 'dry', delivery: { now: true } });
    const [first, second] = [
      await post('/v1/plans', plan, 'key-plan'),
      await post('/v1/plans', plan, 'key-plan'),
    ];
    expect([first, second].map(({ status }) => status)).toEqual([200, 200]);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, null]);
    const kept = await scheduler.dataSource.query(`select 1 from idempotent_answer where key = 'key-plan'`);
    expect(kept).toEqual([]);
  });

  it('is refused when it is no key', async () => {
    expect((await post('/v1/projects', project('nokey'), 'two words')).body).toMatchObject({
      code: 'BAD_IDEMPOTENCY_KEY',
    });
  });
});

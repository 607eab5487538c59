// The erasure of a user: every place that may have the id is filled by the routes that fill it, and afterwards every column of every table
// of the schema is searched. A table that is added and holds ids fails here until src/scheduler/audience/erasure/places.ts names it.
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { EraseUsers } from '../../../src/scheduler/audience/erasure/erase-users.js';
import { askErasure, readErasure } from '../../../src/scheduler/audience/erasure/erasure.store.js';
import { startProjects, stopProjects } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { eventually } from '../../support/eventually.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const USER = 'erase-me-4711';
/** Somebody else, whose id has the other within. */
const OTHER = `${USER}x`;
const clock = new SteppedClock(START);
const now = new Date(START);

let world: World;
let scheduler: TestScheduler;
let admin: string;

beforeAll(async () => {
  world = await World.open();
  await world.project();
  const config = schedulerConfig(world.url, { CARILLON_ROLES: 'api,plan', LOOP_IDLE_MS: '50' });
  scheduler = await startScheduler(config, { clock });
  await eventually(() => scheduler.dataSource.isInitialized);
  admin = await scheduler.bearer(['admin']);
}, 120_000);
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  scheduler.call(method, path, { authorization: admin, headers, ...(body !== undefined && { body }) });

const publish = async (id: string, data: Json, headers: Record<string, string> = {}) =>
  call(
    'POST',
    '/v1/events',
    scheduled(id, {}, { data: { ...(scheduled(id)['data'] as Json), serviceId: SERVICE, ...data } }),
    {
      'content-type': 'application/cloudevents+json',
      ...headers,
    },
  );

const later = { at: '2027-04-01T09:00', zone: 'UTC' };
const users = (...to: string[]): Json => ({ audience: { type: 'USER', to } });

/** The tables that have the text in any column, as text or as bytes; and how many rows of each. */
async function tablesWith(text: string): Promise<Record<string, number>> {
  const tables = await world.dataSource.query<{ name: string; root: string }>(
    `select c.oid::regclass::text as name, coalesce(i.inhparent, c.oid)::regclass::text as root
       from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      where c.relnamespace = 'scheduler'::regnamespace and c.relkind = 'r'`,
  );
  const found: Record<string, number> = {};
  for (const { name, root } of tables) {
    const [row] = await world.dataSource.query<{ rows: number }>(
      `select count(*)::int as rows from ${name} t
        where t::text ~ ($1 || '(?![a-z])') or position(encode(convert_to($1 || '"', 'UTF8'), 'hex') in t::text) > 0`,
      [text],
    );
    if ((row?.rows ?? 0) > 0) found[root] = (found[root] ?? 0) + (row?.rows ?? 0);
  }
  return found;
}

describe('DELETE /v1/recipients/{userId}', () => {
  it('leaves the id in no column of the schema, and others where they were', async () => {
    await call('PUT', `/v1/recipients/zones?serviceId=${SERVICE}`, {
      recipients: [USER, OTHER].map((userId) => ({ userId, zone: 'Asia/Seoul' })),
    });
    const list = await call('PUT', `/v1/audiences/vip?serviceId=${SERVICE}`, `${USER}\n${OTHER}\n`, {
      'content-type': 'text/csv',
    });
    expect(list.status).toBe(200);
    const taken = [
      await publish('listed', { audience: { type: 'USER', list: 'vip' }, delivery: later }),
      await publish(
        'named',
        { ...users(USER, OTHER), delivery: later, policy: { testTo: [USER] } },
        { 'idempotency-key': 'k-1' },
      ),
      await publish('alone', { ...users(USER), delivery: later }),
      await publish('refused', { ...users(USER), delivery: { at: 'never' } }),
    ];
    expect(taken.map(({ status }) => status)).toEqual([202, 202, 202, 422]);
    const plan = scheduled('x', { serviceId: SERVICE, ...users(USER, OTHER), delivery: later })[
      'data'
    ] as Json;
    expect((await call('POST', '/v1/plans', plan)).status).toBe(200);
    await eventually(async () => {
      const rows = await world.dataSource.query("select from campaign where state in ('planned', 'running')");
      expect(rows).toHaveLength(3);
    });
    await world.insert('registered_offset', {
      service_id: SERVICE,
      user_id: USER,
      offset_seconds: 0,
      looked_up_at: now,
    });
    const failed = await world.send({ state: 'failed', recipients: [USER, OTHER] });
    const gone = await world.send({ state: 'failed', recipients: [USER] });
    const waiting = await world.send({
      state: 'reserved',
      recipients: [USER],
      columns: { request_id: 'r-1' },
    });
    await world.insert('unwritten_answer', {
      send: waiting,
      attempt: 1,
      error: 'spec',
      facts: JSON.stringify({ answer: `no user ${USER}` }),
      at: now,
      by: 'spec',
    });
    await world.insert('audit', {
      id: v7(),
      at: now,
      who: 'spec',
      action: 'spec',
      target: 'x',
      service_id: SERVICE,
      after: JSON.stringify({ event: { to: [USER, OTHER] } }),
    });
    // What is due now would count as leaving.
    await stopProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now });

    const before = Object.keys(await tablesWith(USER)).toSorted();
    expect(before).toEqual(
      expect.arrayContaining(
        'audience_part audit event recipient_zone registered_offset revision send_recipients unwritten_answer'.split(
          ' ',
        ),
      ),
    );
    const others = await tablesWith(OTHER);

    const asked = await call('DELETE', `/v1/recipients/${USER}?serviceId=${SERVICE}`);
    expect(asked).toMatchObject({
      status: 202,
      body: { serviceId: SERVICE, state: 'running', doneAt: null },
    });
    const { id, userHash } = asked.body as { id: string; userHash: string };
    await eventually(
      async () =>
        expect((await call('GET', `/v1/erasures/${id}`)).body).toMatchObject({ state: 'done', waits: 0 }),
      { withinMs: 30_000 },
    );
    expect(await tablesWith(USER)).toEqual({});
    const { plan_preview: _, plan_preview_cell: __, event: ___, ...kept } = others;
    expect(await tablesWith(OTHER)).toMatchObject(kept);

    const certificate = (await call('GET', `/v1/erasures/${id}`)).body as {
      removed: { table: string; rows: number }[];
      notHere: string[];
    };
    const removed = Object.fromEntries(certificate.removed.map(({ table, rows }) => [table, rows]));
    expect(removed).toMatchObject({
      audience_part: 1,
      recipient_zone: 1,
      registered_offset: 1,
      revision: 2,
      unwritten_answer: 1,
      audit: 1,
    });
    expect(certificate.notHere.join()).toContain('push service');
    expect((await call('GET', `/v1/audit?target=${userHash}`)).body).toMatchObject({
      items: [{ action: 'recipient.erase', target: userHash, after: { erasure: id } }],
    });
    // The send to both goes to the other; what went to nobody else ends, or cannot be retried.
    expect(await world.read(failed)).toMatchObject({ state: 'failed', recipients: 1 });
    expect(await world.read(waiting)).toMatchObject({
      state: 'canceling',
      goal: 'canceled',
      code: 'RECIPIENT_ERASED',
    });
    expect(await call('POST', `/v1/sends/${gone}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'RECIPIENT_ERASED' },
    });
    const states = await world.dataSource.query<{ state: string; recipients: number }>(
      `select s.state, s.recipients from send s join campaign c on c.id = s.campaign where c.campaign_id = 'alone'`,
    );
    expect(states).toEqual([{ state: 'canceled', recipients: 0 }]);
    await startProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now });
  }, 120_000);

  it('is for admins of the service, and a foreign erasure is unknown', async () => {
    const foreign = await scheduler.bearer(['admin'], ['other']);
    const path = `/v1/recipients/x?serviceId=${SERVICE}`;
    expect((await scheduler.call('DELETE', path, { authorization: foreign })).status).toBe(404);
    const asked = await call('DELETE', path);
    const again = await call('DELETE', path);
    expect((again.body as Json)['userHash']).toBe((asked.body as Json)['userHash']);
    const { id } = asked.body as { id: string };
    expect((await scheduler.call('GET', `/v1/erasures/${id}`, { authorization: foreign })).status).toBe(404);
  });
});

describe('the job', () => {
  const ask = (userId: string) =>
    askErasure(world.dataSource, { serviceId: SERVICE, userId, userHash: 'hash', by: 'spec', now });
  const job = (blocks?: number) =>
    new EraseUsers({ database: world.dataSource, clock, ...(blocks !== undefined && { blocks }) });

  it.each(['sending', 'uncertain'] as const)(
    'waits for a send that is %s, and goes on once it is settled',
    async (state) => {
      const user = `waits-${state}`;
      const send = await world.send({ state, recipients: [user, 'bob'], columns: { attempts: 1 } });
      const id = await ask(user);
      await eventually(
        async () => {
          await world.dataSource.query(
            'update erasure set page_at = clock_timestamp() where done_at is null',
          );
          await job().runOnce();
          expect(await readErasure(world.dataSource, id)).toMatchObject({ state: 'running', waits: 1 });
        },
        { withinMs: 30_000 },
      );
      expect(await tablesWith(user)).toMatchObject({ send_recipients: 1 });
      await world.dataSource.query(
        "update send set state = 'accepted', changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1",
        [send, now],
      );
      await eventually(
        async () => {
          await world.dataSource.query(
            'update erasure set page_at = clock_timestamp() where done_at is null',
          );
          await job().runOnce();
          expect(await readErasure(world.dataSource, id)).toMatchObject({ state: 'done' });
        },
        { withinMs: 30_000 },
      );
      expect(await tablesWith(user)).toEqual({});
      expect(await world.read(send)).toMatchObject({ state: 'accepted', recipients: 1 });
    },
    90_000,
  );

  it('does a page again whose process died before its commit, and goes through many small pages', async () => {
    await scheduler.close();
    const campaign = await world.campaign({ state: 'running' });
    const sends: string[] = [];
    for (let chunk = 0; chunk < 300; chunk += 1)
      sends.push(
        await world.send({
          campaign,
          chunk,
          state: 'accepted',
          recipients: ['zed', `user-${chunk}-${'x'.repeat(200)}`],
        }),
      );
    const id = await ask('zed');
    const small = job(1);
    for (let page = 0; page < 25; page += 1) await small.runOnce();
    await world.dataSource.query(
      "create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$",
    );
    await world.dataSource.query(
      'create trigger refuse before update on erasure for each row execute function refuse()',
    );
    await expect(small.runOnce()).rejects.toThrow('refused');
    await world.dataSource.query('drop trigger refuse on erasure; drop function refuse()');
    while ((await readErasure(world.dataSource, id))?.state === 'running') {
      await world.dataSource.query('update erasure set page_at = clock_timestamp() where done_at is null');
      await small.runOnce();
    }
    expect(await tablesWith('zed')).toEqual({});
    expect(await readErasure(world.dataSource, id)).toMatchObject({
      removed: [{ table: 'send_recipients', rows: 300 }],
    });
    for (const send of sends.slice(0, 5)) expect(await world.read(send)).toMatchObject({ recipients: 1 });
  }, 120_000);
});

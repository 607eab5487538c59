// Resolving many uncertain sends: preview, confirm, and what is left out, against real PostgreSQL. Nobody is asked.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/database/database.js';
import { ManySends } from '../../../src/scheduler/operate/many-sends.js';
import {
  RESOLVES,
  WorkResolves,
  type ResolveFilter,
  type ResolveItem,
  type ResolvesView,
} from '../../../src/scheduler/operate/resolve-many.js';
import { WorkSets, type SetWork } from '../../../src/scheduler/operate/work-sets.js';
import type { Resolution } from '../../../src/scheduler/decide/lifecycle/resolution.js';
import { ResolveSend } from '../../../src/scheduler/operate/resolve-send.js';
import { confirmSet, insertSet, readSet, STEPS } from '../../../src/scheduler/store/send/send-set.store.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { SERVICE, START, World, type SendSeed } from '../../support/scheduler/world.js';

let world: World;
let clock: SteppedClock;
let work: WorkSets;
let resolves: ManySends<ResolvesView, ResolveItem>;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
  clock = new SteppedClock(START + 3_600_000);
  ({ work, resolves } = workers());
});

/** As one process has them. */
const workers = (database: Database = world.dataSource) => {
  const projects = { get: () => Promise.resolve(undefined) };
  const own = new WorkSets(
    { database, projects, clock },
    { retry: {} as SetWork, resolve: new WorkResolves({ clock }) },
  );
  return { work: own, resolves: new ManySends({ database: world.dataSource, clock, work: own }, RESOLVES) };
};
const ops = { who: 'token:ops', serviceFilter: null };
const preview = (
  filter: Partial<ResolveFilter> = {},
  resolution: Resolution = 'confirmed-sent',
  reason: string | null = null,
) => resolves.preview({ filter: { ...filter, states: ['uncertain'] }, resolution, reason }, ops);
const uncertain = (seed: SendSeed = {}) =>
  world.send({ state: 'uncertain', ...seed, columns: { code: 'LOST_ANSWER', ...seed.columns } });
const whole = { from: undefined, limit: 100 };
const audits = () =>
  world.dataSource.query<{ action: string; who: string; before: object | null; after: object }>(
    'select who, action, target, service_id, before, after from audit order by action, id',
  );

describe('a preview', () => {
  it('counts the uncertain sends of its filter, changes none, and lists what waits', async () => {
    const [first, second] = [await uncertain(), await uncertain({ columns: { code: 'ANSWER_TIMEOUT' } })];
    await world.send({ state: 'failed' });
    await world.send({ state: 'accepted' });
    const seen = await preview({}, 'confirmed-not-sent', 'the provider has none of them');
    expect(seen).toMatchObject({
      state: 'ready',
      filter: { states: ['uncertain'] },
      resolution: 'confirmed-not-sent',
      reason: 'the provider has none of them',
      found: 2,
      resolve: 2,
      resolved: 0,
      leftOut: {},
      createdBy: 'token:ops',
      expiresAt: new Date(clock.now() + 3_600_000),
    });
    const sends = [first, second].toSorted();
    expect((await resolves.items(seen.token, {}, whole, ops)).map(({ send }) => send)).toEqual(sends);
    expect(await resolves.items(seen.token, { code: 'ANSWER_TIMEOUT' }, whole, ops)).toEqual([
      {
        send: second,
        serviceId: SERVICE,
        campaign: (await world.read(second)).campaign,
        state: 'uncertain',
        code: 'ANSWER_TIMEOUT',
      },
    ]);
    const [page, rest] = [
      await resolves.items(seen.token, {}, { from: undefined, limit: 1 }, ops),
      await resolves.items(seen.token, {}, { from: sends[0], limit: 1 }, ops),
    ];
    expect([...page, ...rest].map(({ send }) => send)).toEqual(sends);
    for (const send of sends)
      expect(await world.read(send)).toMatchObject({ state: 'uncertain', changes: 1 });
    expect(await audits()).toEqual([]);
  });

  it('takes the filters of the list of sends', async () => {
    const seoul = await world.campaign({ zone: 'Asia/Seoul' });
    await uncertain({ campaign: seoul, columns: { http_status: 503 } });
    await uncertain({ columns: { code: null } });
    await world.project({ service_id: 'other-app' }, []);
    const named = await uncertain({ serviceId: 'other-app', mode: 'reserved' });
    const found = async (filter: Partial<ResolveFilter>) => (await preview(filter)).found;
    expect(await found({})).toBe(3);
    expect(await found({ zone: 'Asia/Seoul' })).toBe(1);
    expect(await found({ campaign: seoul, code: 'none' })).toBe(0);
    expect(await found({ code: 'none' })).toBe(1);
    expect(await found({ httpStatus: 503 })).toBe(1);
    expect(await found({ mode: 'immediate' })).toBe(2);
    expect(await found({ serviceId: 'other-app' })).toBe(1);
    expect(await found({ sends: [named] })).toBe(1);
    expect(await found({ until: new Date(START).toISOString() })).toBe(0);
  });

  it('is known to those alone who hold its services, and to nobody as a set of retries', async () => {
    await uncertain();
    const { token } = await preview({ serviceId: SERVICE });
    const holder = { who: 'token:shop', serviceFilter: [SERVICE, 'another-app'] };
    expect(await resolves.read(token, holder)).toMatchObject({ token });
    const stranger = { who: 'token:x', serviceFilter: ['another-app'] };
    await expect(resolves.read(token, stranger)).rejects.toMatchObject({ status: 404 });
    await expect(resolves.confirm(token, stranger)).rejects.toMatchObject({ status: 404 });
    await expect(resolves.items(token, {}, whole, stranger)).rejects.toMatchObject({ status: 404 });
    expect(await resolves.latest(undefined, { before: undefined, limit: 9 }, stranger)).toEqual([]);
    expect(await resolves.latest(SERVICE, { before: undefined, limit: 9 }, ops)).toMatchObject([{ token }]);
    expect(await readSet(world.dataSource, 'retry', token, new Date(START))).toBeUndefined();
  });
});

describe('a confirmed preview', () => {
  it('leaves out reservations that are not due, each of which needs its requestId', async () => {
    const ahead = await uncertain({ mode: 'reserved', dueAt: clock.now() + 3_600_000 });
    const due = await uncertain({ mode: 'reserved', dueAt: clock.now() - 1_000 });
    const { token } = await preview({}, 'confirmed-sent');
    const done = await resolves.confirm(token, ops);
    expect(done).toMatchObject({ state: 'done', resolved: 1, leftOut: { REQUEST_ID_NEEDED: 1 } });
    expect(await world.read(ahead)).toMatchObject({ state: 'uncertain' });
    expect(await world.read(due)).toMatchObject({ state: 'sent' });
  });

  it.each([
    ['confirmed-sent', 'sent', 'CONFIRMED_SENT'],
    ['confirmed-not-sent', 'failed', 'CONFIRMED_NOT_SENT'],
  ] as const)('%s ends exactly its set as %s, audited once a set', async (resolution, state, code) => {
    const sends = [await uncertain(), await uncertain(), await uncertain()];
    const { token } = await preview({}, resolution, 'asked the provider');
    const later = await uncertain();
    clock.advance(10_000);
    const done = await resolves.confirm(token, { who: 'token:boss', serviceFilter: null });
    expect(done).toMatchObject({
      state: 'done',
      found: 3,
      resolve: 3,
      resolved: 3,
      leftOut: {},
      confirmedBy: 'token:boss',
      doneAt: new Date(clock.now()),
    });
    for (const send of sends) {
      expect(await world.read(send)).toMatchObject({ state, code, detail: 'asked the provider' });
      expect(await world.path(send)).toEqual([`uncertain>${state}`]);
    }
    expect(await world.read(later)).toMatchObject({ state: 'uncertain' });
    expect(await resolves.items(token, {}, whole, ops)).toEqual([]);
    const facts = { resolution, reason: 'asked the provider' };
    expect(await audits()).toMatchObject([
      {
        who: 'token:boss',
        action: 'resolves.confirm',
        target: token,
        before: { state: 'ready', found: 3 },
        after: { state: 'resolving', ...facts, resolve: 3, leftOut: {} },
      },
      {
        who: 'token:boss',
        action: 'resolves.done',
        target: token,
        service_id: SERVICE,
        after: { state: 'done', resolution, resolved: 3, leftOut: {} },
      },
    ]);
  });

  it('is the same when it is confirmed again, also at the same moment and by another process', async () => {
    const send = await uncertain();
    const { token } = await preview();
    await Promise.all([
      resolves.confirm(token, ops),
      workers().resolves.confirm(token, ops),
      resolves.confirm(token, ops),
    ]);
    const again = await resolves.confirm(token, ops);
    expect(again).toMatchObject({ state: 'done', resolved: 1 });
    expect(await resolves.confirm(token, ops)).toEqual(again);
    expect(await world.path(send)).toEqual(['uncertain>sent']);
    expect((await audits()).map(({ action }) => action)).toEqual(['resolves.confirm', 'resolves.done']);
  });

  it('leaves out what is uncertain no longer, also what comes to its end in that moment, and the sums agree', async () => {
    const [alone, answered, stays] = [await uncertain(), await uncertain(), await uncertain()];
    const { token } = await preview({}, 'confirmed-not-sent');
    await new ResolveSend(world.dataSource, clock).run({
      send: alone,
      resolution: 'confirmed-sent',
      reason: undefined,
      who: 'token:ann',
      holds: () => true,
    });
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await other.query(
      "update send set state = 'sent', code = null, changes = changes + 1, state_at = $2, state_by = 'spec' where id = $1",
      [answered, new Date(START)],
    );
    const confirmed = resolves.confirm(token, ops);
    await untilLockAwaited((sql) => world.dataSource.query(sql), { atLeast: 1 });
    await other.query('commit');
    await other.release();
    await confirmed;
    while ((await work.runOnce()) > 0);
    const done = await resolves.read(token, ops);
    expect(done).toMatchObject({
      state: 'done',
      found: 3,
      resolve: 1,
      resolved: 1,
      leftOut: { NOT_UNCERTAIN: 2 },
    });
    expect(await world.read(alone)).toMatchObject({ state: 'sent', code: 'CONFIRMED_SENT' });
    expect(await world.path(answered)).toEqual(['uncertain>sent']);
    expect(await world.read(stays)).toMatchObject({ state: 'failed', code: 'CONFIRMED_NOT_SENT' });
  });

  it('is refused once its hour is over', async () => {
    const send = await uncertain();
    const { token } = await preview();
    clock.advance(3_600_000);
    expect(await resolves.read(token, ops)).toMatchObject({ state: 'expired' });
    await expect(resolves.confirm(token, ops)).rejects.toMatchObject({
      status: 409,
      code: 'PREVIEW_EXPIRED',
    });
    expect(await world.read(send)).toMatchObject({ state: 'uncertain' });
  });

  it('works in pages, and loses and doubles nothing where a process dies, or a commit is not answered', async () => {
    const campaign = await world.campaign();
    await world.copies(await uncertain({ campaign }), 1_204);
    const { token } = await preview();
    await confirmSet(world.dataSource, token, new Date(clock.now()), 'token:ops');
    const unlucky = (lost: 'answer' | 'commit') =>
      workers({
        query: (text, parameters) => world.dataSource.query(text, parameters),
        transaction: async (did) => {
          await world.dataSource.transaction(async (sql) => {
            await did(sql);
            if (lost === 'commit') throw new Error('the commit is lost');
          });
          throw new Error('the answer is lost');
        },
      }).work;
    await expect(unlucky('commit').runOnce()).rejects.toThrow('the commit is lost');
    expect(await resolves.read(token, ops)).toMatchObject({
      state: 'resolving',
      resolve: 1_205,
      resolved: 0,
    });
    // Its lease is over.
    await world.dataSource.query('update send_set set next_at = clock_timestamp()');
    await expect(unlucky('answer').runOnce()).rejects.toThrow('the answer is lost');
    expect(await resolves.read(token, ops)).toMatchObject({ state: 'resolving', resolved: 500 });
    const other = workers().work;
    while ((await other.runOnce()) > 0);
    expect(await resolves.read(token, ops)).toMatchObject({ state: 'done', resolved: 1_205, leftOut: {} });
    expect(
      await world.dataSource.query('select state, changes, count(*)::int as sends from send group by 1, 2'),
    ).toEqual([{ state: 'sent', changes: 2, sends: 1_205 }]);
    expect((await audits()).map(({ action }) => action)).toEqual(['resolves.done']);
    expect(await world.dataSource.query('select from send_set_item')).toEqual([]);
  });

  it('cannot be confirmed before all of it is found', async () => {
    await uncertain();
    const token = '01234567-0000-7000-8000-000000000000';
    await insertSet(world.dataSource, {
      kind: 'resolve',
      token,
      filter: { states: ['uncertain'] },
      held: null,
      createdAt: new Date(clock.now()),
      createdBy: 'token:ops',
      resolution: 'confirmed-sent',
      reason: null,
    });
    expect(await resolves.read(token, ops)).toMatchObject({ state: 'gathering', found: 0, expiresAt: null });
    await expect(resolves.confirm(token, ops)).rejects.toMatchObject({
      status: 409,
      code: 'PREVIEW_NOT_READY',
    });
    await work.runOnce();
    expect(await resolves.items(token, {}, whole, ops)).toHaveLength(1);
    const [row] = await world.dataSource.query<{ step: number }>('select step from send_set_item');
    expect(row?.step).toBe(STEPS.act);
  });
});

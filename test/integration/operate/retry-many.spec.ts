// Retrying many sends: preview, confirm, and what is left out, against real PostgreSQL and a gateway in this process.
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/database/database.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { RETRYABLE_STATES } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { askDelivered } from '../../../src/scheduler/operate/ask-delivered.js';
import { ManySends } from '../../../src/scheduler/operate/many-sends.js';
import { WorkResolves } from '../../../src/scheduler/operate/resolve-many.js';
import {
  RETRIES,
  type RetriesView,
  type RetryFilter,
  type RetryItem,
} from '../../../src/scheduler/operate/retry-many.js';
import { retriesBody } from '../../../src/scheduler/operate/sets.controller.js';
import { RetrySend } from '../../../src/scheduler/operate/retry-send.js';
import { WorkRetries } from '../../../src/scheduler/operate/work-retries.js';
import { WorkSets } from '../../../src/scheduler/operate/work-sets.js';
import {
  claimSetPage,
  insertSet,
  pageOfSet,
  STEPS,
} from '../../../src/scheduler/store/send/send-set.store.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { sendPage } from '../../../src/scheduler/store/read/send-view.store.js';
import { retryCandidates } from '../../../src/scheduler/store/send/retry.store.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway, json } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World, type SendSeed } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let work: WorkSets;
let retries: ManySends<RetriesView, RetryItem>;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url, max_retries: 2, rate_per_second: 100 });
  clock = new SteppedClock(START + 3_600_000);
  gateway.skewMs = clock.now() - Date.now();
  gateway.answer = result(0);
  rig = rigOf(world, clock);
  ({ work, retries } = workers());
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

/** As one process has them. */
const workers = (database: Database = world.dataSource) => {
  const retry = new WorkRetries({
    database,
    rules: loadZoneRules(),
    clock,
    askDelivered: askDelivered(rig.pushApi, rig.calls, 'retries'),
  });
  const own = new WorkSets(
    { database, projects: rig.projects, clock, wakeIn: () => undefined },
    { retry, resolve: new WorkResolves({ clock }) },
  );
  return { work: own, retries: new ManySends({ database: world.dataSource, clock, work: own }, RETRIES) };
};
const result = (sentCount: number) =>
  json(200, {
    statusCode: '202',
    statusName: 'success',
    messageStatusCode: '500',
    messageStatusName: 'fail',
    targetCount: 5,
    sentCount,
  });
const ops = { who: 'token:ops', serviceFilter: null };
const all: RetryFilter = { states: RETRYABLE_STATES };
const ofRetries = { kind: 'retry' as const, resolution: null, reason: null };
const preview = (filter: Partial<RetryFilter> = {}) =>
  retries.preview({ ...ofRetries, filter: { ...all, ...filter } }, ops);
const rejected = (seed: SendSeed = {}) => world.send({ state: 'rejected', ...seed });
const failed = (seed: SendSeed = {}) =>
  world.send({ state: 'failed', columns: { request_id: 'r-1' }, ...seed });
const retriesOf = (send: string) =>
  world.dataSource.query<{ id: string; due_at: Date }>('select id, due_at from send where retry_of = $1', [
    send,
  ]);
const sum = (leftOut: Readonly<Record<string, number>>) =>
  Object.values(leftOut).reduce((total, one) => total + one, 0);

describe('a preview', () => {
  it('says how many would be retried and why each other is left out, and changes no send', async () => {
    gateway.answer = (asked, response) =>
      asked.path.endsWith('/got-it') ? result(4)(asked, response) : result(0)(asked, response);
    const [goes, expired] = [await rejected(), await world.send({ state: 'expired' })];
    const nobody = await failed();
    await failed({ columns: { request_id: 'got-it' } });
    await rejected({ columns: { retries: 2 } });
    await rejected({ campaign: await world.campaign({ state: 'canceled' }) });
    const retried = await rejected();
    await world.dataSource.query('update send set next_send = id where id = $1', [retried]);
    await world.send({ state: 'sent' });

    const seen = await preview();
    expect(seen).toMatchObject({
      state: 'ready',
      createdBy: 'token:ops',
      found: 7,
      asked: { done: 2, of: 2 },
      retry: 3,
      retried: 0,
      leftOut: { DELIVERED_TO_SOME: 1, MAX_RETRIES: 1, CAMPAIGN_CANCELED: 1, ALREADY_RETRIED: 1 },
      due: { first: new Date(clock.now()), last: new Date(clock.now() + 60), deferred: 0 },
      expiresAt: new Date(clock.now() + 3_600_000),
    });
    expect(gateway.asked).toHaveLength(2);
    for (const send of [goes, expired, nobody]) expect(await retriesOf(send)).toEqual([]);
    expect(await world.dataSource.query('select id from audit')).toEqual([]);
  });

  it('says how many devices and campaigns, how old, and what would fail again', async () => {
    const [large, small] = [await world.campaign(), await world.campaign()];
    const due = new Date(clock.now() - 3_600_000);
    await failed({ campaign: large, columns: { target_count: 7, first_due: due } });
    await failed({ campaign: large, columns: { target_count: 3, detail: 'PAYLOAD_TOO_LARGE: 3 devices' } });
    await failed({ campaign: large, columns: { target_count: 50, request_id: 'got-it' } });
    await rejected({ campaign: small, columns: { code: 'REQUEST_ENTITY_TOO_LARGE' } });
    gateway.answer = (asked, response) =>
      asked.path.endsWith('/got-it') ? result(4)(asked, response) : result(0)(asked, response);
    expect(await preview()).toMatchObject({
      state: 'ready',
      retry: 3,
      devices: 10,
      unknownDevices: 1,
      oldestDueAt: due,
      campaigns: [
        { campaign: large, sends: 2 },
        { campaign: small, sends: 1 },
      ],
      campaignCount: 2,
      campaignCountIsLeast: false,
      failsAgain: { PAYLOAD_TOO_LARGE: 1, REQUEST_ENTITY_TOO_LARGE: 1 },
    });
  });

  it('leaves out what has been due for more than a day, unless it is asked for', async () => {
    const since = (ms: number) => ({ columns: { first_due: new Date(clock.now() - ms) } });
    await rejected(since(86_400_000));
    await rejected(since(86_400_001));
    expect(await preview()).toMatchObject({ found: 2, retry: 1, leftOut: { OLDER_THAN_A_DAY: 1 } });
    expect(await preview({ stale: true })).toMatchObject({ found: 2, retry: 2, leftOut: {} });
  });

  it('takes the filter of the failures list: service, campaign, state, code and time', async () => {
    const campaign = await world.campaign();
    const at = (minute: number) => ({ state_at: new Date(START + minute * 60_000) });
    await rejected({ campaign, columns: { code: 'FORBIDDEN', ...at(10) } });
    await rejected({ campaign, chunk: 1, columns: { code: 'BAD_REQUEST', ...at(20) } });
    await world.send({ state: 'expired', columns: { code: 'LATE', ...at(30) } });
    await world.project({ service_id: 'other-app' });
    await rejected({ serviceId: 'other-app' });
    const found = async (filter: Partial<RetryFilter>) => (await preview(filter)).found;
    expect(await found({})).toBe(4);
    expect(await found({ serviceId: 'other-app' })).toBe(1);
    expect(await found({ campaign })).toBe(2);
    expect(await found({ states: ['expired'] })).toBe(1);
    expect(await found({ code: 'FORBIDDEN' })).toBe(1);
    const times = {
      since: new Date(START + 1_200_000).toISOString(),
      until: new Date(START + 1_800_000).toISOString(),
    };
    expect(await found(times)).toBe(1);
  });

  it('takes every filter of the list of sends, and finds what that finds', async () => {
    const late = await world.campaign({ zone: 'Asia/Seoul' });
    const plain = await world.campaign();
    const due = (minute: number) => new Date(START + minute * 60_000);
    const sends = [
      await rejected({ campaign: late, columns: { code: 'FORBIDDEN', http_status: 403 } }),
      await rejected({ campaign: plain, columns: { http_status: 400, request_id: 'r-7' } }),
      await rejected({
        campaign: plain,
        chunk: 1,
        dueAt: START + 600_000,
        columns: { code: 'BAD_REQUEST', request_id: 'r-8', answered_at: due(11) },
      }),
      await world.send({
        state: 'expired',
        mode: 'reserved',
        dueAt: START + 1_200_000,
        columns: { intended_at: due(1) },
      }),
    ];
    const place = (send: string) => sends.indexOf(send);
    const body = (filter: Record<string, unknown>) =>
      retriesBody.parse(filter) as Partial<RetryFilter> & { states: RetryFilter['states'] };
    for (const [filter, named] of [
      [{}, [0, 1, 2, 3]],
      [{ cell: 'cell', zone: 'Asia/Seoul' }, [0]],
      [{ zone: 'UTC', mode: 'immediate' }, [1, 2]],
      [{ mode: 'reserved' }, [3]],
      [{ code: 'none' }, [1, 3]],
      [{ httpStatus: 400 }, [1]],
      [{ httpStatus: 'none' }, [2, 3]],
      [{ requestId: 'r-8' }, [2]],
      [{ dueFrom: due(10).toISOString() }, [2, 3]],
      [{ dueFrom: due(10).toISOString(), dueTo: due(20).toISOString() }, [2]],
      [{ lateOver: 59_999 }, [2]],
      [{ lateOver: 'PT1M' }, []],
      [{ deferred: true }, [3]],
      [{ deferred: false, states: ['rejected'] }, [0, 1, 2]],
      [{ sends: [sends[0], sends[3]], deferred: true }, [3]],
    ] as const) {
      const { states, sends: given, deferred, ...others } = body(filter);
      const { rows } = await sendPage(
        world.dataSource,
        {
          ...others,
          state: [...states],
          deferred: deferred === undefined ? undefined : deferred ? 'true' : 'false',
          serviceIds: null,
          newestOnly: false,
        },
        { newest: false, from: undefined, limit: 100 },
      );
      const listed = rows
        .map(({ id }) => place(id))
        .filter((index) => given?.includes(sends[index] ?? '') ?? true);
      const set = await preview(body(filter));
      const items = await retries.items(set.token, {}, { from: undefined, limit: 100 }, ops);
      const found = items.map(({ send }) => place(send));
      expect([filter, listed, found, set.found]).toEqual([filter, named, named, named.length]);
    }
  });

  it('looks at a page of sends at a time, however few of them it names, of each project in turn', async () => {
    const campaign = await world.campaign();
    await world.copies(await rejected({ campaign }), 1_999);
    await rejected({ columns: { code: 'RARE' } });
    await world.project({ service_id: 'other-app' });
    await rejected({ serviceId: 'other-app', columns: { code: 'RARE' } });
    await world.project({ service_id: 'well-app' });
    const set = { ...ofRetries, filter: { ...all, code: 'RARE' }, held: null, createdBy: 'token:ops' };
    const [large, small] = [v7(), v7()];
    for (const token of [large, small])
      await insertSet(world.dataSource, { ...set, token, createdAt: new Date(clock.now()) });
    const begun = () =>
      world.dataSource.query(
        `select from send_set where step > 0 or after_send > '00000000-0000-0000-0000-000000000000'`,
      );
    for (let page = 1; page <= 4; page += 1) {
      await work.runOnce();
      expect(await begun()).toHaveLength(page);
    }
    // For each set: two pages more for one project, none for the other, and none for a project without failures.
    for (let page = 1; page <= 4; page += 1) expect(await work.runOnce()).toBe(1);
    expect(await work.runOnce()).toBe(0);
    expect(await retries.read(large, ops)).toMatchObject({ state: 'ready', found: 2, retry: 2 });
  });

  it('is listed, newest first, with what of it waits still, to those who hold its services', async () => {
    await world.project({ service_id: 'other-app' });
    const sends = [
      await rejected({ columns: { code: 'FORBIDDEN' } }),
      await world.send({ state: 'expired' }),
    ];
    await rejected({ serviceId: 'other-app' });
    const own = await preview({ serviceId: SERVICE });
    clock.advance(1);
    const whole = await preview();
    const page: { before: string | undefined; limit: number } = { before: undefined, limit: 10 };
    const latest = async (serviceFilter: string[] | null, asked = page, serviceId?: string) =>
      (await retries.latest(serviceId, asked, { serviceFilter })).map(({ token }) => token);
    expect(await retries.latest(undefined, page, ops)).toEqual([
      await retries.read(whole.token, ops),
      await retries.read(own.token, ops),
    ]);
    expect(await latest([SERVICE])).toEqual([own.token]);
    expect(await latest(['other-app'])).toEqual([]);
    expect(await latest(null, page, SERVICE)).toEqual([own.token]);
    expect(await latest(null, { before: whole.token, limit: 10 })).toEqual([own.token]);

    const items = (filter = {}, from?: string, limit = 10) =>
      retries.items(own.token, filter, { from, limit }, ops);
    const waits = { serviceId: SERVICE, waitsFor: 'retry' };
    const [first = '', second = ''] = sends.toSorted();
    expect((await items()).map(({ send }) => send)).toEqual([first, second]);
    expect((await items({}, first)).map(({ send }) => send)).toEqual([second]);
    expect(await items({ code: 'FORBIDDEN' })).toMatchObject([
      { ...waits, send: sends[0], state: 'rejected' },
    ]);
    expect(await items({ state: ['expired'] })).toMatchObject([{ ...waits, send: sends[1] }]);
    await expect(
      retries.items(whole.token, {}, { from: undefined, limit: 1 }, { serviceFilter: [SERVICE] }),
    ).rejects.toMatchObject({ status: 404 });
    await retries.confirm(own.token, ops);
    await eventually(async () => (await retries.read(own.token, ops)).state === 'done');
    expect(await items()).toEqual([]);
  });

  it('leaves out what would be skipped in the night, and says how many are deferred out of it', async () => {
    clock.set(Date.parse('2027-03-01T13:00:00.000Z'));
    const night = (rule: 'skip' | 'defer') =>
      world.campaign({ messageType: 'AD', zone: 'Asia/Seoul', policy: { night: rule } });
    await rejected({ campaign: await night('skip') });
    await rejected({ campaign: await night('defer') });
    expect(await preview()).toMatchObject({
      retry: 1,
      leftOut: { NIGHT: 1 },
      due: { last: new Date('2027-03-01T23:00:00.000Z'), deferred: 1 },
    });
  });

  it('leaves out a standing message whose end has passed', async () => {
    const campaign = await world.campaign({ delivery: { kind: 'schedule-code', until: clock.now() - 1 } });
    await rejected({ campaign, mode: 'scheduled', columns: { schedule_code: 'daily' } });
    expect(await preview()).toMatchObject({ retry: 0, leftOut: { UNTIL_PASSED: 1 } });
  });

  it('asks at a quarter of the rate, and shows how far it is', async () => {
    await world.dataSource.query('update project set rate_per_second = 16');
    const campaign = await world.campaign();
    for (let chunk = 0; chunk < 5; chunk += 1) await failed({ campaign, chunk });
    const seen = await preview();
    // Of a bucket of four, the rest is left to due sends.
    expect(seen).toMatchObject({ state: 'asking', asked: { done: 2, of: 5 }, found: 5, expiresAt: null });
    await expect(retries.confirm(seen.token, ops)).rejects.toMatchObject({
      status: 409,
      code: 'PREVIEW_NOT_READY',
      extras: { details: { asked: { done: 2, of: 5 } } },
    });
    // As if the second until the next page had passed, and the bucket had filled.
    const pass = () =>
      world.dataSource.query(
        `with b as (update send_set set next_at = next_at - interval '1 second') update project_pace set at = at - interval '1 second'`,
      );
    await pass();
    await work.runOnce();
    await pass();
    await work.runOnce();
    expect(await retries.read(seen.token, ops)).toMatchObject({ state: 'ready', asked: { done: 5, of: 5 } });
    expect(gateway.asked).toHaveLength(5);
  });

  it('gets a 429: the project is blocked, the rate is halved, and nothing is asked until then', async () => {
    gateway.answer = failure(429, '410', { 'retry-after': '30' });
    await failed();
    const seen = await preview();
    expect(seen).toMatchObject({ state: 'asking', asked: { done: 0, of: 1 }, leftOut: {} });
    expect(
      await world.dataSource.query(
        'select blocked_until, blocked_code, rate from project join project_pace using (service_id)',
      ),
    ).toEqual([
      { blocked_until: new Date(clock.now() + 30_000), blocked_code: 'THROTTLE_LIMITED', rate: 50 },
    ]);
    rig.projects.forget();
    const due = () => world.dataSource.query('update send_set set next_at = clock_timestamp()');
    await due();
    await work.runOnce();
    expect(gateway.asked).toHaveLength(1);
    gateway.answer = result(0);
    clock.advance(30_001);
    rig.projects.forget();
    await world.dataSource.query(`update project_pace set at = at - interval '1 minute'`);
    await due();
    await work.runOnce();
    expect(await retries.read(seen.token, ops)).toMatchObject({ state: 'ready', retry: 1 });
  });

  it('leaves out sends without a result after three questions', async () => {
    gateway.answer = failure(500, '900');
    await failed();
    const { token } = await preview();
    for (let question = 0; question < 2; question += 1) {
      await world.dataSource.query('update send_set set next_at = clock_timestamp()');
      await work.runOnce();
    }
    expect(await retries.read(token, ops)).toMatchObject({
      state: 'ready',
      retry: 0,
      leftOut: { RESULT_UNREAD: 1 },
    });
  });

  it('goes on with other projects and other sets while one project is blocked', async () => {
    const other = await Gateway.open();
    other.skewMs = gateway.skewMs;
    other.answer = result(0);
    gateway.answer = failure(429, '410', { 'retry-after': '30' });
    try {
      const campaign = await world.campaign();
      await world.copies(await failed({ campaign }), 300);
      await world.project({ service_id: 'other-app', base_url: other.url, rate_per_second: 100 });
      await failed({ serviceId: 'other-app' });
      const both = await preview();
      expect(both).toMatchObject({ state: 'asking', found: 302, asked: { done: 1, of: 302 } });
      expect(await preview({ serviceId: 'other-app' })).toMatchObject({ state: 'ready', retry: 1 });
      expect(other.asked).toHaveLength(2);
      // The loop of the pages that ask nobody never waits for a gateway.
      await world.dataSource.query(
        'update send_set set next_at = clock_timestamp() where next_at is not null',
      );
      expect([await work.runOnce(undefined, false), await work.runOnce(undefined, true)]).toEqual([0, 1]);
    } finally {
      await other.close();
    }
  });

  it('leaves out what it cannot ask about because its project is blocked for longer than the preview is good for', async () => {
    const campaign = await world.campaign();
    await world.copies(await failed({ campaign }), 99);
    const goes = await rejected();
    await world.dataSource.query(`update project set blocked_until = 'infinity', blocked_code = 'STOPPED'`);
    const seen = await preview();
    expect(seen).toMatchObject({ state: 'ready', found: 101, retry: 1, leftOut: { PROJECT_BLOCKED: 100 } });
    expect(gateway.asked).toEqual([]);
    expect(await retries.confirm(seen.token, ops)).toMatchObject({ state: 'done', retried: 1 });
    expect(await retriesOf(goes)).toHaveLength(1);
  });

  it('is answered though the gateway does not answer, and holds up no other', async () => {
    const held: (() => void)[] = [];
    gateway.answer = (asked, response) => void held.push(() => void result(0)(asked, response));
    const own = await failed();
    const first = await preview();
    expect(first).toMatchObject({ state: 'asking', found: 1, asked: { done: 0, of: 1 } });
    const second = await preview({ states: ['rejected'], sends: [await rejected()] });
    expect(await retries.confirm(second.token, ops)).toMatchObject({ state: 'done', retried: 1 });
    for (const answer of held) answer();
    await eventually(async () =>
      expect(await retries.read(first.token, ops)).toMatchObject({ state: 'ready', retry: 1 }),
    );
    expect(await retriesOf(own)).toEqual([]);
  });

  it('lets nothing stand of a page whose lease was over before it ended', async () => {
    gateway.answer = async (asked, response) => {
      // As if another process had taken the page up, and had ended it.
      await world.dataSource.query('update send_set set lease = gen_random_uuid()');
      await result(4)(asked, response);
    };
    await failed();
    const before = () => world.dataSource.query('select counts, left_out, step, next_at from send_set');
    await expect(preview()).rejects.toThrow('the lease of a page of a set was over');
    expect(await before()).toMatchObject([{ counts: { found: 1, toAsk: 1 }, left_out: {}, step: 1 }]);
    expect(await world.dataSource.query('select step from send_set_item')).toEqual([{ step: 1 }]);
  });

  it('is known to those alone who hold its services', async () => {
    const { token } = await preview({ serviceId: SERVICE });
    const holder = { who: 'token:shop', serviceFilter: [SERVICE, 'another-app'] };
    expect(await retries.read(token, holder)).toMatchObject({ token });
    const stranger = { who: 'token:x', serviceFilter: ['another-app'] };
    await expect(retries.read(token, stranger)).rejects.toMatchObject({ status: 404 });
    await expect(retries.confirm(token, stranger)).rejects.toMatchObject({ status: 404 });
    await expect(
      retries.preview({ ...ofRetries, filter: { ...all, serviceId: SERVICE } }, stranger),
    ).rejects.toMatchObject({
      status: 404,
    });
    await rejected();
    expect(await retries.preview({ ...ofRetries, filter: all }, stranger)).toMatchObject({ found: 0 });
  });
});

describe('a confirmed preview', () => {
  it('retries exactly its set, each with a due within half the rate and its link, and one audit row', async () => {
    const campaign = await world.campaign();
    const sends = [];
    for (let chunk = 0; chunk < 3; chunk += 1) sends.push(await rejected({ campaign, chunk }));
    const { token } = await preview();
    const later = await rejected();
    clock.advance(10_000);
    const done = await retries.confirm(token, { who: 'token:boss', serviceFilter: null });
    expect(done).toMatchObject({
      state: 'done',
      retry: 3,
      retried: 3,
      leftOut: {},
      confirmedBy: 'token:boss',
    });
    const dues = [];
    for (const send of sends) {
      const [made, ...more] = await retriesOf(send);
      expect(more).toEqual([]);
      dues.push(made?.due_at.getTime());
      expect(await world.read(made?.id ?? '')).toMatchObject({ state: 'planned', retries: 1 });
      expect(await world.read(send)).toMatchObject({ state: 'rejected', changes: 1 });
    }
    expect(dues).toEqual([clock.now(), clock.now() + 20, clock.now() + 40]);
    expect(await retriesOf(later)).toEqual([]);
    expect(
      await world.dataSource.query(`select who, before, after from audit where action = 'retries.confirm'`),
    ).toMatchObject([{ who: 'token:boss', before: { state: 'ready', found: 3 }, after: { retry: 3 } }]);
    // However many sends there are, one audit row says what they came to.
    expect(
      await world.dataSource.query(
        `select who, action, target, service_id, after from audit where action <> 'retries.confirm'`,
      ),
    ).toEqual([
      {
        who: 'token:boss',
        action: 'retries.done',
        target: token,
        service_id: expect.any(String),
        after: {
          state: 'done',
          retried: 3,
          leftOut: {},
          due: [dues[0], dues[2]].map((at) => new Date(at ?? 0).toISOString()),
        },
      },
    ]);
  });

  it('is the same when it is confirmed again, also at the same moment and by another process', async () => {
    const send = await rejected();
    const { token } = await preview();
    const other = workers();
    await Promise.all([
      retries.confirm(token, ops),
      other.retries.confirm(token, ops),
      retries.confirm(token, ops),
    ]);
    const again = await retries.confirm(token, ops);
    expect(again).toMatchObject({ state: 'done', retried: 1 });
    expect(await retries.confirm(token, ops)).toEqual(again);
    expect(await retriesOf(send)).toHaveLength(1);
    expect(await world.dataSource.query(`select 1 from audit where action = 'retries.confirm'`)).toHaveLength(
      1,
    );
  });

  it('leaves out what was retried or canceled since, and the sums agree', async () => {
    const campaign = await world.campaign();
    const [alone, gone] = [await rejected(), await rejected({ campaign })];
    await rejected();
    const { token } = await preview();
    const one = new RetrySend({
      database: world.dataSource,
      askDelivered: askDelivered(rig.pushApi, rig.calls, 'retry'),
      clock,
    });
    await one.run({ send: alone, who: 'token:ops', holds: () => true, acceptDuplicates: false });
    await world.dataSource.query(`update campaign set state = 'canceling' where id = $1`, [campaign]);
    const done = await retries.confirm(token, ops);
    expect(done).toMatchObject({
      state: 'done',
      found: 3,
      retry: 1,
      retried: 1,
      leftOut: { ALREADY_RETRIED: 1, CAMPAIGN_CANCELED: 1 },
    });
    expect(done.found).toBe(done.retried + sum(done.leftOut));
    expect(await retriesOf(gone)).toEqual([]);
    await expect(
      one.run({ send: alone, who: 'token:ops', holds: () => true, acceptDuplicates: false }),
    ).rejects.toMatchObject({ status: 409, code: 'ALREADY_RETRIED' });
  });

  it('is refused once its hour is over', async () => {
    const send = await rejected();
    const { token } = await preview();
    clock.advance(3_600_000);
    expect(await retries.read(token, ops)).toMatchObject({ state: 'expired' });
    await expect(retries.confirm(token, ops)).rejects.toMatchObject({ status: 409, code: 'PREVIEW_EXPIRED' });
    expect(await retriesOf(send)).toEqual([]);
  });

  it('works in pages, and another process goes on where one died', async () => {
    const campaign = await world.campaign();
    const first = await rejected({ campaign });
    await world.copies(first, 1_204);
    const { token } = await preview();
    await world.dataSource.query(
      `update send_set set confirmed_at = created_at, confirmed_by = 'token:ops', next_at = clock_timestamp()`,
    );
    await work.runOnce(token);
    expect(await retries.read(token, ops)).toMatchObject({ state: 'retrying', retry: 1_205, retried: 500 });
    // A page that was begun and never ended: its lease is over.
    await world.dataSource.query(
      `update send_set set lease = gen_random_uuid(), next_at = clock_timestamp()`,
    );
    const other = workers();
    for (let page = 0; page < 2; page += 1) await other.work.runOnce();
    expect(await retries.read(token, ops)).toMatchObject({ state: 'done', retried: 1_205 });
    expect(await other.work.runOnce()).toBe(0);
    const [made] = await world.dataSource.query(
      'select count(*)::int as sends, count(distinct retry_of)::int as chunks from send where retry_of is not null',
    );
    expect(made).toEqual({ sends: 1_205, chunks: 1_205 });
  });

  it('loses and doubles nothing where a commit is not answered, or does not come', async () => {
    const campaign = await world.campaign();
    await world.copies(await rejected({ campaign }), 1_204);
    const { token } = await preview();
    await world.dataSource.query(
      `update send_set set confirmed_at = created_at, confirmed_by = 'token:ops', next_at = clock_timestamp()`,
    );
    const unlucky = (lost: 'answer' | 'commit') =>
      workers({
        query: (text, parameters) => world.dataSource.query(text, parameters),
        transaction: async (did) => {
          const died = new Error(`the ${lost} is lost`);
          await world.dataSource.transaction(async (sql) => {
            await did(sql);
            if (lost === 'commit') throw died;
          });
          throw died;
        },
      }).work;
    await expect(unlucky('commit').runOnce()).rejects.toThrow('the commit is lost');
    expect(await retries.read(token, ops)).toMatchObject({ state: 'retrying', retried: 0 });
    await world.dataSource.query('update send_set set next_at = clock_timestamp()');
    await expect(unlucky('answer').runOnce()).rejects.toThrow('the answer is lost');
    expect(await retries.read(token, ops)).toMatchObject({ state: 'retrying', retried: 500 });
    while ((await work.runOnce()) > 0);
    expect(await retries.read(token, ops)).toMatchObject({ state: 'done', retried: 1_205, leftOut: {} });
    const [made] = await world.dataSource.query(
      `select (select count(*)::int from audit where action = 'retries.done') as audits, count(*)::int as sends,
              count(distinct retry_of)::int as chunks from send where retry_of is not null`,
    );
    expect(made).toEqual({ audits: 1, sends: 1_205, chunks: 1_205 });
    expect(await world.dataSource.query('select from send_set_item')).toEqual([]);
  });
});

it.each(['as it was planned', 'once it was analysed'])(
  'a page is read from an index behind the last one, %s',
  async (when) => {
    await ensurePartitions(world.dataSource, new Date());
    await world.copies(await rejected(), 2_000);
    // Most sends need no attention: otherwise the primary key would be as good an index.
    await world.copies(await world.send({ state: 'sent' }), 6_000);
    const { token } = await preview();
    // Of other sets, that are done.
    await world.dataSource.query(
      `insert into send_set (id, service_id, kind, filter, created_at, created_by, step, next_at)
       select gen_random_uuid(), 'shop-app', 'retry', '{}', $1, 'ops', 5, null from generate_series(1, 2000)`,
      [new Date(clock.now())],
    );
    if (when === 'once it was analysed')
      await world.dataSource.query('analyze send; analyze send_set_item; analyze send_set');
    const [middle] = await world.dataSource.query<{ send: string }>(
      'select send from send_set_item order by send offset 1000 limit 1',
    );
    const part = {
      ...ofRetries,
      token,
      serviceId: SERVICE,
      filter: all,
      createdAt: new Date(clock.now()),
      afterSend: middle?.send ?? '',
      by: 'ops',
      counts: {},
      leftOut: {},
      facts: {},
      lease: token,
    };
    const plans = await world.plansOf(async (sql) => {
      await pageOfSet(sql, { ...part, step: STEPS.find }, 100);
      await pageOfSet(sql, { ...part, step: STEPS.act }, 100);
      await retryCandidates(sql, [middle?.send ?? '']);
      await claimSetPage(sql, 1_000, undefined, undefined);
    });
    const [found, items, candidates, claim] = plans;
    // All days at once, each in the order of ids: none is sorted.
    expect(found).toMatch(/Limit .*\n\s+->\s+Merge Append/);
    expect(found).not.toMatch(/->\s+Sort/);
    expect(found).toMatch(/Index Cond: \(\(service_id = '[^']*'::text\) AND \(id > '/);
    expect(items).toMatch(
      /Index (Only )?Scan using send_set_item_pkey .*\n.*Index Cond: .*\(step = 4\) AND \(send > '/,
    );
    expect(candidates).toMatch(/Index Scan using send_\w*pkey/);
    expect(claim).toMatch(/Index Scan (using|on) send_set_turn/);
    expect(`${found} ${items}`).not.toMatch(/Seq Scan|Bitmap|->\s+Sort/);
  },
);

// The dispatcher with real PostgreSQL and a gateway in this process: when sends leave, and how they end.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { SECRET } from '../../../src/scheduler/store/project.store.js';
import { eventually } from '../../support/eventually.js';
import { cut, failure, Gateway, json, reset, take, type Answer } from '../../support/scheduler/gateway.js';
import { recoveryOf } from '../../support/scheduler/recovery.js';
import { rigOf, type Limits, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url });
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  rig = rigOf(world, clock);
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const attempts = (send: string) =>
  world.dataSource.query('select * from send_attempt where send = $1 order by attempt', [send]);

/** Makes rounds until the send is in `state`. */
const becomes = (send: string, state: string) =>
  eventually(async () => {
    await rig.dispatch.runOnce();
    const row = await world.read(send);
    expect(row.state).toBe(state);
    return row;
  });

describe('a send that is due', () => {
  it('is fired and accepted, with its attempt and history', async () => {
    const send = await world.send();
    const row = await becomes(send, 'accepted');
    expect(row).toMatchObject({
      request_id: gateway.posts[0]?.requestId,
      gateway_status: 'success',
      attempts: 1,
      handed_off_at: new Date(START),
      answered_at: new Date(START),
      mode_rule: 'DUE_NOW',
    });
    expect(row.next_at?.getTime()).toBeGreaterThan(START);
    expect(await world.path(send)).toEqual(['planned>sending', 'sending>accepted']);
    expect(await attempts(send)).toMatchObject([
      { attempt: 1, kind: 'send', request_sent: true, http_status: 202, outcome: 'taken', error_code: null },
    ]);
    const [asked] = gateway.posts;
    expect(asked?.path).toBe(`/push/v2/services/${SERVICE}/messages`);
    expect(asked?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(asked?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      messageType: 'NOTIF',
      message: { default: { content: 'Hello' } },
      target: { type: 'ALL' },
    });
  });

  it('carries the ids of its chunk, and no Idempotency-Key where the project has switched that off', async () => {
    await world.dataSource.query(`update project set extensions_off = '{idempotency-key}'`);
    const campaign = await world.campaign({ target: { type: 'USER', country: ['KR'] } });
    const send = await world.send({ campaign, recipients: ['a', 'b,"{}', 'ü'] });
    await becomes(send, 'accepted');
    const [asked] = gateway.posts;
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({
      target: { type: 'USER', country: ['KR'], to: ['a', 'b,"{}', 'ü'] },
    });
    expect(asked?.headers['idempotency-key']).toBeUndefined();
  });

  it('is looked ahead to and leaves at its instant, not before, signed for it', async () => {
    const send = await world.send({ dueAt: START + 1_999 });
    expect(await rig.dispatch.runOnce()).toBe(1);
    expect((await world.read(send)).state).toBe('planned');
    expect(rig.dispatch.queues()).toMatchObject([{ queued: 1 }]);
    const prepare = vi.spyOn(rig.pushApi, 'prepareSend');
    clock.set(START + 1_998);
    await rig.dispatch.runOnce();
    await becomes(send, 'sending');
    await eventually(() => expect(prepare).toHaveBeenCalledTimes(1));
    expect(gateway.posts).toEqual([]);
    clock.set(START + 1_999);
    await becomes(send, 'accepted');
    expect((await world.read(send)).handed_off_at).toEqual(new Date(START + 1_999));
    expect(gateway.posts[0]?.headers['x-svc-apigw-timestamp']).toBe(`${START + 1_999}`);
  });

  it('is put back if its request cannot be made, and its place in flight is free', async () => {
    vi.spyOn(rig.pushApi, 'prepareSend').mockRejectedValueOnce(new Error('a bug'));
    const send = await world.send({ dueAt: START + 20 });
    await rig.dispatch.runOnce();
    await becomes(send, 'sending');
    clock.set(START + 20);
    await eventually(async () =>
      expect(await world.path(send)).toEqual(['planned>sending', 'sending>planned']),
    );
    expect(await attempts(send)).toMatchObject([{ request_sent: false, error_code: 'REQUEST_NOT_MADE' }]);
    expect(gateway.posts).toEqual([]);
    await eventually(() => expect(rig.dispatch.inFlight).toBe(0));
  });

  it('is not read beyond the look-ahead', async () => {
    await world.send({ dueAt: START + 2_001 });
    expect(await rig.dispatch.runOnce()).toBe(0);
  });

  it('is reserved for its minute, in UTC', async () => {
    const dueAt = START + 3_600_000;
    const send = await world.send({ mode: 'reserved', dueAt, handOffAt: START });
    const row = await becomes(send, 'reserved');
    expect(row).toMatchObject({
      mode: 'reserved',
      mode_rule: 'RESERVABLE',
      next_at: new Date(START + 60_000),
    });
    expect(JSON.parse(gateway.posts[0]?.body ?? '')).toMatchObject({
      reserveTime: '2027-03-01 01:00',
      reserveTimeZone: 'UTC',
    });
  });

  it('is put back and leaves when it is due, if it became too late to reserve', async () => {
    const dueAt = START + 60_000;
    const send = await world.send({ mode: 'reserved', dueAt, handOffAt: START });
    await rig.dispatch.runOnce();
    await eventually(async () =>
      expect(await world.read(send)).toMatchObject({
        state: 'planned',
        mode: 'immediate',
        mode_rule: 'TOO_CLOSE_TO_RESERVE',
        next_at: new Date(dueAt),
        attempts: 0,
      }),
    );
    clock.set(dueAt);
    expect((await becomes(send, 'accepted')).mode_rule).toBe('DUE_NOW');
  });

  it('is attached to its schedule', async () => {
    const campaign = await world.campaign({
      delivery: { kind: 'schedule', scheduleCode: 'WEEKLY', until: START + 5_000_000 },
    });
    const send = await world.send({
      campaign,
      mode: 'scheduled',
      handOffAt: START,
      columns: { schedule_code: 'WEEKLY' },
    });
    const row = await becomes(send, 'scheduled');
    expect(JSON.parse(gateway.posts[0]?.body ?? '')).toMatchObject({ scheduleCode: 'WEEKLY' });
    expect(row.next_at).toEqual(new Date(START + 3_600_000));
  });

  it('expires beyond its lateness, and says by how much', async () => {
    const send = await world.send({ dueAt: START - 1_800_001 });
    const row = await becomes(send, 'expired');
    expect(row).toMatchObject({ code: 'LATE', attempts: 0 });
    expect(row.detail).toBe('30 minutes late, 30 minutes allowed');
    expect(gateway.posts).toEqual([]);
  });

  it('goes out late where the policy says so, but not beyond its deadline', async () => {
    const policy = { lateness: { maxMs: 0, beyond: 'send' } } as const;
    const late = await world.send({ campaign: await world.campaign({ policy }), dueAt: START - 3_600_000 });
    const gone = await world.send({ campaign: await world.campaign({ policy }), dueAt: START - 86_400_001 });
    await becomes(late, 'accepted');
    expect(await becomes(gone, 'skipped')).toMatchObject({ code: 'DEADLINE' });
  });

  it('is deferred to the end of the night if an AD became late inside it', async () => {
    // 13:00Z is 22:00 in Seoul; it was due at 20:59.
    clock.set('2027-03-01T13:00:00Z');
    const policy = { night: 'defer', lateness: { maxMs: 7_200_000, beyond: 'expire' } } as const;
    const campaign = await world.campaign({ policy, messageType: 'AD', zone: 'Asia/Seoul' });
    const send = await world.send({ campaign, dueAt: Date.parse('2027-03-01T11:59:00Z') });
    const row = await becomes(send, 'reserved');
    expect(row.due_at).toEqual(new Date('2027-03-01T23:00:00Z'));
    expect(JSON.parse(gateway.posts[0]?.body ?? '')).toMatchObject({ reserveTime: '2027-03-01 23:00' });
  });
});

describe('an answer', () => {
  it('that refuses ends the send, with the gateway’s own words', async () => {
    gateway.answer = failure(400, '100');
    const send = await world.send();
    expect(await becomes(send, 'rejected')).toMatchObject({ code: 'BAD_REQUEST', detail: '400/100 400/100' });
    expect(await attempts(send)).toMatchObject([
      { http_status: 400, outcome: 'refused', error_code: 'BAD_REQUEST' },
    ]);
  });

  it.each<[string, Answer, string, Limits?]>([
    ['a reset', reset, 'CONNECTION_LOST'],
    ['a cut answer', cut, 'TRUNCATED_ANSWER'],
    ['504', failure(504, '510'), 'ENDPOINT_TIMEOUT'],
    ['no answer', () => undefined, 'ANSWER_TIMEOUT', { timeoutMs: 1_000 }],
  ])('lost to %s leaves it uncertain and is never repeated', async (_, answer, code, limits = {}) => {
    await rig.stop();
    rig = rigOf(world, clock, limits);
    gateway.answer = answer;
    const send = await world.send();
    expect(await becomes(send, 'uncertain')).toMatchObject({ code, attempts: 1 });
    clock.advance(600_000);
    for (let round = 0; round < 3; round += 1) await rig.dispatch.runOnce();
    expect(gateway.posts).toHaveLength(1);
    expect(await attempts(send)).toMatchObject([{ request_sent: true, outcome: 'unknown' }]);
  });

  it('of another status than asked keeps its requestId', async () => {
    gateway.answer = json(202, { requestId: 'r-77', statusName: 'reserved' });
    expect(await becomes(await world.send(), 'uncertain')).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      request_id: 'r-77',
    });
  });

  it('503/500 sends it back to wait, and it leaves again', async () => {
    gateway.next = [failure(503, '500', { 'retry-after': '4' })];
    const send = await world.send();
    await rig.dispatch.runOnce();
    const row = await becomes(send, 'planned');
    await eventually(async () => expect((await world.read(send)).attempts).toBe(1));
    expect(row.next_at?.getTime()).toBeGreaterThanOrEqual(START);
    const waiting = await eventually(async () => {
      const found = await world.read(send);
      expect(found).toMatchObject({ state: 'planned', code: 'ENDPOINT_ERROR' });
      return found;
    });
    expect(waiting.next_at?.getTime()).toBeGreaterThanOrEqual(START + 4_000);
    clock.set(waiting.next_at?.getTime() ?? 0);
    expect((await becomes(send, 'accepted')).attempts).toBe(2);
  });

  it('429 blocks the whole project for its Retry-After', async () => {
    gateway.next = [failure(429, '410', { 'retry-after': '3' })];
    const first = await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () =>
      expect(await world.read(first)).toMatchObject({ state: 'planned', code: 'THROTTLE_LIMITED' }),
    );
    const [project] = await world.dataSource.query('select blocked_until, blocked_code from project');
    expect(project).toEqual({ blocked_until: new Date(START + 3_000), blocked_code: 'THROTTLE_LIMITED' });
    const second = await world.send();
    expect(await rig.dispatch.runOnce()).toBe(0);
    clock.advance(3_000);
    await becomes(second, 'accepted');
    clock.advance(2_000);
    await becomes(first, 'accepted');
  });

  it('a block that is over does not come back when a clock is set back', async () => {
    gateway.next = [failure(429, '410', { 'retry-after': '3' })];
    const first = await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () => expect((await world.read(first)).code).toBe('THROTTLE_LIMITED'));
    clock.advance(3_000);
    await recoveryOf(world.dataSource, clock).runOnce();
    clock.advance(-600_000);
    await becomes(await world.send({ dueAt: clock.now() }), 'accepted');
  });

  it('429/400 blocks it for the quota, a redirect until it is started', async () => {
    gateway.answer = failure(429, '400', { 'retry-after': '3600' });
    await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [project] = await world.dataSource.query('select blocked_until, blocked_code from project');
      expect(project).toEqual({ blocked_until: new Date(START + 3_600_000), blocked_code: 'QUOTA_EXCEEDED' });
    });
    gateway.answer = (_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    };
    clock.advance(3_700_000);
    await world.send({ dueAt: clock.now() });
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [project] = await world.dataSource.query(
        'select blocked_until = $1 as forever, blocked_code from project',
        ['infinity'],
      );
      expect(project).toEqual({ forever: true, blocked_code: 'BAD_ADDRESS' });
    });
    clock.advance(86_400_000);
    expect(await rig.dispatch.runOnce()).toBe(0);
  });
});

describe('a gateway that cannot be reached', () => {
  it('costs no send: it waits, and leaves once there is one', async () => {
    const port = gateway.port;
    await gateway.close();
    const send = await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () =>
      expect(await world.read(send)).toMatchObject({ state: 'planned', code: 'NOT_REACHED' }),
    );
    expect(await attempts(send)).toMatchObject([
      { request_sent: false, error_code: 'ECONNREFUSED', outcome: 'not-sent' },
    ]);
    gateway = await Gateway.open(port);
    clock.set((await world.read(send)).next_at?.getTime() ?? 0);
    expect((await becomes(send, 'accepted')).attempts).toBe(2);
  });

  it('opens the circuit: sends stay planned instead of each being tried', async () => {
    const port = gateway.port;
    await gateway.close();
    const sends = await Promise.all(Array.from({ length: 5 }, () => world.send()));
    await rig.dispatch.runOnce();
    await eventually(async () => {
      for (const send of sends)
        expect(await world.read(send)).toMatchObject({ state: 'planned', attempts: 1 });
    });
    const waiting = await world.send();
    expect(await rig.dispatch.runOnce()).toBe(0);
    expect((await world.read(waiting)).changes).toBe(1);
    gateway = await Gateway.open(port);
    await becomes(waiting, 'accepted');
  });
});

describe('keys and clocks', () => {
  it('takes the second key when the first is refused', async () => {
    await rig.stop();
    await world.dataSource.query(
      `update project_key set access_key = 'gone', secret_sealed = $1 where position = 1`,
      [world.sealer.seal('any', SECRET, SERVICE, 'gone')],
    );
    await world.insert('project_key', {
      id: '00000000-0000-7000-8000-000000000002',
      service_id: SERVICE,
      access_key: 'second',
      secret_sealed: world.sealer.seal('other-secret', SECRET, SERVICE, 'second'),
      position: 2,
      created_at: new Date(START),
    });
    gateway.keys.set('second', 'other-secret');
    rig = rigOf(world, clock);
    const send = await world.send();
    const row = await becomes(send, 'accepted');
    expect(row.attempts).toBe(2);
    expect(gateway.posts.map((asked) => asked.headers['x-svc-iam-access-key'])).toEqual(['gone', 'second']);
    await becomes(await world.send(), 'accepted');
    expect(gateway.posts.at(-1)?.headers['x-svc-iam-access-key']).toBe('second');
  });

  it('blocks the project when every key is refused; the send is not lost', async () => {
    gateway.keys.clear();
    const send = await world.send();
    await rig.dispatch.runOnce();
    await eventually(async () => {
      const [project] = await world.dataSource.query('select blocked_code from project');
      expect(project).toEqual({ blocked_code: 'BAD_KEY' });
      expect(await world.read(send)).toMatchObject({ state: 'planned', code: 'BAD_KEY' });
    });
  });

  it.each([
    ['behind', 1_200_000],
    ['ahead', -1_200_000],
  ])('corrects a signature’s clock that is %s by the answer’s Date, never a due', async (_, skewMs) => {
    gateway.judgesTime = true;
    const began = Date.now();
    gateway.skewMs = clock.now() - began + skewMs;
    const send = await world.send();
    const row = await becomes(send, 'accepted');
    expect(row).toMatchObject({ attempts: 2, handed_off_at: new Date(START) });
    const [wrong, right] = gateway.posts.map((asked) => Number(asked.headers['x-svc-apigw-timestamp']));
    expect(wrong).toBe(START);
    // The gateway's clock goes on while ours stands; its Date has whole seconds.
    const corrected = (right ?? 0) - START - skewMs;
    expect(corrected).toBeGreaterThan(-1_000);
    expect(corrected).toBeLessThanOrEqual(Date.now() - began);
  });

  it('never signs two equal POSTs with one millisecond', async () => {
    const sends = await Promise.all(Array.from({ length: 20 }, () => world.send()));
    for (const send of sends) await becomes(send, 'accepted');
    const signed = gateway.posts.map(
      (asked) => `${String(asked.headers['x-svc-apigw-timestamp'])} ${asked.body}`,
    );
    expect(new Set(signed).size).toBe(20);
    expect(new Set(gateway.posts.map((asked) => JSON.stringify(JSON.parse(asked.body)))).size).toBe(1);
  });
});

describe('ends and fences', () => {
  it('a dispatcher that ends drops sends that it has only looked ahead to, and waits for those in flight', async () => {
    let answer = (): void => undefined;
    gateway.answer = (asked, response) => {
      answer = () => void take(asked, response);
    };
    const flying = await world.send();
    const waiting = await world.send({ dueAt: START + 1_000 });
    await rig.dispatch.runOnce();
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    const stopped = rig.dispatch.stop();
    expect((await world.read(flying)).state).toBe('sending');
    answer();
    clock.advance(1_000);
    await stopped;
    expect((await world.read(flying)).state).toBe('accepted');
    expect((await world.read(waiting)).state).toBe('planned');
  });

  it('does not fire a send that was cancelled', async () => {
    const campaign = await world.campaign();
    const send = await world.send({ campaign, dueAt: START + 1_000 });
    await rig.dispatch.runOnce();
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'spec', code: 'CANCELED' }),
    );
    await world.takeBack();
    const other = await world.send({ dueAt: START + 1_000 });
    await rig.dispatch.runOnce();
    clock.advance(1_000);
    await becomes(other, 'accepted');
    expect(await world.path(send)).toEqual(['planned>canceled']);
    expect(gateway.posts).toHaveLength(1);
  });

  it.each([
    ['taken', take, 'accepted', 'canceled'],
    ['refused', failure(400, '100'), 'rejected', 'canceled'],
    ['not sent', failure(503, '500'), 'canceled', 'canceled'],
    ['unknown', failure(500, '900'), 'uncertain', 'canceled'],
  ])('a send canceled while in flight ends as its answer says: %s', async (_, answer, state, goal) => {
    let release = (): void => undefined;
    gateway.answer = (asked, response) => {
      release = () => void answer(asked, response);
    };
    const campaign = await world.campaign();
    const send = await world.send({ campaign });
    await rig.dispatch.runOnce();
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'spec', code: 'CANCELED' }),
    );
    await world.takeBack();
    release();
    await eventually(async () => expect(await world.read(send)).toMatchObject({ state, goal }));
  });

  it('cancels a reservation whose call was in flight when its campaign was canceled', async () => {
    let release = (): void => undefined;
    gateway.answer = (asked, response) => {
      release = () => void take(asked, response);
    };
    const campaign = await world.campaign();
    const send = await world.send({ campaign, mode: 'reserved', dueAt: START + 3_600_000, handOffAt: START });
    await rig.dispatch.runOnce();
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    await world.dataSource.transaction((sql) =>
      askAct(sql, { act: 'cancel', campaign, now: new Date(START), by: 'spec', code: 'CANCELED' }),
    );
    await world.takeBack();
    release();
    await eventually(async () =>
      expect(await world.read(send)).toMatchObject({
        state: 'canceling',
        goal: 'canceled',
        next_at: new Date(START),
      }),
    );
    expect(await world.path(send)).toEqual(['planned>sending', 'sending>reserved', 'reserved>canceling']);
    // In one transaction: nobody saw only one of them.
    const [{ transactions } = { transactions: 0 }] = await world.dataSource.query<{ transactions: number }>(
      `select count(distinct x)::int as transactions from (
         select xmin::text as x from send_event where send = $1 and to_state = 'reserved'
         union all select xmin::text from send where id = $1 and state = 'canceling') t`,
      [send],
    );
    expect(transactions).toBe(1);
  });

  it('has no more in flight than the project allows', async () => {
    await rig.stop();
    await world.dataSource.query('update project set in_flight = 3');
    rig = rigOf(world, clock);
    const held: (() => void)[] = [];
    gateway.answer = (asked, response) => {
      held.push(() => void take(asked, response));
    };
    const sends = await Promise.all(Array.from({ length: 8 }, () => world.send()));
    await rig.dispatch.runOnce();
    const counts: number[] = [];
    for (let done = 0; done < 8; done += 1) {
      await eventually(() => expect(held.length).toBeGreaterThan(0));
      const [row] = await world.dataSource.query<{ n: number }>(
        `select count(*)::int as n from send where state = 'sending'`,
      );
      counts.push(row?.n ?? 0);
      held.shift()?.();
    }
    for (const send of sends) await becomes(send, 'accepted');
    expect(Math.max(...counts)).toBe(3);
    expect(gateway.posts).toHaveLength(8);
  });

  it('serves every project, however much one of them has due', async () => {
    for (const name of ['a', 'b', 'c']) await world.project({ service_id: name, base_url: gateway.url });
    for (let index = 0; index < 40; index += 1) await world.send({ dueAt: START - 1_000 });
    const small = await Promise.all(['a', 'b', 'c'].map((serviceId) => world.send({ serviceId })));
    await rig.stop();
    rig = rigOf(world, clock, { batch: 20 });
    await rig.dispatch.runOnce();
    await rig.dispatch.runOnce();
    await rig.dispatch.runOnce();
    for (const send of small) await becomes(send, 'accepted');
    const [left] = await world.dataSource.query<{ n: number }>(
      `select count(*)::int as n from send where service_id = '${SERVICE}' and state = 'planned'`,
    );
    expect(left?.n).toBeLessThan(40);
  });
});

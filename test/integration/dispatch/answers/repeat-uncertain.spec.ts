// The safe repeat of uncertain sends, with a real database and a gateway in this process.
import { pino } from 'pino';
import { v4 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { createLog } from '../../../../src/platform/logging/log.js';
import { patchProject } from '../../../../src/scheduler/admin/projects/project-write.store.js';
import { RepeatUncertain, type RepeatDeps } from '../../../../src/scheduler/dispatch/repeat-uncertain.js';
import { ProjectCalls } from '../../../../src/scheduler/push-client/project-calls.js';
import { eventually } from '../../../support/eventually.js';
import { failure, Gateway, json, reset, take } from '../../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../../support/scheduler/rig.js';
import { SERVICE, START, World, type SendSeed } from '../../../support/scheduler/world.js';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
let repeat: RepeatUncertain;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.onlyPosts = true;
  await world.project({ base_url: gateway.url, extensions: ['idempotency-key'] });
  clock = new SteppedClock(START + 10_000);
  gateway.skewMs = clock.now() - Date.now();
  rig = rigOf(world, clock);
  repeat = repeater();
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

const silent = pino({ level: 'silent' });
const repeater = (more: Partial<RepeatDeps> = {}) =>
  new RepeatUncertain({
    sql: world.dataSource,
    pushApi: rig.pushApi,
    calls: rig.calls,
    clock,
    log: silent,
    replica: v4(),
    mayLeave: () => true,
    timeoutMs: 5_000,
    ...more,
  });

/** An uncertain send that is due to be repeated. */
const isDueRead = (text: string): boolean => text.includes('from due_repeats(');

const uncertain = (seed: SendSeed = {}) =>
  world.send({
    ...seed,
    state: 'uncertain',
    columns: {
      code: 'LOST_ANSWER',
      attempts: 1,
      next_at: new Date(START),
      ...seed.columns,
    },
  });

describe('a repeat', () => {
  it('under the same key shows what had become of the send', async () => {
    const send = await uncertain();
    expect(await repeat.runOnce()).toBe(1);
    expect(gateway.posts[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(await world.read(send)).toMatchObject({
      state: 'accepted',
      request_id: gateway.posts[0]?.requestId,
      attempts: 2,
    });
    expect(await world.path(send)).toEqual(['uncertain>accepted']);
    expect(await world.dataSource.query('select attempt, outcome, http_status from send_attempt')).toEqual([
      { attempt: 2, outcome: 'taken', http_status: 202 },
    ]);
    expect(await repeat.runOnce()).toBe(0);
  });

  it('has the trace of its campaign with a span of its own, unsigned, and is logged with it', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const trace = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'a=1' };
    const send = await uncertain();
    await world.dataSource.query(`update revision set data = data || $1`, [JSON.stringify({ trace })]);
    const lines: { send?: string; traceId?: string }[] = [];
    const to = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
    repeat = repeater({ log: createLog('spec', 'info', to) });
    gateway.next = [reset];
    await repeat.runOnce();
    clock.advance(60_000);
    await repeat.runOnce();
    const [first, second] = gateway.posts.map(({ headers }) => headers);
    for (const headers of [first, second]) {
      expect(headers?.['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
      expect(headers?.['tracestate']).toBe('a=1');
    }
    expect(new Set([trace.traceparent, first?.['traceparent'], second?.['traceparent']]).size).toBe(3);
    expect(lines).toMatchObject([{ send, traceId }]);
  });

  it.each([
    ['a reset', reset],
    ['503/500', failure(503, '500')],
    ['429', failure(429, '410')],
    ['500/900', failure(500, '900')],
    ['401/210, judged before the key', failure(401, '210')],
    ['409, another body under the key', failure(409, '409')],
    ['another status than asked', json(202, { requestId: 'r-9', statusName: 'reserved' })],
  ])('answered by %s proves nothing: it stays uncertain and is tried again later', async (_, answer) => {
    gateway.answer = answer;
    const send = await uncertain();
    expect(await repeat.runOnce()).toBe(1);
    expect(await world.read(send)).toMatchObject({
      state: 'uncertain',
      code: 'LOST_ANSWER',
      attempts: 2,
      changes: 1,
    });
    expect(await repeat.runOnce()).toBe(0);
    clock.advance(60_000);
    gateway.answer = take;
    await repeat.runOnce();
    expect((await world.read(send)).state).toBe('accepted');
  });

  it('answered 400 proves that nothing was sent: it is planned again', async () => {
    gateway.answer = failure(400, '100');
    const send = await uncertain({ mode: 'reserved', dueAt: START + 5_000 });
    await repeat.runOnce();
    expect(await world.read(send)).toMatchObject({ state: 'planned', code: 'BAD_REQUEST' });
  });

  it.each([
    ['its gateway has no such extension', { project: { extensions: [] } }],
    ['it is past its lateness', { dueAt: START - 1_800_000 }],
    ['its campaign is canceled', { state: 'canceled' }],
    ['its campaign is being canceled', { state: 'canceling', columns: { goal: 'canceled' } }],
    [
      'it was answered, and only its result is missing',
      { columns: { request_id: 'r-1', code: 'NO_FINAL_STATUS' } },
    ],
    ['its answer was lost a moment ago', { columns: { next_at: new Date(START + 10_001) } }],
    ['a repeat of it is under way', { columns: { attempts: 2, next_at: new Date(START + 20_000) } }],
  ])(
    'is not made where %s',
    async (_, seed: { project?: object; state?: string; dueAt?: number; columns?: object }) => {
      if (seed.project !== undefined) await world.dataSource.query(`update project set extensions = '{}'`);
      const campaign = await world.campaign({ state: seed.state ?? 'running' });
      await uncertain({
        campaign,
        ...(seed.dueAt === undefined ? {} : { dueAt: seed.dueAt }),
        columns: { ...seed.columns },
      });
      expect(await repeat.runOnce()).toBe(0);
      expect(gateway.posts).toEqual([]);
    },
  );

  it('is not made where the gateway, asked just before, does not name the extension any more', async () => {
    gateway.extensions = ['result-breakdown'];
    await uncertain();
    await repeat.runOnce();
    expect(gateway.posts).toEqual([]);
    expect(gateway.asked.map(({ method }) => method)).toEqual(['GET']);
    gateway.extensions = ['idempotency-key'];
    await repeat.runOnce();
    expect(gateway.posts).toHaveLength(1);
  });

  it('is not made of a request that left without its key, while that was switched off', async () => {
    const now = (at: number) => ({ serviceId: SERVICE, now: new Date(at) });
    const { dataSource } = world;
    await patchProject(dataSource, {
      ...now(START - 60_000),
      settings: { extensionsOff: ['idempotency-key'] },
    });
    await patchProject(dataSource, { ...now(START - 40_000), settings: { extensionsOff: [] } });
    await dataSource.query(`update project set extensions = '{idempotency-key}'`);
    const without = await uncertain({ columns: { handed_off_at: new Date(START - 31_000) } });
    const withKey = await uncertain({ chunk: 1, columns: { handed_off_at: new Date(START - 29_000) } });
    expect(await repeat.runOnce()).toBe(1);
    expect((await world.read(without)).state).toBe('uncertain');
    expect((await world.read(withKey)).state).toBe('accepted');
  });

  it('is made for a reservation far ahead of a canceled campaign, to learn its id and cancel it', async () => {
    const campaign = await world.campaign({ state: 'canceling' });
    const far = await uncertain({
      campaign,
      mode: 'reserved',
      dueAt: START + 600_000,
      columns: { goal: 'canceled' },
    });
    const near = await uncertain({
      campaign,
      mode: 'reserved',
      dueAt: START + 60_000,
      chunk: 1,
      columns: { goal: 'canceled' },
    });
    expect(await repeat.runOnce()).toBe(1);
    expect(await world.read(far)).toMatchObject({ state: 'canceling', goal: 'canceled' });
    expect((await world.read(near)).state).toBe('uncertain');
  });
});

it('the answer to a repeat is written down once the database is back, and not asked for again', async () => {
  const send = await uncertain();
  let away = 2;
  const sql: Sql = {
    query: (text, parameters) =>
      text.includes('record_answers(') && (away -= 1) >= 0
        ? Promise.reject(Object.assign(new Error('away'), { code: '08006' }))
        : world.dataSource.query(text, parameters),
  };
  expect(await repeater({ sql }).runOnce()).toBe(1);
  expect(away).toBeLessThan(0);
  expect(gateway.posts).toHaveLength(1);
  expect(await world.read(send)).toMatchObject({
    state: 'accepted',
    request_id: gateway.posts[0]?.requestId,
  });
});

describe('a repeat that was read', () => {
  it.each([
    ['its campaign is canceled', `update campaign set state = 'canceling'`],
    ['its project is stopped', `update project set blocked_until = 'infinity', blocked_code = 'STOPPED'`],
  ])('does not leave if %s before its turn', async (_, change) => {
    const send = await uncertain();
    const { dataSource } = world;
    const changing = repeater({
      sql: {
        query: async <Rows>(text: string, parameters?: unknown[]) => {
          const rows = await dataSource.query<Rows>(text, parameters);
          if (isDueRead(text)) await dataSource.query(change);
          return rows;
        },
      },
    });
    expect(await changing.runOnce()).toBe(1);
    expect(gateway.posts).toEqual([]);
    expect(await world.read(send)).toMatchObject({ state: 'uncertain', attempts: 1 });
    expect(await dataSource.query('select * from send_attempt')).toEqual([]);
  });
});

describe('two replicas', () => {
  it('that repeat the same send: one of them calls', async () => {
    const sends = await Promise.all([0, 1, 2, 3].map((chunk) => uncertain({ chunk })));
    const [first, second] = [v4(), v4()];
    let due = 0;
    let bothRead = (): void => undefined;
    const read = new Promise<void>((resolve) => (bothRead = resolve));
    // Neither fires before both have read the due send.
    const sql: Sql = {
      query: async <Rows>(text: string, parameters?: readonly unknown[]) => {
        const rows = await world.dataSource.query<Rows>(text, parameters);
        if (isDueRead(text) && (due += 1) === 2) bothRead();
        if (isDueRead(text)) await read;
        return rows;
      },
    };
    await Promise.all([first, second].map((replica) => repeater({ sql, replica }).runOnce()));
    const keys = gateway.posts.map((asked) => String(asked.headers['idempotency-key']));
    expect(new Set(keys).size).toBe(sends.length);
    for (const send of sends) {
      const row = await world.read(send);
      expect(row).toMatchObject({ state: 'accepted', attempts: 2 });
      expect([first, second]).toContain(row.fired_by);
    }
    const attempts = await world.dataSource.query('select attempt, outcome from send_attempt');
    expect(attempts).toEqual(sends.map(() => ({ attempt: 2, outcome: 'taken' })));
  });

  it('do not wait for one that died with a repeat in flight, and its late answer changes nothing', async () => {
    const send = await uncertain();
    let answerLate = (): void => undefined;
    gateway.next = [
      (asked, response) => {
        answerLate = () => void take(asked, response);
      },
    ];
    const dying = repeat.runOnce();
    await eventually(() => expect(gateway.posts).toHaveLength(1));
    const other = repeater();
    expect(await other.runOnce()).toBe(0);
    clock.advance(10_001);
    expect(await other.runOnce()).toBe(1);
    const { request_id: known } = await world.read(send);
    expect(known).toBe(gateway.posts[1]?.requestId);
    answerLate();
    await dying;
    expect(await world.read(send)).toMatchObject({ state: 'accepted', request_id: known, attempts: 3 });
    expect(await world.dataSource.query('select attempt, outcome from send_attempt order by 1')).toEqual([
      { attempt: 2, outcome: 'taken' },
      { attempt: 3, outcome: 'taken' },
    ]);
  });
});

describe('a repeat whose fire was not confirmed', () => {
  /** The answer of the next fire is lost, before or after it took effect. */
  const losing = (
    did: 'made' | 'not made',
    later: (fire: () => Promise<unknown>) => void = () => undefined,
  ): Sql => {
    let lost = false;
    return {
      query: async <Rows>(text: string, parameters?: readonly unknown[]) => {
        const ask = (): Promise<Rows[]> => world.dataSource.query<Rows>(text, parameters);
        if (lost || !text.includes('fire_repeat(')) return ask();
        lost = true;
        if (did === 'made') await ask();
        else later(ask);
        throw Object.assign(new Error('the connection is lost'), { code: '08006' });
      },
    };
  };
  const attempts = () =>
    world.dataSource.query('select attempt, outcome, error_code, request_sent from send_attempt order by 1');
  const NOT_SENT = { outcome: 'not-sent', error_code: 'REQUEST_NOT_MADE', request_sent: false };
  const TAKEN = { outcome: 'taken', error_code: null, request_sent: true };

  it('makes no call; it ends as not sent, and the send is repeated when it is due again', async () => {
    const send = await uncertain();
    const deaf = repeater({ sql: losing('made') });
    await expect(deaf.runOnce()).rejects.toThrow('the connection is lost');
    expect(gateway.posts).toEqual([]);
    expect(await deaf.runOnce()).toBe(0);
    expect(await attempts()).toEqual([{ attempt: 2, ...NOT_SENT }]);
    clock.advance(10_001);
    expect(await deaf.runOnce()).toBe(1);
    expect(gateway.posts).toHaveLength(1);
    expect(await world.read(send)).toMatchObject({ state: 'accepted', attempts: 3 });
    expect(await attempts()).toEqual([
      { attempt: 2, ...NOT_SENT },
      { attempt: 3, ...TAKEN },
    ]);
  });

  it('and was not made is made again at once', async () => {
    const send = await uncertain();
    const deaf = repeater({ sql: losing('not made') });
    await expect(deaf.runOnce()).rejects.toThrow('the connection is lost');
    expect(await deaf.runOnce()).toBe(1);
    expect(await world.read(send)).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(await attempts()).toEqual([{ attempt: 2, ...TAKEN }]);
  });

  it('and takes effect late, after it was asked about, ends as not sent, too', async () => {
    await uncertain();
    let makeLate = (): Promise<unknown> => Promise.resolve();
    const deaf = repeater({ sql: losing('not made', (fire) => (makeLate = fire)) });
    await expect(deaf.runOnce()).rejects.toThrow('the connection is lost');
    await world.dataSource.query(`update project set blocked_until = 'infinity'`);
    expect(await deaf.runOnce()).toBe(0);
    await world.dataSource.query('update project set blocked_until = null');
    await makeLate();
    expect(await deaf.runOnce()).toBe(0);
    expect(await attempts()).toEqual([{ attempt: 2, ...NOT_SENT }]);
    expect(gateway.posts).toEqual([]);
  });
});

describe('a send that is too late to be repeated', () => {
  it('is not read any more, and waits for an operator', async () => {
    const HOUR = 3_600_000;
    const late = await uncertain({ dueAt: START - HOUR });
    const soon = await uncertain({ columns: { next_at: new Date(START + HOUR) } });
    expect(await repeat.runOnce()).toBe(0);
    expect(gateway.posts).toEqual([]);
    expect(await world.read(late)).toMatchObject({ state: 'uncertain', attempts: 1, next_at: null });
    expect(await world.read(soon)).toMatchObject({ next_at: new Date(START + HOUR) });
  });
});

describe('a process that cannot write its heartbeat', () => {
  it('repeats nothing, not even sends that it had read before', async () => {
    const send = await uncertain();
    let beats = true;
    const sql: Sql = {
      query: async <Rows>(text: string, parameters?: readonly unknown[]) => {
        const rows = await world.dataSource.query<Rows>(text, parameters);
        if (isDueRead(text)) beats = false;
        return rows;
      },
    };
    const mute = repeater({ sql, mayLeave: () => beats });
    expect(await mute.runOnce()).toBe(1);
    expect(await mute.runOnce()).toBe(0);
    expect(gateway.posts).toEqual([]);
    expect(await world.read(send)).toMatchObject({ state: 'uncertain', attempts: 1 });
    beats = true;
  });

  it('makes no call for a repeat that was fired before it was stopped, and says so', async () => {
    const send = await uncertain();
    // As mayLeave() answers for a send that was fired before such a silence.
    const stood = repeater({ mayLeave: (firedAt) => firedAt === undefined });
    expect(await stood.runOnce()).toBe(1);
    expect(gateway.posts).toEqual([]);
    expect(await world.read(send)).toMatchObject({ state: 'uncertain', attempts: 2 });
    await stood.runOnce();
    const attempts = await world.dataSource.query('select attempt, outcome, request_sent from send_attempt');
    expect(attempts).toEqual([{ attempt: 2, outcome: 'not-sent', request_sent: false }]);
  });
});

describe('a gateway in trouble', () => {
  const CIRCUIT = { after: 5, baseMs: 20, capMs: 40 };
  const long = { state_at: new Date(START - 60_000) };
  /** Its circuit opens in this process. */
  const trouble = (serviceId: string) => {
    const lost = { kind: 'unanswered', started: true, error: 'ECONNRESET', timedOut: false } as const;
    for (let call = 0; call < CIRCUIT.after; call += 1)
      rig.calls.blocks.ended(serviceId, `send-${call}`, lost, true);
  };

  it('gets a repeat as probe although no send is due, and all others once it is back', async () => {
    await rig.stop();
    rig = rigOf(world, clock, { circuit: CIRCUIT });
    repeat = repeater();
    trouble(SERVICE);
    gateway.next = [reset];
    await world.copies(await uncertain({ columns: long }), 20);
    await eventually(async () => {
      clock.advance(60_000);
      await repeat.runOnce();
      const rows = await world.dataSource.query(`select from send where state = 'accepted'`);
      expect(rows).toHaveLength(21);
    });
    expect(gateway.posts).toHaveLength(22);
  });

  it('delays no other project’s repeats, and no round', async () => {
    await world.project({ service_id: 'ill', base_url: gateway.url, extensions: ['idempotency-key'] });
    await world.copies(await uncertain({ serviceId: 'ill', columns: long }), 20);
    const send = await uncertain();
    trouble('ill');
    expect(await repeat.runOnce()).toBe(1);
    expect((await world.read(send)).state).toBe('accepted');
    expect(await repeat.runOnce()).toBe(0);
    expect(gateway.posts).toHaveLength(1);
  });

  it('and a project with many repeats have no more than their share of a round', async () => {
    await world.project({ service_id: 'many', base_url: gateway.url, extensions: ['idempotency-key'] });
    await world.copies(await uncertain({ serviceId: 'many', columns: long }), 20);
    const send = await uncertain();
    await repeat.runOnce();
    expect((await world.read(send)).state).toBe('accepted');
  });
});

describe('the project’s rate', () => {
  const tokens = (count: number) =>
    world.dataSource.query(
      `insert into project_pace (service_id, rate, tokens, at) values ($1, 1, $2, clock_timestamp())
       on conflict (service_id) do update set tokens = excluded.tokens, at = excluded.at`,
      [SERVICE, count],
    );

  it('holds a repeat back, which then does not count as made', async () => {
    await world.dataSource.query('update project set rate_per_second = 1');
    await tokens(-100_000);
    const send = await uncertain();
    const { sql, projects, log } = { sql: world.dataSource, projects: rig.projects, log: silent };
    const turns = { longestMs: 1, briefMs: 1 };
    const hasty = repeater({ calls: new ProjectCalls({ sql, projects, clock, log, turns }) });
    expect(await hasty.runOnce()).toBe(1);
    expect(gateway.posts).toEqual([]);
    expect(await world.read(send)).toMatchObject({ state: 'uncertain', attempts: 1 });
    expect(await world.dataSource.query('select * from send_attempt')).toEqual([]);
    await tokens(1);
    await eventually(async () => {
      await repeat.runOnce();
      expect((await world.read(send)).state).toBe('accepted');
    });
    expect(gateway.posts).toHaveLength(1);
  });

  it('is halved and the project blocked if a repeat is answered 429', async () => {
    gateway.answer = failure(429, '410', { 'retry-after': '30' });
    await uncertain();
    await uncertain({ chunk: 1 });
    await repeat.runOnce();
    await eventually(async () => {
      const [project] = await world.dataSource.query('select blocked_until, blocked_code from project');
      expect(project).toEqual({
        blocked_until: new Date(clock.now() + 30_000),
        blocked_code: 'THROTTLE_LIMITED',
      });
      const [pace] = await world.dataSource.query<{ slowed_at: Date | null }>(
        'select slowed_at from project_pace',
      );
      expect(pace?.slowed_at).not.toBeNull();
    });
    clock.advance(29_000);
    expect(await repeat.runOnce()).toBe(0);
  });
});

describe('onUncertain: resend', () => {
  it('sends again what may have been sent, and says so', async () => {
    await world.dataSource.query(`update project set extensions = '{}', on_uncertain = 'resend'`);
    const send = await uncertain();
    expect(await repeat.runOnce()).toBe(1);
    expect(await world.read(send)).toMatchObject({ state: 'planned', code: 'RESENT' });
    expect(gateway.posts).toEqual([]);
  });

  it('is not the default', async () => {
    await world.dataSource.query(`update project set extensions = '{}'`);
    await uncertain();
    expect(await repeat.runOnce()).toBe(0);
  });
});

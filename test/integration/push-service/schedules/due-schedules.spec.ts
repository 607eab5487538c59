// What is due at once goes out side by side: no schedule holds up others or reservations, however much it has to fire or
// whatever is wrong with it, and a statement has a bound. Rounds of the loop `fire` on a real database.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import type { Core } from '../../../../src/push-service/core.js';
import { fireStage } from '../../../../src/push-service/fire-stage.js';
import { fireRound } from '../../../../src/push-service/fire-round.js';
import { acceptMessage, type AcceptedMessage } from '../../../../src/push-service/messages/accept-message.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { fireDueSchedule, type FiringDeps } from '../../../../src/push-service/schedules/fire-schedules.js';
import { finishEnded, updateSchedule } from '../../../../src/push-service/schedules/schedule.store.js';
import type { ZoneRules } from '../../../../src/zone-rules/zone-rules.js';
import { loadZoneRules } from '../../../../src/zone-rules/load-zone-rules.js';
import { eventually } from '../../../support/eventually.js';
import { lockWaiters, untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import {
  addService,
  newMessage,
  openDatabase,
  serviceFacts,
  type OpenedDatabase,
} from '../delivery/push-rows.js';

const SERVICE = 'due';
const service = serviceFacts(SERVICE);
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 600_000;
const start = Date.parse('2026-11-20T00:00:00Z');
const clock = new SteppedClock(start);
const now = (): Date => new Date(clock.now());
let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await addService(sql, SERVICE, now());
});
afterAll(() => opened.close());
beforeEach(async () => {
  clock.set(start);
  await sql.query('truncate firing, message, schedule cascade');
});

const deps = () => ({ database: sql, clock, rules: loadZoneRules(), log: pino({ level: 'silent' }) });
const round = (): Promise<number> => fireRound(deps(), TIMEOUT_MS);

/** Daily at 09:00 UTC from today on, with so many messages each. */
async function schedules(codes: readonly string[], messages: number): Promise<void> {
  await sql.query(
    `with made as (
       insert into schedule (id, service_id, schedule_code, time_zone, minute, start_date, days_of_week, created_at, fired_until,
                             next_fire_at)
       select gen_random_uuid(), $1, code, 'UTC', 540, $2::timestamptz::date, '{MON,TUE,WED,THU,FRI,SAT,SUN}', $2, $2,
              $2::timestamptz + interval '9 hours'
       from unnest($3::text[]) as code returning id)
     insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at, schedule_id)
     select gen_random_uuid(), $1, 'scheduled', 'ATTACHED', 'NOTIF', '{}', uuid_send(gen_random_uuid()), '', $2, id
     from made, generate_series(1, $4::int)`,
    [SERVICE, now(), codes, messages],
  );
}

async function reservation(): Promise<string> {
  const members = { kind: 'reserved', reserveTime: '2026-11-20 09:00', reserveTimeZone: 'UTC' } as const;
  const message = newMessage(SERVICE, now(), { ...members, fireAt: new Date(clock.now() + 9 * 3_600_000) });
  await insertMessages(sql, [message]);
  return message.id;
}

async function firings(where = 'true', parameters: readonly unknown[] = []): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from firing f join message m on m.id = f.message_id left join schedule s on s.id = m.schedule_id
      where ${where}`,
    parameters,
  );
  return row?.count ?? 0;
}

it('fires a reservation beside the schedules of its minute, not after all of them', async () => {
  const codes = Array.from({ length: 300 }, (_, index) => `code-${index}`);
  await schedules(codes, 1);
  const id = await reservation();
  clock.advance(9 * 3_600_000);
  while ((await round()) > 0);
  expect(await firings()).toBe(301);
  // Within their day, ids are in the order of making.
  expect(await firings('f.id < (select id from firing where message_id = $1)', [id])).toBeLessThan(100);
});

it('makes up for what a long absence missed in statements of a bound, the oldest first, each firing once', async () => {
  await schedules(['missed'], 3_000);
  clock.advance(20 * DAY_MS);
  const made: number[] = [];
  for (let before = 0; await fireDueSchedule(deps(), TIMEOUT_MS); before = await firings())
    made.push((await firings()) - before);
  expect(made.reduce((a, b) => a + b)).toBe(60_000);
  expect(Math.max(...made)).toBeLessThanOrEqual(20_000);
  expect(await firings(`f.state <> 'STALE'`)).toBe(0);
  const order = await sql.query<{ occurrence: string }>(
    'select occurrence from firing group by occurrence order by min(id)',
  );
  expect(order.map(({ occurrence }) => occurrence)).toEqual(order.map((row) => row.occurrence).sort());
  expect(order).toHaveLength(20);
});

it('holds up neither others nor a reservation by what a schedule has to make up for', async () => {
  await schedules(['missed'], 3_000);
  clock.advance(20 * DAY_MS);
  await schedules(['whole'], 1);
  const id = await reservation();
  clock.advance(9 * 3_600_000 + 1_000);
  while ((await round()) > 0);
  const before = async (where: string): Promise<number> =>
    firings(`f.id < (select min(f.id) from firing f join message m on m.id = f.message_id
             left join schedule s on s.id = m.schedule_id where ${where})`);
  expect(await firings(`s.schedule_code = 'missed'`)).toBe(63_000);
  expect(await before(`m.id = '${id}'`)).toBeLessThan(40_000);
  expect(await before(`s.schedule_code = 'whole'`)).toBeLessThan(40_000);
});

it('fires in time under a zone that one replica does not know and another does', async () => {
  await schedules(['new-zone'], 1);
  clock.advance(9 * 3_600_000);
  const rules: ZoneRules = {
    source: 'old',
    version: 'old',
    has: () => false,
    table: () => undefined,
    names: () => [],
    zonesOfCountry: () => [],
  };
  await fireRound({ ...deps(), rules }, TIMEOUT_MS);
  expect(await firings()).toBe(0);
  // Whenever it is due again.
  const [schedule] = await sql.query<{ at: Date }>('select next_fire_at as at from schedule');
  clock.set(schedule?.at.getTime() ?? 0);
  await round();
  expect(await firings(`f.state = 'READY'`)).toBe(1);
});

describe('a message that is being taken while its schedule fires', () => {
  const NINE = start + 9 * 3_600_000;
  const ONCE = `update schedule set end_date = '2026-11-20'`;
  const body = { target: { type: 'ALL' }, message: { default: { content: 'hi' } }, scheduleCode: 'code' };

  /** Its request, at this moment. */
  const take = (reads: Sql = sql): Promise<AcceptedMessage> =>
    acceptMessage(
      { sql: reads, clock, rules: loadZoneRules(), take: () => Promise.reject(new Error('it is scheduled')) },
      {
        caller: { accessKey: 'key', timestamp: '1', signature: v7(), service },
        service,
        body: { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json', isPacked: false },
        idempotencyKey: undefined,
      },
    );

  let other: OwnConnection;
  beforeEach(async () => {
    await schedules(['code'], 0);
    await sql.query(ONCE);
    other = await OwnConnection.beside(sql);
    clock.set(NINE - 10);
  });
  afterEach(() => other.release());

  it('goes out with it if it came first', async () => {
    await other.query('begin');
    const { requestId, requestedAt } = await take(other);
    expect(requestedAt.getTime()).toBe(NINE - 10);
    clock.set(NINE);
    // Its schedule is passed over for as long as the message is being taken.
    await round();
    await other.query('commit');
    await round();
    expect(await firings('m.id = $1', [requestId])).toBe(1);
  });

  it('is refused if that was the last time, and over when it came to be taken', async () => {
    const between: Sql = {
      query: async <Row>(text: string, parameters?: readonly unknown[]) => {
        const rows = await sql.query<Row>(text, parameters);
        if (text.includes('from schedule') && clock.now() < NINE) {
          clock.set(NINE);
          await round();
        }
        return rows;
      },
    };
    await expect(take(between)).rejects.toThrow('the schedule has ended');
    expect(await sql.query('select from message')).toEqual([]);
  });

  /** Sets out while a firing of the schedule is under way. */
  async function takeDuringFiring(): Promise<AcceptedMessage> {
    const database = { transaction: (work: (sql: Sql) => unknown) => work(other) };
    await other.query('begin');
    clock.set(NINE);
    await fireDueSchedule({ ...deps(), database } as unknown as FiringDeps, TIMEOUT_MS);
    clock.set(NINE - 10);
    const taking = take();
    taking.catch(() => undefined);
    await untilLockAwaited((text) => sql.query(text), { like: '%insert into message%' });
    await other.query('commit');
    return taking;
  }

  it('is refused if it came second and that was the last time', async () => {
    await expect(takeDuringFiring()).rejects.toThrow('the schedule has ended');
    expect(await sql.query('select from message')).toEqual([]);
  });

  it('is refused if it was requested after the last time, though that is not fired yet', async () => {
    clock.set(NINE);
    expect((await take()).statusName).toBe('scheduled');
    clock.set(NINE + 5);
    await expect(take()).rejects.toThrow('the schedule has ended');
    // Nor while it was put off.
    await sql.query('update schedule set next_fire_at = $1', [new Date(NINE + 30_000)]);
    await expect(take()).rejects.toThrow('the schedule has ended');
    clock.set(NINE + 30_000);
    await round();
    expect(await firings()).toBe(1);
  });

  it('counts as requested after it if it came second', async () => {
    await sql.query('update schedule set end_date = null');
    expect((await takeDuringFiring()).requestedAt.getTime()).toBe(NINE);
    expect(await sql.query('select requested_at as at from message')).toEqual([{ at: new Date(NINE) }]);
  });
});

it.each([
  ['breaks', 'P0001'],
  ['takes longer than a statement may', '57014'],
])('lets no schedule that %s hold up another, or a reservation', async (_, code) => {
  await schedules(['broken', 'whole'], 1);
  await sql.query(
    `update schedule set next_fire_at = next_fire_at - interval '1 s' where schedule_code = 'broken'`,
  );
  await reservation();
  await sql.query(
    `create function break_it() returns trigger language plpgsql as $$ begin
       if (select schedule_code = 'broken' from message m join schedule s on s.id = m.schedule_id where m.id = new.message_id)
       then raise 'broken' using errcode = '${code}'; end if; return new; end $$`,
  );
  await sql.query('create trigger break_it before insert on firing for each row execute function break_it()');
  try {
    clock.advance(9 * 3_600_000);
    for (let rounds = 0; rounds < 5; rounds += 1) await round().catch(() => undefined);
    expect(await firings(`m.kind = 'reserved'`)).toBe(1);
    expect(await firings(`s.schedule_code = 'whole'`)).toBe(1);
  } finally {
    await sql.query('drop trigger break_it on firing; drop function break_it');
  }
  // It is tried again, and what it missed is made up for.
  clock.advance(60_000);
  while ((await round()) > 0);
  expect(await firings(`s.schedule_code = 'broken'`)).toBe(1);
});

it('does not ask without end for one that another holds', async () => {
  await schedules(['held'], 1);
  clock.advance(9 * 3_600_000);
  const armed: number[] = [];
  const core = {
    config: { PUSH_IDLE_MS: 500 },
    firingTimeoutMs: 600_000,
    ...deps(),
    delivery: sql,
    clock: {
      now: () => clock.now(),
      elapsed: () => 0,
      at: (at: number) => (armed.push(at), () => undefined),
    },
    loops: { wake: () => undefined },
  } as unknown as Core;
  const [fire] = fireStage(core, () => undefined).loops ?? [];
  const other = await OwnConnection.beside(sql);
  try {
    await other.query('begin');
    await other.query('select from schedule for no key update');
    expect(await fire?.runOnce(new AbortController().signal)).toBe(0);
  } finally {
    await other.release();
  }
  expect(armed).toHaveLength(1);
  expect(armed[0]).toBeGreaterThan(clock.now());
});

it('does not end the messages of a schedule that was given new times meanwhile', async () => {
  await schedules(['revived'], 1);
  await sql.query('update schedule set next_fire_at = null');
  const [held, changing] = [await OwnConnection.beside(sql), await OwnConnection.beside(sql)];
  try {
    await held.query('begin');
    await held.query('select from message for no key update');
    await changing.query('begin');
    await changing.query(`select from schedule where schedule_code = 'revived' for no key update`);
    let isOver = false;
    const finishing = finishEnded(sql, now()).finally(() => (isOver = true));
    await eventually(async () => isOver || (await lockWaiters((text) => sql.query(text))) > 0);
    await updateSchedule(changing, {
      id: '',
      serviceId: SERVICE,
      scheduleCode: 'revived',
      scheduleDesc: null,
      timeZone: 'UTC',
      minute: 600,
      startDate: '2026-11-20',
      endDate: null,
      daysOfWeek: ['MON'],
      now: now(),
      nextFireAt: new Date(clock.now() + DAY_MS),
    });
    await changing.query('commit');
    await held.query('rollback');
    await finishing;
  } finally {
    await Promise.all([held.release(), changing.release()]);
  }
  expect(await sql.query('select state from message')).toEqual([{ state: 'ATTACHED' }]);
});

it('ends a bounded number of messages in a statement', async () => {
  await schedules(['ended'], 12_000);
  await sql.query('update schedule set next_fire_at = null');
  expect(await finishEnded(sql, now())).toBeLessThanOrEqual(5_000);
  while ((await finishEnded(sql, now())) > 0);
  expect(await sql.query('select state, count(*)::int from message group by 1')).toEqual([
    { state: 'FINISHED', count: 12_000 },
  ]);
});

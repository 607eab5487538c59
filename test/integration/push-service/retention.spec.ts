// What is old ends, in bounded steps, and nobody who asks for a result or a breakdown sees that it did, until the message
// itself is over. On a real database, by a clock that is set.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../src/platform/clock.js';
import { ClockCheck } from '../../../src/platform/database/clock-check.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { findBreakdown } from '../../../src/push-service/messages/breakdown.store.js';
import {
  findResults,
  insertMessages,
  type ResultRow,
} from '../../../src/push-service/messages/message.store.js';
import { totalsBetween, type FinalAndOpen } from '../../../src/push-service/messages/totals.store.js';
import { ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { dayMetrics } from '../../../src/push-service/metrics.js';
import { stuckDays, stuckFinding, sumOutcomes } from '../../../src/push-service/retention/retention.store.js';
import { Registration } from '../../../src/push-service/users/user-registration.js';
import { deleteUser, registerUser } from '../../../src/push-service/users/user.store.js';
import { Sweep } from '../../../src/push-service/retention/sweep.js';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './delivery/push-rows.js';

const DAY_MS = 86_400_000;
const SERVICE = 'retained';
const sentAt = new Date('2026-01-01T12:00:00Z');
const machine = new SystemClock();
let daysLater = 0;
const clock = {
  now: () => sentAt.getTime() + daysLater * DAY_MS,
  elapsed: () => machine.elapsed(),
  at: machine.at.bind(machine),
};

let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
});
afterAll(() => opened.close());
beforeEach(async () => {
  daysLater = 0;
  await sql.query('truncate delivery, outcome_count, suppression, payload, fan_out_chunk, firing, message');
  await dropDays(sql);
  for (const days of [0, 5, 20, 91]) await ensurePartitions(sql, new Date(sentAt.getTime() + days * DAY_MS));
});

const RIGHT = { findsRight: () => Promise.resolve(true) };
const sweepOf = (messageDays = 0): Sweep =>
  new Sweep({ database: sql, clock, clockCheck: RIGHT, outcomeDays: 90, messageDays, signedMs: 600_000 });

/** Rounds until nothing is left to do; returns what each did. */
async function sweepAll(sweep: Sweep): Promise<number[]> {
  const rounds: number[] = [];
  for (;;) {
    const done = await sweep.runOnce();
    if (done === 0) return rounds;
    rounds.push(done);
  }
}

/** A message of its kind and state, and of a FINISHED one the outcomes of `devices`, every tenth failed. */
async function sent(
  devices: number,
  { state = 'FINISHED', kind = 'immediate', days = 0 } = {},
): Promise<string> {
  const at = new Date(sentAt.getTime() + days * DAY_MS);
  const id = v7({ msecs: at.getTime() });
  const isFinal = state !== 'READY' && state !== 'ATTACHED' && state !== 'FIRED';
  await sql.query(
    `with taken as (
       insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                            complete_at, target_count, sent_count)
       values ($1, $2, $3, $4, 'NOTIF', '{}', $5, $5, $6, case when $7::bool then $6::timestamptz end, $8::int,
               $8::int - $8::int / 10)
     ), fired as (
       insert into firing (id, message_id, service_id, occurrence, due_at, state, complete_at, chunks_left, target_count, sent_count,
                           failed_count)
       select next_firing($6), $1, $2, 'once', $6, case when $7::bool then 'FINISHED' else 'SENDING' end,
              case when $7::bool then $6::timestamptz end, case when $7::bool then 0 else 1 end, $8::int,
              $8::int - $8::int / 10, $8::int / 10
       where $4 in ('FINISHED', 'FIRED') returning id
     ), rendered as (
       insert into payload (firing_id, device_type, language, headers, body) select id, 'GCM', 'ko', '{}', '{}' from fired
     )
     insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
     select id, i, i, 'GCM', case when i % 2 = 0 then 'KR' else 'JP' end, 'ko', 32400,
            case when i % 10 = 0 then 'failed' else 'sent' end, case when i % 10 = 0 then 'REJECTED' end, $6
     from fired, generate_series(1, $8::int) as i`,
    [id, SERVICE, kind, state, Buffer.from(id), at, isFinal, devices],
  );
  return id;
}

async function resultOf(id: string): Promise<ResultRow | undefined> {
  return (await findResults(sql, [{ serviceId: SERVICE, id }]))[0];
}

async function rowsLeft(): Promise<Record<string, number>> {
  const [row] = await sql.query<Record<string, number>>(
    `select (select count(*)::int from message) as messages, (select count(*)::int from firing) as firings,
            (select count(*)::int from delivery) as outcomes, (select count(*)::int from payload) as payloads,
            (select count(*)::int from outcome_count) as counts`,
  );
  return row ?? {};
}

const breakdownOf = (id: string): Promise<unknown[]> =>
  findBreakdown(sql, id, { pageSize: 1_000, pageIndex: 0 });

const totalsOf = (day: number): Promise<FinalAndOpen> => {
  const from = Date.parse('2026-01-01') + day * DAY_MS;
  return totalsBetween(sql, SERVICE, from, from + DAY_MS);
};
const NO_TOTALS = { messages: 0, target: 0, sent: 0, failed: 0, unknown: 0, pending: 0 };

/** Pages until nothing is left to sum up; returns how many. */
async function sumAll(page?: number): Promise<number> {
  let pages = 0;
  while ((await sumOutcomes(sql, page)) > 0) pages += 1;
  return pages;
}

const daysLeft = async (table: string): Promise<string[]> => {
  const rows = await sql.query<{ name: string }>(
    'select name from day_partition where parent = $1 order by low',
    [table],
  );
  return rows.map(({ name }) => name.replace(`${table}_`, ''));
};

it('counts each message on the day that its id carries, final or open, and all of its firings', async () => {
  await sent(20, { days: 5 });
  await sent(10, { days: 5, state: 'FIRED' });
  await sent(0, { days: 5, state: 'READY', kind: 'reserved' });
  await sent(0, { days: 5, state: 'CANCELED', kind: 'reserved' });
  const standing = await sent(10, { days: 5, state: 'ATTACHED', kind: 'scheduled' });
  const fire = (state: string, unknown: number): Promise<unknown> =>
    sql.query(
      `insert into firing (id, message_id, service_id, occurrence, due_at, state, target_count, sent_count, failed_count, unknown_count)
       values (next_firing($3), $1, $2, $4, $3, $4, 5, 0, 3, $5)`,
      [standing, SERVICE, sentAt, state, unknown],
    );
  await sql.query('update message set sent_count = 0 where id = $1', [standing]);
  await fire('FINISHED', 2);
  await fire('SENDING', 1);
  const open = { messages: 3, target: 20, sent: 9, failed: 7, unknown: 3, pending: 1 };
  const final = { messages: 2, target: 20, sent: 18, failed: 2, unknown: 0, pending: 0 };
  expect(await totalsOf(5)).toEqual({ final, open });
  expect(await totalsOf(4)).toEqual({ final: NO_TOTALS, open: NO_TOTALS });
  expect(await totalsBetween(sql, 'another', sentAt.getTime(), sentAt.getTime() + 9 * DAY_MS)).toEqual({
    final: NO_TOTALS,
    open: NO_TOTALS,
  });

  // Cancelled, it is as open as the firing that is on its way.
  await sql.query("update message set state = 'CANCELED' where id = $1", [standing]);
  expect(await totalsOf(5)).toEqual({ final, open });
  await sql.query(
    "update firing set state = 'FINISHED', failed_count = 4 where state = 'SENDING' and message_id = $1",
    [standing],
  );
  expect(await totalsOf(5)).toMatchObject({
    final: { messages: 3, target: 30, sent: 18, failed: 9, unknown: 3, pending: 0 },
    open: { messages: 2, target: 10, sent: 9 },
  });
});

it('sums a firing up page by page and drops its day, and answers as before at every step', async () => {
  const id = await sent(12_000);
  const result = await resultOf(id);
  const breakdown = await breakdownOf(id);
  const totals = await totalsOf(0);
  expect(totals).toEqual({
    final: { messages: 1, target: 12_000, sent: 10_800, failed: 1_200, unknown: 0, pending: 0 },
    open: NO_TOTALS,
  });
  expect(breakdown).toMatchObject([
    { country: 'JP', outcome: 'sent', reason: null, count: 6_000 },
    { country: 'KR', outcome: 'failed', reason: 'REJECTED', count: 1_200 },
    { country: 'KR', outcome: 'sent', reason: null, count: 4_800 },
  ]);
  for (let page = 0; page < 3; page += 1) {
    expect(await sumOutcomes(sql, 5_000)).toBeGreaterThan(0);
    expect(await breakdownOf(id)).toEqual(breakdown);
  }
  expect(await sumOutcomes(sql, 5_000)).toBe(0);
  expect(await rowsLeft()).toEqual({ messages: 1, firings: 1, outcomes: 12_000, payloads: 1, counts: 3 });
  daysLater = 90;
  await sweepAll(sweepOf());
  expect(await daysLeft('delivery')).toContain('2026_01_01');
  daysLater = 91;
  // The table of outcomes, and that of payloads.
  expect(await sweepAll(sweepOf())).toEqual([1, 1]);
  expect(await daysLeft('delivery')).not.toContain('2026_01_01');
  expect(await breakdownOf(id)).toEqual(breakdown);
  expect(await resultOf(id)).toEqual(result);
  expect(await totalsOf(0)).toEqual(totals);
  expect(await rowsLeft()).toEqual({ messages: 1, firings: 1, outcomes: 0, payloads: 0, counts: 3 });
});

it('leaves nothing out and counts nothing twice when a process ends in a page or between two', async () => {
  const id = await sent(3_000);
  const breakdown = await breakdownOf(id);
  for (let ends = 0; ends < 2; ends += 1) {
    const dying = await OwnConnection.beside(sql);
    await dying.query('begin');
    await dying.query('select sum_outcomes(700)');
    // As kill -9 leaves it: the server hears of nothing but a closed connection.
    dying.client.connection.stream.destroy();
    await eventually(async () => (await sumOutcomes(sql, 700)) > 0);
  }
  await sumAll(700);
  await sql.query('truncate delivery');
  expect(await breakdownOf(id)).toEqual(breakdown);
});

it('sums up small firings many at a time, of one day each, beside others that do the same', async () => {
  for (let count = 0; count < 40; count += 1) await sent(10, { days: count % 2 });
  const [big] = [await sent(9_000)];
  const pages = await Promise.all([sumAll(1_000), sumAll(1_000), sumAll(1_000)]);
  expect(pages[0] ?? 0).toBeLessThan(20);
  await sumAll();
  const [sum] = await sql.query(
    'select sum(count)::int as devices, count(distinct firing_id)::int as firings from outcome_count',
  );
  expect(sum).toEqual({ devices: 9_400, firings: 41 });
  expect(await breakdownOf(big)).toHaveLength(3);
});

it('leaves what is young, still going out, or not summed up yet', async () => {
  await sent(10, { days: 5 });
  await sent(10, { state: 'FIRED', days: 3 });
  await sent(10);
  daysLater = 92;
  await sweepAll(sweepOf());
  expect(await rowsLeft()).toMatchObject({ outcomes: 30, payloads: 3 });
  await sumAll();
  await sweepAll(sweepOf());
  expect(await rowsLeft()).toMatchObject({ outcomes: 20, payloads: 2 });
  daysLater = 100;
  // The day of what goes out stays, and those behind it.
  await sweepAll(sweepOf());
  expect(await rowsLeft()).toMatchObject({ outcomes: 20, payloads: 2 });
  const stuck = await stuckDays(sql, new Date(clock.now() - 90 * DAY_MS));
  // Of 3 to 9 January, 4 to 8 have partitions: those around the 1st, the 6th and the 21st were made.
  expect(stuck).toMatchObject({ oldest: '2026-01-04', underWay: 1, notSummed: 0 });
  expect(stuck.days).toBeGreaterThan(1);
  expect(stuckFinding(stuck)).toMatch(
    /^\d days of outcomes should be dropped and are not, the oldest 2026-01-04: 1 of its firings/,
  );
  const registry = new Registry();
  for (const metric of dayMetrics(sql, () => new Date(clock.now() - 90 * DAY_MS)))
    registry.registerMetric(metric);
  const text = await registry.metrics();
  expect(text).toContain(`carillon_push_days_stuck ${stuck.days}\n`);
  expect(text).toContain('carillon_push_days_going 0\n');
});

it('deletes nothing by age on a machine whose clock is wrong, says so, and goes on once it is right', async () => {
  await sent(10);
  await sumAll();
  daysLater = 400;
  let wrongBy = 300 * DAY_MS;
  const log = pino({ level: 'silent' });
  const wall = (): number => Date.now() + wrongBy;
  const clockCheck = new ClockCheck({ sql, log, wall, stops: 'deleted by age' });
  const sweep = new Sweep({
    database: sql,
    clock,
    clockCheck,
    outcomeDays: 90,
    messageDays: 40,
    signedMs: 600_000,
  });
  expect(await sweep.runOnce()).toBe(0);
  expect(await rowsLeft()).toMatchObject({ outcomes: 10, messages: 1 });
  expect(clockCheck.finding()).toContain('nothing is deleted by age from here');
  wrongBy = 0;
  await sweepAll(sweep);
  expect(await rowsLeft()).toMatchObject({ outcomes: 0, messages: 0 });
});

it('is held up by a long reader alone: others write, ask and make days meanwhile', async () => {
  const id = await sent(100);
  const breakdown = await breakdownOf(id);
  await sumAll();
  daysLater = 91;
  const hasty = sql.beside({ limits: { statementMs: 3_000 } });
  const sweep = new Sweep({
    database: hasty,
    clock,
    clockCheck: RIGHT,
    outcomeDays: 90,
    messageDays: 0,
    signedMs: 600_000,
  });
  const isWaiting = async (): Promise<boolean> => {
    const waiting = await sql.query(
      `select from pg_stat_activity where datname = current_database() and query like 'alter table delivery detach%'
         and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  };
  const reader = await OwnConnection.beside(sql);
  try {
    await reader.query('begin transaction isolation level repeatable read');
    await reader.query('select count(*) from delivery');
    const round = sweep.runOnce();
    await eventually(isWaiting);
    expect(await breakdownOf(id)).toEqual(breakdown);
    expect(await breakdownOf(await sent(50, { days: 91 }))).toHaveLength(3);
    expect(await isWaiting()).toBe(true);
    expect(await round).toBe(0);
    await ensurePartitions(sql, new Date(sentAt.getTime() + 95 * DAY_MS));
    expect(await daysLeft('delivery')).toContain('2026_04_09');
    // It stands where it began, however often it is tried.
    await sweep.runOnce();
    expect(await daysLeft('delivery')).toContain('2026_01_01');
  } finally {
    await reader.release();
  }
  // First what was left over is done.
  expect((await sweepAll(sweep)).length).toBeGreaterThan(0);
  expect(await daysLeft('delivery')).not.toContain('2026_01_01');
  expect(await daysLeft('payload')).not.toContain('2026_01_01');
  expect(await breakdownOf(id)).toEqual(breakdown);
});

it('removes devices 90 days after they were gone, and quotas 31 days after theirs, and no others', async () => {
  await addService(sql, SERVICE, sentAt);
  const user = await sql.query<{ key: string }>(
    `insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                            night_ad_agreement, created_at, updated_at)
     values ($1, 'u', 'KR', 'ko', 32400, true, true, true, $2, $2) returning key`,
    [SERVICE, sentAt],
  );
  // Every other one is gone, 0 to 9 days after; the tenth was registered again since.
  await sql.query(
    `insert into device (service_id, user_key, device_type, device_token, token_hash, active, created_at, updated_at)
     select $1, $2, 'GCM', i::text, sha256(i::text::bytea), i % 2 = 0 or i = 9, $3, $3::timestamptz + i * interval '24 hours'
       from generate_series(0, 9) i`,
    [SERVICE, user[0]?.key, sentAt],
  );
  await sql.query(
    `insert into quota_use (service_id, day, used, taken) select $1, $2::timestamptz::date + i, 1, 1 from generate_series(0, 100) i`,
    [SERVICE, sentAt],
  );
  daysLater = 94;
  // Days without outcomes first; then who was gone on days 1 and 3, and quotas from before the 63rd day.
  expect((await sweepAll(sweepOf())).filter((done) => done > 1)).toEqual([2, 63]);
  const left = await sql.query<{ token: number }>('select device_token::int as token from device order by 1');
  expect(left.map(({ token }) => token)).toEqual([0, 2, 4, 5, 6, 7, 8, 9]);
  daysLater = 1_000;
  await sweepAll(sweepOf());
  expect(await sql.query('select count(*)::int as n from device where not active')).toEqual([{ n: 0 }]);
  expect(await sql.query('select count(*)::int as n from device')).toEqual([{ n: 6 }]);
});

it('keeps messages for ever by default', async () => {
  const id = await sent(10);
  daysLater = 36_500;
  await sweepAll(sweepOf());
  expect(await resultOf(id)).toMatchObject({ id, sentCount: '9' });
});

it('removes final messages after their days, with all that hangs on them, and no other', async () => {
  const kept = [
    await sent(10, { days: 20 }),
    await sent(0, { state: 'READY', kind: 'reserved' }),
    await sent(0, { state: 'ATTACHED', kind: 'scheduled' }),
    await sent(10, { state: 'FIRED', days: 20 }),
  ];
  for (const state of ['CANCELED', 'FAIL', 'STALE']) await sent(0, { state, kind: 'reserved' });
  for (let count = 0; count < 510; count += 1) await sent(1);
  await sumAll();
  daysLater = 41;
  // Their outcomes are to be kept for longer, and they wait for that.
  await sweepAll(sweepOf(40));
  expect(await rowsLeft()).toMatchObject({ messages: 514, outcomes: 530 });
  daysLater = 100;
  await sweepAll(sweepOf(90));
  expect(await rowsLeft()).toEqual({ messages: 4, firings: 2, outcomes: 20, payloads: 2, counts: 3 });
  for (const id of kept) expect(await resultOf(id)).toBeDefined();
});

it('forgets signed requests once no signature of theirs is good', async () => {
  const seen = async (): Promise<number> => (await sql.query('select from signed_request')).length;
  await sql.query('truncate signed_request');
  await insertMessages(sql, [newMessage('s', sentAt)]);
  await sweepAll(sweepOf());
  expect(await seen()).toBe(1);
  daysLater = 1;
  await sweepAll(sweepOf());
  expect(await seen()).toBe(0);
});

describe('a user who was deleted', () => {
  const requestTo = (...to: string[]): string =>
    JSON.stringify({ target: { type: 'USER', to }, message: { default: { content: `for ${to.join()}` } } });
  const namesIn = async (id: string): Promise<string[]> => {
    const [row] = await sql.query<{ request: string }>('select request from message where id = $1', [id]);
    return (JSON.parse(row?.request ?? '{}') as { target: { to: string[] } }).target.to;
  };
  const register = (userId: string): Promise<boolean> =>
    registerUser(
      sql,
      's',
      Registration.parse({
        userId,
        deviceType: 'GCM',
        deviceToken: `token of ${userId}`,
        isNotificationAgreement: true,
        isAdAgreement: true,
        isNightAdAgreement: true,
      }),
      new Date(clock.now()),
    );
  const messageTo = async (state: string, ...to: string[]): Promise<string> => {
    const message = newMessage('s', new Date(clock.now()), {
      id: v7({ msecs: clock.now() }),
      request: requestTo(...to),
    });
    await insertMessages(sql, [message]);
    await sql.query(
      `update message set state = $2, complete_at = case when $2 = 'FINISHED' then requested_at end where id = $1`,
      [message.id, state],
    );
    return message.id;
  };

  beforeEach(() => sql.query('truncate forgotten_user, signed_request'));

  it('is named by one pseudonym in all that was final, and by nothing that leads back', async () => {
    await register('ann');
    const [both, alone] = [await messageTo('FINISHED', 'ben', 'ann'), await messageTo('FINISHED', 'ann')];
    const other = await messageTo('FINISHED', 'annabel');
    const everybody = newMessage('s', new Date(clock.now()), { id: v7({ msecs: clock.now() }) });
    await insertMessages(sql, [everybody]);
    expect(await deleteUser(sql, 's', 'ann', new Date(clock.now()))).toBe(true);
    expect(await deleteUser(sql, 's', 'ann', new Date(clock.now()))).toBe(false);
    await sweepAll(sweepOf());
    expect(await namesIn(alone)).toEqual(['ann']);

    daysLater = 1;
    await register('ann');
    const afterwards = await messageTo('FINISHED', 'ann');
    await sweepAll(sweepOf());
    const [pseudonym = ''] = await namesIn(alone);
    expect(pseudonym).toMatch(/^deleted-[0-9a-f-]{36}$/);
    expect(await namesIn(both)).toEqual(['ben', pseudonym]);
    expect(await namesIn(other)).toEqual(['annabel']);
    // Who is registered anew is somebody else.
    expect(await namesIn(afterwards)).toEqual(['ann']);
    expect(await sql.query('select from forgotten_user')).toEqual([]);
  });

  it('stays named in what is still to be sent, and is forgotten once that is final', async () => {
    await register('eve');
    const waiting = await messageTo('READY', 'eve');
    await deleteUser(sql, 's', 'eve', new Date(clock.now()));
    daysLater = 1;
    await sweepAll(sweepOf());
    expect(await namesIn(waiting)).toEqual(['eve']);
    await sql.query(`update message set state = 'FINISHED', complete_at = requested_at where id = $1`, [
      waiting,
    ]);
    daysLater = 2;
    await sweepAll(sweepOf());
    expect(await namesIn(waiting)).toEqual([expect.stringMatching(/^deleted-/)]);
    expect(await sql.query('select from forgotten_user')).toEqual([]);
  });

  it('is looked for page by page, with all who were deleted meanwhile', async () => {
    const ids: string[] = [];
    for (let each = 0; each < 450; each += 1)
      ids.push(await messageTo('FINISHED', `user-${each % 3}`, 'kept'));
    for (const user of ['user-0', 'user-1']) {
      await register(user);
      await deleteUser(sql, 's', user, new Date(clock.now()));
    }
    daysLater = 1;
    expect(await sweepAll(sweepOf())).toEqual([450, 200, 200, 50]);
    const names = new Set((await Promise.all(ids.map(namesIn))).map(([first]) => first));
    expect([...names].filter((name) => name?.startsWith('deleted-'))).toHaveLength(2);
    expect(names).toContain('user-2');
  });
});

// What is old ends, in bounded steps, and nobody who asks for a result or a breakdown sees that it did, until the message
// itself is over. On a real database, by a clock that is set.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { SystemClock } from '../../../src/platform/clock.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { findBreakdown } from '../../../src/push-service/messages/breakdown.store.js';
import { findResults, type ResultRow } from '../../../src/push-service/messages/message.store.js';
import { Sweep } from '../../../src/push-service/retention/sweep.js';
import { openDatabase, type OpenedDatabase } from './push-rows.js';

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
});

const sweepOf = (messageDays = 0): Sweep => new Sweep({ database: sql, clock, outcomeDays: 90, messageDays });

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
       insert into firing (message_id, service_id, occurrence, due_at, state, complete_at, chunks_left)
       select $1, $2, 'once', $6, case when $7::bool then 'FINISHED' else 'SENDING' end,
              case when $7::bool then $6::timestamptz end, case when $7::bool then 0 else 1 end
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

it('sums outcomes up after their days, some thousands a round, and answers as before at every step', async () => {
  const id = await sent(12_000);
  const result = await resultOf(id);
  const breakdown = await findBreakdown(sql, id, { pageSize: 1_000, pageIndex: 0 });
  expect(breakdown.map(({ country, outcome, reason, count }) => [country, outcome, reason, count])).toEqual([
    ['JP', 'sent', null, 6_000],
    ['KR', 'failed', 'REJECTED', 1_200],
    ['KR', 'sent', null, 4_800],
  ]);
  daysLater = 90;
  expect(await sweepAll(sweepOf())).toEqual([]);
  daysLater = 91;
  const sweep = sweepOf();
  for (const outcomes of [7_000, 2_000, 0]) {
    expect(await sweep.runOnce()).toBe(1);
    expect(await rowsLeft()).toMatchObject({ outcomes });
    expect(await findBreakdown(sql, id, { pageSize: 1_000, pageIndex: 0 })).toEqual(breakdown);
    expect(await resultOf(id)).toEqual(result);
  }
  expect(await sweepAll(sweep)).toEqual([]);
  expect(await rowsLeft()).toEqual({ messages: 1, firings: 1, outcomes: 0, payloads: 0, counts: 3 });
});

it('leaves what is young or still going out', async () => {
  await sent(10, { days: 5 });
  await sent(10, { state: 'FIRED' });
  daysLater = 92;
  expect(await sweepAll(sweepOf())).toEqual([]);
  expect(await rowsLeft()).toMatchObject({ outcomes: 20, payloads: 2 });
});

it('passes over what another holds, and shares the rest with it', async () => {
  for (let count = 0; count < 30; count += 1) await sent(10);
  daysLater = 91;
  await sql.transaction(async (holding) => {
    await holding.query('select from firing order by id limit 10 for update');
    expect(await sweepAll(sweepOf())).toEqual([20]);
  });
  const rounds = await Promise.all([sweepAll(sweepOf()), sweepAll(sweepOf())]);
  expect(rounds.flat().reduce((sum, done) => sum + done, 0)).toBe(10);
  expect(await rowsLeft()).toMatchObject({ outcomes: 0, payloads: 0, counts: 3 * 30 });
  const [sum] = await sql.query('select sum(count)::int as devices from outcome_count');
  expect(sum).toEqual({ devices: 300 });
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
    await sent(10, { state: 'FIRED' }),
  ];
  for (const state of ['CANCELED', 'FAIL', 'STALE']) await sent(0, { state, kind: 'reserved' });
  for (let count = 0; count < 510; count += 1) await sent(1);
  daysLater = 41;
  // Their outcomes are to be kept for longer, and they wait for that.
  await sweepAll(sweepOf(40));
  expect(await rowsLeft()).toMatchObject({ messages: 514, outcomes: 530 });
  daysLater = 100;
  await sweepAll(sweepOf(90));
  expect(await rowsLeft()).toEqual({ messages: 4, firings: 2, outcomes: 20, payloads: 2, counts: 0 });
  for (const id of kept) expect(await resultOf(id)).toBeDefined();
});

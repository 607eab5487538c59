// A device has one outcome of a firing and counts once, whatever happens beside it: tokens that move to later users,
// transactions the database ends, another replica, a registration while the provider still answers. Stores, expansion
// and delivery as they are, on a real database.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { Database } from '../../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { ChunkDelivery } from '../../../../src/push-service/delivery/deliver-chunks.js';
import { expandNext } from '../../../../src/push-service/delivery/expand-firing.js';
import type { Provider } from '../../../../src/push-service/delivery/provider-port.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { registerUser } from '../../../../src/push-service/users/user.store.js';
import { eventually } from '../../../support/eventually.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { deliverWhole } from './deliver-whole.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';
import { routeTo, ScriptedProvider, SENT } from './scripted-provider.js';

const SERVICE = 'once';
const clock = new SteppedClock('2026-11-21T13:00:00Z');
const now = (): Date => new Date(clock.now());
const log = pino({ level: 'silent' });
const { signal } = new AbortController();
let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await addService(sql, SERVICE, now());
});
afterAll(() => opened.close());
beforeEach(async () => {
  await sql.query(
    'truncate delivery, outcome_count, suppression, payload, fan_out_chunk, firing, message, device, push_user cascade',
  );
});

/** user-1, user-2 and so on, with one device each whose token is its user's name. */
async function seed(users: number): Promise<void> {
  await sql.query(
    `with made as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $1, 'user-' || i, 'KR', 'ko', 32400, true, true, true, $2::timestamptz, $2::timestamptz
       from generate_series(1, $3::int) as i returning key, user_id)
     insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select $1, key, 'GCM', user_id, sha256(user_id::bytea), $2::timestamptz, $2::timestamptz from made`,
    [SERVICE, now(), users],
  );
}

/** A message to everybody, fired. */
async function take(): Promise<string> {
  const message = newMessage(SERVICE, now());
  await insertMessages(sql, [message]);
  return message.id;
}

const expand = (through: Database = sql): Promise<number> =>
  expandNext({ database: through, clock, log, timeoutMs: 600_000, deliveryMs: 21_600_000 }, 'oldest');

async function deliverAll(provider: Provider = new ScriptedProvider('unknown')): Promise<void> {
  const delivery = new ChunkDelivery({ sql, clock, log, route: routeTo(provider), leaseMs: 30_000 });
  while ((await deliverWhole(delivery, 'oldest', signal)) > 0);
}

async function rowOf(text: string, parameters: readonly unknown[] = []): Promise<unknown> {
  const [row] = await sql.query(text, parameters);
  return row;
}

/** Counts of message and firing, and the rows they speak of. */
async function endOf(id: string): Promise<unknown> {
  return rowOf(
    `select m.state, m.target_count::int as targets, m.sent_count::int as sent, f.state as firing,
       f.target_count::int as "firingTargets", f.sent_count::int as "firingSent", f.failed_count::int as failed,
       f.chunks_left as "chunksLeft", (select count(*)::int from delivery) as rows,
       (select count(*)::int from delivery where outcome = 'sent') as "sentRows",
       (select count(*)::int from fan_out_chunk) as chunks
     from message m join firing f on f.message_id = m.id where m.id = $1`,
    [id],
  );
}

function ended(targets: number, sent: number): object {
  return {
    state: 'FINISHED',
    targets,
    sent,
    firing: 'FINISHED',
    firingTargets: targets,
    firingSent: sent,
    failed: targets - sent,
    chunksLeft: 0,
    rows: targets,
    sentRows: sent,
    chunks: 0,
  };
}

it('lays a device down once that moves from a page of users that was read to one that was not', async () => {
  await seed(20_500);
  const id = await take();
  const gate = await OwnConnection.beside(sql);
  await gate.query('begin');
  // The chunk the first page is to lay down: its statement, which has read its users by then, waits for this one's end.
  await gate.query(
    `insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, targets, device_ids, user_keys, countries,
                                languages, timezones)
     select id, 3, service_id, 'GCM', 0, '{}', '{}', '{}', '{}', '{}' from firing`,
  );
  const expanding = expand();
  await eventually(async () => {
    const [{ waiting } = { waiting: 0 }] = await sql.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like 'with page as materialized%'`,
    );
    return waiting > 0;
  });
  await sql.query(
    `update device set user_key = (select max(key) from push_user) where device_token in ('user-7', 'user-8', 'user-9')`,
  );
  await gate.query('rollback');
  await gate.release();
  expect(await expanding).toBe(1);
  await deliverAll();
  // Those that moved are no longer those users'.
  expect(await endOf(id)).toEqual(ended(20_500, 20_497));
});

it('records a chunk with a device that has its outcome: it keeps that one, and is no target twice', async () => {
  await seed(3);
  const id = await take();
  await expand();
  await sql.query(
    `insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, targets, device_ids, user_keys, countries,
                                languages, timezones)
     select firing_id, chunk_no + part, service_id, device_type, 1, device_ids[part:part], user_keys[part:part],
            countries[part:part], languages[part:part], timezones[part:part]
     from fan_out_chunk, generate_series(1, 2) as part`,
  );
  await sql.query('update firing set target_count = 5, chunks_left = 3');
  await sql.query('update message set target_count = 5');
  await deliverAll();
  expect(await endOf(id)).toEqual(ended(3, 3));
});

it.each(['40001', '40P01'])(
  'takes what the database ended as %s for no attempt, and tries again',
  async (code) => {
    await seed(3);
    const id = await take();
    await sql.query(`CREATE SEQUENCE ended`);
    await sql.query(
      `create function end_it() RETURNS trigger LANGUAGE plpgsql as $$ begin
       IF nextval('ended') <= 32 then RAISE 'for another' using ERRCODE = '${code}'; end IF; RETURN NEW; end $$`,
    );
    await sql.query(
      `create trigger end_it BEFORE insert on fan_out_chunk for EACH row EXECUTE function end_it()`,
    );
    try {
      // Five tries a round: six rounds are one more than would be forgiven.
      for (let round = 1; round <= 6; round += 1) {
        await expect(expand()).rejects.toThrow('for another');
        expect(await rowOf('select state, attempts from firing')).toEqual({ state: 'READY', attempts: 0 });
      }
      // The expansion itself tries again, so a fault that ends within a round does not show.
      expect(await expand()).toBe(1);
    } finally {
      await sql.query('drop trigger end_it on fan_out_chunk; drop function end_it; drop sequence ended');
    }
    await deliverAll();
    expect(await endOf(id)).toEqual(ended(3, 3));
  },
);

it('leaves a firing alone that another replica has expanded while this one gives it up', async () => {
  await seed(3);
  const id = await take();
  const request = await rowOf('select request from message');
  await sql.query(`update message set request = '{'`);
  await sql.query('update firing set attempts = 4');
  let others = 0;
  // The other comes between this one's last attempt and its end.
  const slow: Database = {
    transaction: (work) => sql.transaction(work),
    query: async (text: string, parameters?: unknown[]) => {
      const answer: unknown = await sql.query(text, parameters);
      if (text.includes('attempts + 1')) {
        await sql.query('update message set request = $1', [(request as { request: string }).request]);
        others = await expand();
      }
      return answer;
    },
  } as Database;
  await expect(expand(slow)).rejects.toThrow('JSON');
  expect(others).toBe(1);
  expect(await rowOf('select f.state, m.state as message from firing f, message m')).toEqual({
    state: 'SENDING',
    message: 'FIRED',
  });
  await deliverAll();
  expect(await endOf(id)).toEqual(ended(3, 3));
});

it('keeps a device active that registered anew while its old token was answered gone', async () => {
  await seed(3);
  const id = await take();
  await expand();
  let isRegistered = false;
  const registering = new ScriptedProvider('unknown', async (token) => {
    if (token === 'user-2') {
      clock.advance(1_000);
      await registerUser(
        sql,
        SERVICE,
        {
          userId: 'user-2',
          country: 'KR',
          language: 'ko',
          timezone: 32_400,
          channelName: undefined,
          isNotificationAgreement: true,
          isAdAgreement: true,
          isNightAdAgreement: true,
          deviceType: 'GCM',
          deviceToken: 'user-2',
        },
        now(),
      );
      clock.advance(1_000);
      isRegistered = true;
    } else await eventually(() => isRegistered);
    return token === 'user-3' ? SENT : { kind: 'gone', reason: 'UNREGISTERED' };
  });
  await deliverAll(registering);
  expect(await sql.query('select device_token as token, active from device order by device_token')).toEqual([
    { token: 'user-1', active: false },
    { token: 'user-2', active: true },
    { token: 'user-3', active: true },
  ]);
  expect(await endOf(id)).toEqual(ended(3, 1));
});

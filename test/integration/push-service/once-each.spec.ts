// A device has one outcome of a firing and counts once, whatever happens beside it: tokens that move to later users,
// transactions the database ends, another replica, a registration while the provider still answers. Stores, expansion
// and delivery as they are, on a real database.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { SteppedClock } from '../../../src/platform/clock.js';
import { rowsOf, type Database } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { ChunkDelivery } from '../../../src/push-service/delivery/deliver-chunk.js';
import { expandNext } from '../../../src/push-service/delivery/expand-firing.js';
import type { Provider } from '../../../src/push-service/delivery/provider.js';
import { insertMessages } from '../../../src/push-service/messages/message.store.js';
import { registerUser } from '../../../src/push-service/users/user.store.js';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/own-connection.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from './push-rows.js';

const SERVICE = 'once';
const clock = new SteppedClock('2026-11-21T13:00:00Z');
const now = (): Date => new Date(clock.now());
const log = pino({ level: 'silent' });
const { signal } = new AbortController();
const accepting: Provider = {
  answersCanBeLost: false,
  send: (batch) => Promise.resolve(batch.map(() => ({ kind: 'sent' as const }))),
};

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
    'TRUNCATE delivery, outcome_count, suppression, payload, fan_out_chunk, firing, message, device, push_user CASCADE',
  );
});

/** user-1, user-2 and so on, with one device each whose token is its user's name. */
async function seed(users: number): Promise<void> {
  await sql.query(
    `WITH made AS (
       INSERT INTO push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       SELECT $1, 'user-' || i, 'KR', 'ko', 32400, true, true, true, $2::timestamptz, $2::timestamptz
       FROM generate_series(1, $3::int) AS i RETURNING key, user_id)
     INSERT INTO device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     SELECT $1, key, 'GCM', user_id, sha256(user_id::bytea), $2::timestamptz, $2::timestamptz FROM made`,
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
  expandNext({ database: through, clock, log, timeoutMs: 600_000 }, 'oldest');

async function deliverAll(provider: Provider = accepting): Promise<void> {
  const delivery = new ChunkDelivery({ sql, clock, log, provider, leaseMs: 30_000 });
  while ((await delivery.deliverNext(['oldest'], signal)) > 0);
}

async function rowOf(text: string, parameters: readonly unknown[] = []): Promise<unknown> {
  const [row] = await rowsOf(sql, text, parameters);
  return row;
}

/** Counts of message and firing, and the rows they speak of. */
async function endOf(id: string): Promise<unknown> {
  return rowOf(
    `SELECT m.state, m.target_count::int AS targets, m.sent_count::int AS sent, f.state AS firing,
       f.target_count::int AS "firingTargets", f.sent_count::int AS "firingSent", f.failed_count::int AS failed,
       f.chunks_left AS "chunksLeft", (SELECT count(*)::int FROM delivery) AS rows,
       (SELECT count(*)::int FROM delivery WHERE outcome = 'sent') AS "sentRows",
       (SELECT count(*)::int FROM fan_out_chunk) AS chunks
     FROM message m JOIN firing f ON f.message_id = m.id WHERE m.id = $1`,
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
    `INSERT INTO fan_out_chunk (firing_id, chunk_no, targets, device_ids, user_keys, device_types, countries, languages,
                                timezones)
     SELECT id, 3, 0, '{}', '{}', '{}', '{}', '{}', '{}' FROM firing`,
  );
  const expanding = expand();
  await eventually(async () => {
    const [{ waiting } = { waiting: 0 }] = await rowsOf<{ waiting: number }>(
      sql,
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'WITH page AS MATERIALIZED%'`,
    );
    return waiting > 0;
  });
  await sql.query(
    `UPDATE device SET user_key = (SELECT max(key) FROM push_user) WHERE device_token IN ('user-7', 'user-8', 'user-9')`,
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
    `INSERT INTO fan_out_chunk (firing_id, chunk_no, targets, device_ids, user_keys, device_types, countries, languages,
                                timezones)
     SELECT firing_id, chunk_no + part, 1, device_ids[part:part], user_keys[part:part], device_types[part:part],
            countries[part:part], languages[part:part], timezones[part:part]
     FROM fan_out_chunk, generate_series(1, 2) AS part`,
  );
  await sql.query('UPDATE firing SET target_count = 5, chunks_left = 3');
  await sql.query('UPDATE message SET target_count = 5');
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
      `CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('ended') <= 32 THEN RAISE 'for another' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`,
    );
    await sql.query(
      `CREATE TRIGGER end_it BEFORE INSERT ON fan_out_chunk FOR EACH ROW EXECUTE FUNCTION end_it()`,
    );
    try {
      // Five tries a round: six rounds are one more than would be forgiven.
      for (let round = 1; round <= 6; round += 1) {
        await expect(expand()).rejects.toThrow('for another');
        expect(await rowOf('SELECT state, attempts FROM firing')).toEqual({ state: 'READY', attempts: 0 });
      }
      // What is over within a round is not heard of.
      expect(await expand()).toBe(1);
    } finally {
      await sql.query('DROP TRIGGER end_it ON fan_out_chunk; DROP FUNCTION end_it; DROP SEQUENCE ended');
    }
    await deliverAll();
    expect(await endOf(id)).toEqual(ended(3, 3));
  },
);

it('leaves a firing alone that another replica has expanded while this one gives it up', async () => {
  await seed(3);
  const id = await take();
  const request = await rowOf('SELECT request FROM message');
  await sql.query(`UPDATE message SET request = '{'`);
  await sql.query('UPDATE firing SET attempts = 4');
  let others = 0;
  // The other comes between this one's last attempt and its end.
  const slow: Database = {
    transaction: (work) => sql.transaction(work),
    query: async (text: string, parameters?: unknown[]) => {
      const answer: unknown = await sql.query(text, parameters);
      if (text.includes('attempts + 1')) {
        await sql.query('UPDATE message SET request = $1', [(request as { request: string }).request]);
        others = await expand();
      }
      return answer;
    },
  } as Database;
  await expect(expand(slow)).rejects.toThrow('JSON');
  expect(others).toBe(1);
  expect(await rowOf('SELECT f.state, m.state AS message FROM firing f, message m')).toEqual({
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
  await deliverAll({
    answersCanBeLost: false,
    send: async (batch) => {
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
      return batch.map(({ token }) =>
        token === 'user-3' ? { kind: 'sent' } : { kind: 'gone', reason: 'UNREGISTERED' },
      );
    },
  });
  expect(await rowsOf(sql, 'SELECT device_token AS token, active FROM device ORDER BY device_token')).toEqual(
    [
      { token: 'user-1', active: false },
      { token: 'user-2', active: true },
      { token: 'user-3', active: true },
    ],
  );
  expect(await endOf(id)).toEqual(ended(3, 1));
});

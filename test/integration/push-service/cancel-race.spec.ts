// A cancellation and a firing at once, many times over on real connections: exactly one of them wins, and the rows say
// which (§3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { v7 } from 'uuid';
import { rowsOf } from '../../../src/platform/database.js';
import { Secret } from '../../../src/platform/env.js';
import { pushDataSource } from '../../../src/push-service/push.database.js';
import { insertMessages } from '../../../src/push-service/messages/message.store.js';
import { cancelReady, fireDue } from '../../../src/push-service/reservations/reservation.store.js';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { testLength } from '../../support/lengths.js';

const ROUNDS = testLength('CANCEL_ROUNDS', { normal: 150, long: 3_000 });
const SERVICE = 'race';
const at = new Date('2026-11-21T12:00:00Z');
const staleBefore = new Date(at.getTime() - 600_000);

let database: TestDatabase;
let sql: DataSource;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = pushDataSource(new Secret(database.url), 4);
  await sql.initialize();
  await sql.query('INSERT INTO account (id, created_at) VALUES ($1, $2)', [SERVICE, at]);
  await sql.query('INSERT INTO service (id, account_id, created_at, updated_at) VALUES ($1, $1, $2, $2)', [
    SERVICE,
    at,
  ]);
});
afterAll(async () => {
  await sql.destroy();
  await database.drop();
});

async function reservation(): Promise<string> {
  const id = v7();
  const hash = Buffer.from(id);
  await insertMessages(sql, [
    {
      id,
      serviceId: SERVICE,
      kind: 'reserved',
      messageType: 'NOTIF',
      request: '{}',
      dedupeHash: hash,
      bodyHash: hash,
      requestedAt: at,
      reserveTime: '2026-11-21 12:00',
      reserveTimeZone: 'UTC',
      scheduleId: null,
      fireAt: at,
      small: false,
    },
  ]);
  return id;
}

it(`lets exactly one of a cancellation and a firing win, ${ROUNDS} times`, async () => {
  const wins = { canceled: 0, fired: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await reservation();
    const cancel = (): Promise<boolean> => cancelReady(sql, SERVICE, id, at);
    const fire = (): Promise<number> => fireDue(sql, at, staleBefore, 10);
    // Either may set out first; two replicas fire.
    const [canceled, fired, firedToo] =
      round % 2 === 0
        ? await Promise.all([cancel(), fire(), fire()])
        : await Promise.all([fire(), fire(), cancel()]).then(([a, b, c]) => [c, a, b] as const);
    // A cancellation that held the row let the firing pass over it: then the cancellation won.
    expect((canceled ? 1 : 0) + fired + firedToo).toBe(1);
    const [row] = await rowsOf<{ state: string; firings: number }>(
      sql,
      'SELECT state, (SELECT count(*)::int FROM firing f WHERE f.message_id = m.id) AS firings FROM message m WHERE id = $1',
      [id],
    );
    expect(row).toEqual(canceled ? { state: 'CANCELED', firings: 0 } : { state: 'PROCESSING', firings: 1 });
    wins[canceled ? 'canceled' : 'fired'] += 1;
  }
  // A race that only one side ever wins is none.
  expect(Math.min(wins.canceled, wins.fired)).toBeGreaterThan(0);
});

// A cancellation and a firing at once, many times over on real connections: exactly one of them wins, and the rows say
// which (push-interface.md §3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { insertMessages } from '../../../../src/push-service/messages/message.store.js';
import { cancelReady, fireDue } from '../../../../src/push-service/reservations/reservation.store.js';
import { testLength } from '../../../support/lengths.js';
import { addService, newMessage, openDatabase, type OpenedDatabase } from '../delivery/push-rows.js';

const ROUNDS = testLength('CANCEL_ROUNDS', { normal: 150, long: 3_000 });
const SERVICE = 'race';
const at = new Date('2026-11-21T12:00:00Z');
const staleBefore = new Date(at.getTime() - 600_000);

let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
  await addService(sql, SERVICE, at);
});
afterAll(() => opened.close());

async function reservation(): Promise<string> {
  const message = newMessage(SERVICE, at, {
    kind: 'reserved',
    reserveTime: '2026-11-21 12:00',
    reserveTimeZone: 'UTC',
  });
  await insertMessages(sql, [message]);
  return message.id;
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
    const [row] = await sql.query<{ state: string; firings: number }>(
      'select state, (select count(*)::int from firing f where f.message_id = m.id) as firings from message m where id = $1',
      [id],
    );
    expect(row).toEqual(canceled ? { state: 'CANCELED', firings: 0 } : { state: 'PROCESSING', firings: 1 });
    wins[canceled ? 'canceled' : 'fired'] += 1;
  }
  // A race that only one side ever wins is none.
  expect(Math.min(wins.canceled, wins.fired)).toBeGreaterThan(0);
});

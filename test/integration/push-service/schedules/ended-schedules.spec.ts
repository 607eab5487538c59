// Schedules that have ended, most of all there are in time: the fire loop looks at none of them again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { finishEnded, lockDueSchedule } from '../../../../src/push-service/schedules/schedule.store.js';
import { nextDue } from '../../../../src/push-service/reservations/reservation.store.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { blocksOf } from '../../../support/postgres/blocks-of.js';
import { addService, openDatabase, type OpenedDatabase } from '../delivery/push-rows.js';

const NOW = new Date('2027-03-01T00:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);
const SERVICE = 'ended';

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await openDatabase();
  await addService(opened.sql, SERVICE, NOW);
});
afterAll(() => opened.close());

/** Ended when it was last fired, with a message each. */
async function ended(count: number, firedUntil: Date): Promise<void> {
  await opened.sql.query(
    `with made as (
       insert into schedule (id, service_id, schedule_code, time_zone, minute, start_date, days_of_week, created_at, fired_until)
       select gen_random_uuid(), $1, gen_random_uuid()::text, 'UTC', 0, '2027-01-01', '{}', $2, $3
         from generate_series(1, $4::int) returning id)
     insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at, schedule_id)
     select gen_random_uuid(), $1, 'scheduled', 'ATTACHED', 'NOTIF', '{}', uuid_send(gen_random_uuid()), '', $2, id from made`,
    [SERVICE, NOW, firedUntil, count],
  );
}

const ROUND: readonly ((sql: Sql) => Promise<unknown>)[] = [
  (sql) => lockDueSchedule(sql, NOW),
  (sql) => finishEnded(sql, NOW),
  (sql) => nextDue(sql),
];

async function blocks(): Promise<number> {
  let sum = 0;
  for (const ask of ROUND) sum += await blocksOf(opened.sql, ask);
  return sum;
}

it('ends their messages, and reads no more for thousands that are finished', async () => {
  const none = await blocks();
  await ended(3_000, minutesAgo(60));
  expect(await finishEnded(opened.sql, NOW)).toBe(3_000);
  expect(await finishEnded(opened.sql, NOW)).toBe(0);
  await opened.sql.query('vacuum analyze schedule, message');
  expect((await blocks()) - none).toBeLessThan(10);
});

it('looks for a while at one that has just ended: a message may be attached to it still', async () => {
  await ended(1, minutesAgo(5));
  expect(await finishEnded(opened.sql, NOW)).toBe(1);
  const late = v7();
  await opened.sql.query(
    `insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at, schedule_id)
     select $1, $2, 'scheduled', 'ATTACHED', 'NOTIF', '{}', uuid_send($1), '', $3, id from schedule where fired_until = $4`,
    [late, SERVICE, NOW, minutesAgo(5)],
  );
  expect(await finishEnded(opened.sql, NOW)).toBe(1);
});

// The end of a service with more than any of its steps takes: no row of it is left, none of another is touched, and what
// broke off is ended by asking again. On a real database.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../../../src/platform/clock.js';
import type { Database } from '../../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { removeService } from '../../../../src/push-service/management/remove-service.js';
import { Sweep } from '../../../../src/push-service/retention/sweep.js';
import { untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { furnish } from '../delivery/furnish.js';
import { openDatabase, type OpenedDatabase } from '../delivery/push-rows.js';

const at = new Date('2026-01-01T12:00:00Z');
const TABLES = [
  'schedule',
  'message',
  'firing',
  'fan_out_chunk',
  'delivery',
  'payload',
  'suppression',
  'outcome_count',
  'push_user',
  'device',
  'channel',
  'channel_member',
  'quota_use',
  'api_key',
  'provider_credential',
];

let opened: OpenedDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  opened = await openDatabase();
  ({ sql } = opened);
});
afterAll(() => opened.close());
beforeEach(() => sql.query(`truncate account, ${TABLES.join(', ')} cascade`));

async function counts(): Promise<Record<string, number>> {
  const columns = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const [row] = await sql.query<Record<string, number>>(`select ${columns.join(', ')}`);
  return row ?? {};
}

it('leaves no row of the service, outcomes included, and all of another', async () => {
  await furnish(sql, at, 'stays', 3);
  const before = await counts();
  expect(Object.values(before).every((count) => count > 0)).toBe(true);
  await furnish(sql, at, 'goes', 1_100);
  expect(await counts()).toMatchObject({ delivery: 60 + 22_000, push_user: 1_103 });
  let marks = 0;
  expect(await removeService(sql, 'goes', at, () => (marks += 1))).toBe(true);
  expect(await counts()).toEqual(before);
  expect(marks).toBe(1);
  expect(await removeService(sql, 'goes', at, () => undefined)).toBe(false);
});

it('is gone at once, and what broke off goes on when it is asked for again', async () => {
  await furnish(sql, at, 'broken', 300);
  let steps = 0;
  const breaking: Database = {
    query: sql.query.bind(sql),
    transaction: (work) => {
      steps += 1;
      if (steps > 3) throw new Error('the database went away');
      return sql.transaction(work);
    },
  };
  await expect(removeService(breaking, 'broken', at, () => undefined)).rejects.toThrow('went away');
  const [service] = await sql.query<{ removed: boolean }>(
    `select removed_at is not null as removed from service where id = 'broken'`,
  );
  expect(service).toEqual({ removed: true });
  expect((await counts())['delivery']).toBeGreaterThan(0);
  expect(await removeService(sql, 'broken', at, () => undefined)).toBe(true);
  expect(Object.values(await counts()).every((count) => count === 0)).toBe(true);
});

it('is swept once its removal broke off, or when a replica took something for it; no other is', async () => {
  await furnish(sql, at, 'stays', 3);
  await furnish(sql, at, 'removed-just-now', 3);
  const before = await counts();
  await furnish(sql, at, 'removed', 250);
  const now = at.getTime();
  for (const [id, ago] of [
    ['removed', 60_001],
    ['removed-just-now', 59_999],
  ] as const)
    await sql.query('update service set removed_at = $2 where id = $1', [id, new Date(now - ago)]);
  const clock: Clock = { now: () => now, elapsed: () => 0, at: () => () => undefined };
  const sweep = new Sweep({
    database: sql,
    clock,
    clockCheck: { findsRight: () => Promise.resolve(true) },
    outcomeDays: 90,
    messageDays: 0,
    signedMs: 600_000,
  });
  while ((await sweep.runOnce()) > 0) expect((await counts())['device']).toBeGreaterThanOrEqual(6);
  expect(await counts()).toEqual(before);
});

it('waits for a record that is under way, and leaves nothing of it', async () => {
  await furnish(sql, at, 'recording', 1);
  let removal: Promise<boolean> | undefined;
  await sql.transaction(async (recording) => {
    await recording.query('delete from fan_out_chunk');
    removal = removeService(sql, 'recording', at, () => undefined);
    await untilLockAwaited((text) => sql.query(text));
    await recording.query(
      `insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, handed_at)
       select id, 99, 99, 'GCM', 'KR', 'ko', 0, 'sent', $1::timestamptz from firing`,
      [at],
    );
  });
  expect(await removal).toBe(true);
  expect(await counts()).toMatchObject({ delivery: 0, firing: 0, message: 0 });
});

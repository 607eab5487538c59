// What one tenant, or the service's own work, may take of what all share.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { eventually } from '../../../support/eventually.js';
import { untilLockAwaited } from '../../../support/postgres/lock-waiters.js';
import { Management } from '../../../contract/push-service/support/client.js';
import { query } from '../../../contract/push-service/support/replica.js';
import { message } from '../../../contract/push-service/support/stage.js';
import { startOwn, type Target } from '../../../contract/push-service/support/target.js';

let target: Target;
let management: Management;

beforeAll(async () => {
  target = await startOwn({ PUSH_DEFAULT_RATE: '3', PUSH_DATABASE_POOL: '4', PUSH_DELIVERY_POOL: '2' });
  management = new Management(target);
});
afterAll(() => target.close());

const rows = (sql: string): Promise<unknown[]> => query(target.databaseUrl ?? '', sql);

it('holds a service that has no rate of its own to the default', async () => {
  const bound = await management.newService();
  const own = await management.newService({ ratePerSecond: 1_000 });
  // One row is read: lists and counts wait for one another.
  const statuses = async (client: typeof own) =>
    (await Promise.all(Array.from({ length: 30 }, () => client.get('users/nobody')))).map(
      ({ status }) => status,
    );
  expect((await statuses(bound)).filter((status) => status === 429).length).toBeGreaterThan(10);
  expect(new Set(await statuses(own))).toEqual(new Set([404]));
});

it('answers requests while delivery waits for the database with all it may take', async () => {
  const client = await management.newService({ ratePerSecond: 1_000 });
  await client.register();
  const holder = new Postgres({ connectionString: target.databaseUrl, options: '-c search_path=push' });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('lock table firing, fan_out_chunk in access exclusive mode');
    await untilLockAwaited(rows, { atLeast: 2, by: 'carillon push delivery' });
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.get('channels')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(performance.now() - begun).toBeLessThan(4_000);
  } finally {
    await holder.end();
  }
  expect((await client.post('messages', message())).status).toBe(202);
});

it('answers others, and known callers anew, while the counts of one service hold all that counts may', async () => {
  const counting = await management.newService({ ratePerSecond: 1_000 });
  const others = [await management.newService(), await management.newService()];
  const holder = new Postgres({ connectionString: target.databaseUrl, options: '-c search_path=push' });
  await holder.connect();
  let refused = 0;
  const count = async (): Promise<number> => {
    const { status } = await counting.get('timezones');
    if (status === 429) refused += 1;
    return status;
  };
  let counts: Promise<number[]>;
  try {
    await holder.query('BEGIN');
    await holder.query('lock table push_user in access exclusive mode');
    counts = Promise.all(Array.from({ length: 30 }, count));
    await untilLockAwaited(rows, { like: '%push_user%', by: 'carillon push service' });
    await eventually(() => refused === 9);
    for (const other of others) expect((await other.get('messages/none')).status).toBe(404);
  } finally {
    await holder.end();
  }
  // One at a time, twenty wait; the rest were asked to come one by one.
  expect((await counts).filter((status) => status === 200)).toHaveLength(21);
});

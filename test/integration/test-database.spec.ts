import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';

let first: TestDatabase;
let second: TestDatabase;

beforeAll(async () => {
  [first, second] = await Promise.all([cloneDatabase(), cloneDatabase()]);
});
afterAll(async () => {
  await Promise.all([first.drop(), second.drop()]);
});

async function query(database: TestDatabase, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

it('a clone holds the schemas of both services', async () => {
  const found = await query(
    first,
    `select nspname from pg_namespace where nspname in ('scheduler', 'push') order by 1`,
  );
  expect(found).toEqual([{ nspname: 'push' }, { nspname: 'scheduler' }]);
});

it('a clone has every migration of both services done', async () => {
  const [{ schedulerMigrations }, { pushServiceMigrations }] = await Promise.all([
    import('../../migrations/scheduler/index.js'),
    import('../../migrations/push-service/index.js'),
  ]);
  const [done] = await query(
    first,
    'select (select count(*)::int from scheduler.migration) scheduler, (select count(*)::int from push.migration) push',
  );
  expect(done).toEqual({ scheduler: schedulerMigrations.length, push: pushServiceMigrations.length });
});

it('what one clone writes the other does not see', async () => {
  await query(first, 'create table public.mark (at int)');
  expect(await query(second, `select to_regclass('public.mark') as mark`)).toEqual([{ mark: null }]);
  expect(await query(first, `select to_regclass('public.mark')::text as mark`)).toEqual([{ mark: 'mark' }]);
});

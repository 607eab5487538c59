// Migrations have no time limit but where they wait: for a table in use so long, and for another process that migrates as
// long as it takes, saying who it is.
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDataSource } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';

class Table1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table thing (id int)');
  }
  async down(): Promise<void> {}
}

class Slow1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('select pg_sleep(0.4)');
  }
  async down(): Promise<void> {}
}

class Column1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table made_before (id int)');
    await runner.query('alter table thing add column name text');
  }
  async down(): Promise<void> {}
}

const LIMITS = { statementMs: 100, answerMs: 200 };

let database: TestDatabase;
let other: Client;
const opened: PooledDatabase[] = [];
let schema = '';
let schemas = 0;

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(async () => {
  schemas += 1;
  schema = `migrated_${schemas}`;
  other = new Client({ connectionString: database.url, application_name: 'another process' });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  for (const one of opened.splice(0)) await one.destroy();
});
afterAll(() => database.drop());

function knowing(...migrations: (new () => MigrationInterface)[]): PooledDatabase {
  const { url } = database;
  const made = createDataSource({
    url,
    schema,
    migrations,
    poolSize: 1,
    applicationName: 'spec',
    limits: LIMITS,
  });
  opened.push(made);
  return made;
}

it('lets a migration take longer than any other statement may', async () => {
  expect(await migrate(knowing(Table1700000000001, Slow1700000000002))).toEqual([
    'Table1700000000001',
    'Slow1700000000002',
  ]);
});

it('waits for the process that migrates, beyond the limit of a statement, and says who it is', async () => {
  await other.query('select pg_advisory_lock(hashtext($1))', [`carillon migrate ${schema}`]);
  const calls: string[] = [];
  const waiting = migrate(knowing(Table1700000000001), {
    lockTimeoutMs: 80,
    waiting: (words) => void calls.push(words),
  });
  await eventually(() => calls.length >= 4);
  expect(calls[0]).toMatch(
    new RegExp(
      `^waiting for the process that migrates ${schema}: another process from .+\\(pid \\d+, connected since `,
    ),
  );
  await other.query('select pg_advisory_unlock_all()');
  expect(await waiting).toEqual(['Table1700000000001']);
});

it('undoes a migration that waits for a table in use, for others wait behind it', async () => {
  await migrate(knowing(Table1700000000001));
  await other.query('BEGIN');
  await other.query(`select from ${schema}.thing`);
  const source = knowing(Table1700000000001, Column1700000000003);
  await expect(migrate(source, { lockTimeoutMs: 50 })).rejects.toThrow('a table that is in use');
  expect(await source.query(`select to_regclass('made_before') as made`)).toEqual([{ made: null }]);
  await other.query('COMMIT');
  expect(await migrate(source, { lockTimeoutMs: 50 })).toEqual(['Column1700000000003']);
});

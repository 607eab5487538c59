import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { functionsOf, installFunctions } from '../../migrations/install-functions.js';
import { createDataSource } from '../../src/platform/database/database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { projectRoot } from '../../tools/project.js';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';

let database: TestDatabase;
let source: PooledDatabase;
const folder = mkdtempSync(join(tmpdir(), 'carillon-functions-'));

beforeAll(async () => {
  database = await cloneDatabase();
  const schema = 'installed';
  source = createDataSource({
    url: database.url,
    schema,
    migrations: [],
    poolSize: 1,
    applicationName: 'installed',
  });
  await source.initialize();
  await source.query(`create schema ${schema}`);
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const put = (name: string, statements: string): void =>
  writeFileSync(join(folder, `${name}.sql`), statements);

it('finds the functions beside package.json, from source and from dist/', async () => {
  const compiled = (await import(
    join(projectRoot, 'dist/migrations/install-functions.js')
  )) as typeof import('../../migrations/install-functions.js');
  const expected = join(projectRoot, 'sql', 'push-service', 'functions');
  expect([functionsOf('push-service'), compiled.functionsOf('push-service')]).toEqual([expected, expected]);
});

it('installs a function with its trigger, in the order given, and anew when the file has changed', async () => {
  // The body of one written in SQL is read at once: what it calls must be there.
  put(
    'quadruple',
    'create or replace function quadruple(n integer) returns integer return double(double(n));',
  );
  put('double', 'create or replace function double(n integer) returns integer return n * 2;');
  put(
    'keep_doubled',
    `-- Locks nothing.
create or replace function keep_doubled() returns trigger language plpgsql as $$
begin
  new.n := quadruple(new.n);
  return new;
end $$;
create or replace trigger item_doubled before insert on item for each row execute function keep_doubled();`,
  );
  await source.query('create table item (n integer)');
  await source.transaction(async (sql) => {
    await installFunctions(sql, folder, ['double', 'quadruple', 'keep_doubled']);
    put('double', 'create or replace function double(n integer) returns integer return n * 20;');
    await installFunctions(sql, folder, ['double', 'keep_doubled']);
  });
  expect(await source.query('insert into item values (1) returning n')).toEqual([{ n: 400 }]);
});

it('names the file that the database refuses, and the one that is not there', async () => {
  put('wrong', 'create function wrong() returns integer return missing();');
  await expect(installFunctions(source, folder, ['wrong'])).rejects.toThrow(
    /wrong\.sql cannot be installed: .*missing\(\) does not exist/,
  );
  await expect(installFunctions(source, folder, ['absent'])).rejects.toThrow('absent.sql');
});

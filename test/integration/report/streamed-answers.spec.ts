// An answer that is too large to be held: what its reader does, and what fails on the way.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource, type Database, type Sql } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { streamInSnapshot } from '../../../src/platform/database/snapshot.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually, throughout } from '../../support/eventually.js';

let database: TestDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = createDataSource({
    url: database.url,
    schema: 'scheduler',
    migrations: [],
    poolSize: 3,
    applicationName: 'stream spec',
  });
  await sql.initialize();
  await sql.query('create table line (n int)');
});
afterAll(async () => {
  await sql.destroy();
  await database.drop();
});

const KB = 'x'.repeat(1_024);
/** More than the stream, the socket and everything between hold. */
const MANY = 20_000;

/** Whether a moment is still held by this spec. */
async function isHeld(): Promise<boolean> {
  const held = await sql.query(
    `select from pg_stat_activity where application_name = 'stream spec' and pid <> pg_backend_pid() and xact_start is not null`,
  );
  return held.length > 0;
}

let made = 0;
async function* many(): AsyncGenerator<string> {
  for (made = 0; made < MANY; made += 1) yield KB;
}

it('gives all texts, of one moment', async () => {
  await sql.query('insert into line select generate_series(1, 3)');
  const lines = async (tx: Sql): Promise<number> => (await tx.query('select n from line')).length;
  const stream = await streamInSnapshot(sql, async function* (tx) {
    yield `${await lines(tx)} `;
    await sql.query('insert into line values (4)');
    yield `${await lines(tx)}`;
  });
  expect(await text(stream)).toBe('3 3');
  await eventually(async () => expect(await isHeld()).toBe(false));
});

it('fails as its generator does before the first text', async () => {
  const refusal = new Error('no such campaign');
  await expect(
    // eslint-disable-next-line require-yield
    streamInSnapshot(sql, async function* () {
      throw refusal;
    }),
  ).rejects.toBe(refusal);
});

it('fails before the first text in the words of the database that it is read from', async () => {
  const error = new Error('ask again');
  const reports: Pick<Database, 'transaction'> = {
    transaction: (work) =>
      sql.transaction(work).catch(() => {
        throw error;
      }),
  };
  await expect(
    streamInSnapshot(reports, async function* (tx) {
      await tx.query('select 1 / 0');
      yield KB;
    }),
  ).rejects.toBe(error);
});

it('makes no more than its reader takes', async () => {
  const stream = await streamInSnapshot(sql, many);
  await throughout(200, () => expect(made).toBeLessThan(200));
  expect((await text(stream)).length).toBe(MANY * KB.length);
});

it('cuts its reader off by what fails later', async () => {
  const stream = await streamInSnapshot(sql, async function* (tx) {
    yield KB;
    await tx.query('select 1 / 0');
  });
  await expect(text(stream)).rejects.toThrow('division by zero');
  await eventually(async () => expect(await isHeld()).toBe(false));
});

it('ends its moment once the reader has gone', async () => {
  const stream = await streamInSnapshot(sql, many);
  expect(await isHeld()).toBe(true);
  stream.destroy();
  await eventually(async () => expect(await isHeld()).toBe(false));
});

it.each([
  ['stands still', { stallMs: 50, wholeMs: 600_000 }],
  ['is too slow', { stallMs: 600_000, wholeMs: 50 }],
])('cuts a reader off that %s', async (_, limits) => {
  const stream = await streamInSnapshot(sql, many, limits);
  const [error] = (await once(stream, 'error')) as [Error];
  expect(error.name).toBe('AbortError');
  await eventually(async () => expect(await isHeld()).toBe(false));
});

// The way of a statement past TypeORM's query runner: what it answers, what it throws, and what becomes of its connection.
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { prepared } from '../../../src/platform/database/pooled-database.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';

let database: TestDatabase;
let source: PooledDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  source = createDataSource({
    url: database.url,
    schema: 'public',
    migrations: [],
    // One connection: what one statement leaves behind, the next one meets.
    poolSize: 1,
    applicationName: 'pooled statements',
  });
  await source.initialize();
  await source.query('create table thing (id int primary key, name text)');
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

const pid = async (): Promise<number> =>
  (await source.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid ?? 0;

it('answers rows of every kind of statement', async () => {
  expect(await source.query("insert into thing values (1, 'a'), (2, 'b') returning id")).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
  expect(await source.query("update thing set name = 'c' where id = $1 returning name", [2])).toEqual([
    { name: 'c' },
  ]);
  expect(await source.query("update thing set name = 'd' where id = 2 returning name")).toEqual([
    { name: 'd' },
  ]);
  expect(await source.query('delete from thing where id = 3')).toEqual([]);
  expect(await source.query('select 1; select 2')).toEqual([]);
});

it('sees inside a transaction what the transaction did, and undoes it with it', async () => {
  const undone = source.transaction(async (sql) => {
    await sql.query("insert into thing values ($1, 'in')", [10]);
    expect(await sql.query('select name from thing where id = 10')).toEqual([{ name: 'in' }]);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await source.query('select name from thing where id = 10')).toEqual([]);
});

it('throws a refused statement with its code, and keeps the connection', async () => {
  const before = await pid();
  const refused: unknown = await source
    .query("insert into thing values (1, 'again')")
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: '23505', constraint: 'thing_pkey' });
  expect(await pid()).toBe(before);
});

it('fails the statement whose connection is cut, and only that one', async () => {
  const before = await pid();
  await expect(source.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({
    code: '57P01',
  });
  expect(await pid()).not.toBe(before);
});

it('does not stay connected to a server that only reads', async () => {
  const before = await pid();
  await source.query('set default_transaction_read_only = on');
  const write = (id: number) => source.query('insert into thing values ($1)', [id]);
  await expect(write(20)).rejects.toMatchObject({ code: '25006' });
  expect(await pid()).not.toBe(before);
  await write(20);
  await source.query('set default_transaction_read_only = on');
  const within = source.transaction((sql) => sql.query('insert into thing values (21)'));
  await expect(within).rejects.toMatchObject({ code: '25006' });
  await write(21);
});

it('parses a prepared statement once a connection, in a transaction and out of it', async () => {
  const text = prepared('select name from thing where id = $1::int');
  for (const id of [1, 2, 1]) expect(await source.query(text, [id])).toHaveLength(1);
  await source.transaction((sql) => sql.query(text, [1]));
  expect(
    await source.query('select custom_plans + generic_plans as plans from pg_prepared_statements'),
  ).toEqual([{ plans: '4' }]);
});

it('does not hand out a connection again whose statement was given up', async () => {
  const impatient = createDataSource({
    url: database.url,
    limits: { answerMs: 500 },
    schema: 'public',
    migrations: [],
    poolSize: 1,
    applicationName: 'given up statements',
  });
  await impatient.initialize();
  try {
    await expect(impatient.query('select pg_sleep(60)')).rejects.toThrow('Query read timeout');
    // On a busy machine this takes as long now and then; behind pg_sleep it would for a minute.
    await eventually(async () => expect(await impatient.query('select 1 as one')).toEqual([{ one: 1 }]), {
      withinMs: 30_000,
    });
  } finally {
    await impatient.destroy();
  }
});

it('outlives a server that greets and ends a connection in one breath', async () => {
  const message = (type: string, body: Buffer | string): Buffer => {
    const content = Buffer.from(body);
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(content.length + 4, 1);
    return Buffer.concat([head, content]);
  };
  // As a server does that has to end a connection it has just taken: welcome, ready, and 57P01.
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          message('R', Buffer.alloc(4)),
          message('Z', 'I'),
          message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
        ]),
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const other = createDataSource({
    url: `postgres://user:word@127.0.0.1:${port}/db`,
    schema: 'public',
    migrations: [],
    poolSize: 1,
    applicationName: 'a short welcome',
  });
  // Unheard, the event would end this process.
  await expect(other.initialize()).rejects.toThrow(/[Cc]onnection/);
  await new Promise((resolve) => server.close(resolve));
});

it.each([
  ['datestyle', "'SQL, DMY'"],
  ['intervalstyle', "'sql_standard'"],
  ['extra_float_digits', '-5'],
  ['array_nulls', 'off'],
  ['standard_conforming_strings', 'off'],
  ['timezone', "'America/St_Johns'"],
])('reads and writes the same where the database has a %s of its own', async (name, value) => {
  const values = `select '2027-03-04T05:06:07.089Z'::timestamptz as at, '2027-03-04'::date::text as day, interval '1 day 2 hours'::text as lasts,
    '\\001\\377'::bytea as bytes, 0.1::float8 + 0.2 as number, $1::text[] as words, '\\x'::text as text`;
  const own = createDataSource({ ...source.options });
  const expected = await source.query(values, [['a', null]]);
  await source.query(`alter database ${new URL(database.url).pathname.slice(1)} set ${name} to ${value}`);
  try {
    expect(await own.query(values, [['a', null]])).toEqual(expected);
    expect(expected).toMatchObject([{ at: new Date('2027-03-04T05:06:07.089Z'), words: ['a', null] }]);
  } finally {
    await source.query(`alter database ${new URL(database.url).pathname.slice(1)} reset ${name}`);
    await own.destroy();
  }
});

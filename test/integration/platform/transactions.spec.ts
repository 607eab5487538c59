// What becomes of a transaction, and of its connection, where a statement outlasts its limit, an answer never comes or the
// line is cut: nothing of it stands, it is said, and whoever asks next has a connection without a trace of it.
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { isDatabaseAway, passesByItself } from '../../../src/platform/database/database-away.js';
import { createDataSource, type Sql } from '../../../src/platform/database/database.js';
import type { DatabaseLimits, PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { JoinedDatabase, RequestTransaction } from '../../../src/platform/database/request-transaction.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';

const NAME = 'transactions';
/** No limit of the server's comes before the client's. */
const LATE_SERVER = { statementMs: 60_000, answerMs: 150 };

let database: TestDatabase;
/** Looks on from outside. */
let watcher: Client;
const opened: PooledDatabase[] = [];
const stopped = new Set<number>();

beforeAll(async () => {
  database = await cloneDatabase();
  watcher = new Client({ connectionString: database.url });
  await watcher.connect();
  await watcher.query('create table thing (name text primary key)');
});
afterEach(async () => {
  for (const backend of stopped) goOn(backend);
  for (const one of opened.splice(0)) await one.destroy();
  await watcher.query('truncate thing');
});
afterAll(async () => {
  await watcher.end();
  await database.drop();
});

/** Of one connection by default: what one user leaves behind, the next one meets. */
async function open(limits: Partial<DatabaseLimits>, poolSize = 1): Promise<PooledDatabase> {
  const { url } = database;
  const made = createDataSource({
    url,
    schema: 'public',
    migrations: [],
    poolSize,
    applicationName: NAME,
    limits,
  });
  opened.push(made);
  return made.initialize();
}

const add = (sql: Sql, name: string): Promise<unknown> => sql.query('insert into thing values ($1)', [name]);

async function pidOf(sql: Sql): Promise<number> {
  return (await sql.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid ?? 0;
}

/** What others can see. */
async function committed(): Promise<string[]> {
  const { rows } = await watcher.query<{ name: string }>('select name from thing order by name');
  return rows.map(({ name }) => name);
}

async function backends(): Promise<{ pid: number; state: string }[]> {
  const { rows } = await watcher.query<{ pid: number; state: string }>(
    'select pid, state from pg_stat_activity where datname = current_database() and application_name = $1',
    [NAME],
  );
  return rows;
}

const isGone = async (pid: number): Promise<boolean> => !(await backends()).some((one) => one.pid === pid);

/** The server is there and says nothing. */
function fallSilent(backend: number): void {
  stopped.add(backend);
  process.kill(backend, 'SIGSTOP');
}

function goOn(backend: number): void {
  stopped.delete(backend);
  process.kill(backend, 'SIGCONT');
}

/** The next user's connection is in no transaction: what it writes stands at once. */
async function expectNoTrace(source: PooledDatabase): Promise<void> {
  await add(source, 'next');
  expect(await committed()).toContain('next');
  expect(
    await source.query(
      'select pg_current_xact_id_if_assigned() as xact, now() = statement_timestamp() as own',
    ),
  ).toEqual([{ xact: null, own: true }]);
}

it('undoes a transaction whose statement outlasts the client, and nobody ever runs inside it', async () => {
  const source = await open(LATE_SERVER);
  let backend = 0;
  const late = source.transaction(async (sql) => {
    backend = await pidOf(sql);
    await add(sql, 'undone');
    // Over once the client has given up its answer, and that of a ROLLBACK behind it.
    await sql.query('select pg_sleep(0.4)');
  });
  await expect(late).rejects.toThrow('Query read timeout');
  await eventually(
    async () => !(await backends()).some(({ pid, state }) => pid === backend && state === 'active'),
  );
  await expectNoTrace(source);
  expect(await committed()).toEqual(['next']);
  expect(await pidOf(source)).not.toBe(backend);
});

it('does not hide a statement that was given up behind what its caller makes of it', async () => {
  const source = await open(LATE_SERVER);
  const late = source.transaction(async (sql) => {
    await add(sql, 'undone');
    await sql.query('select pg_sleep(0.4)').catch(() => undefined);
  });
  await expect(late).rejects.toThrow('the connection is lost: the transaction was rolled back');
  await expectNoTrace(source);
  expect(await committed()).toEqual(['next']);
});

it('throws what the work threw where its ROLLBACK is not answered, and never uses the connection again', async () => {
  const source = await open(LATE_SERVER);
  let backend = 0;
  const undone = source.transaction(async (sql) => {
    await add(sql, 'undone');
    backend = await pidOf(sql);
    fallSilent(backend);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await expectNoTrace(source);
  goOn(backend);
  await eventually(() => isGone(backend));
  expect(await committed()).toEqual(['next']);
});

it('throws where the COMMIT is not answered, for its fate is not known, and never uses the connection again', async () => {
  const source = await open(LATE_SERVER);
  let backend = 0;
  const unknown = source.transaction(async (sql) => {
    backend = await pidOf(sql);
    fallSilent(backend);
  });
  await expect(unknown).rejects.toThrow('Query read timeout');
  await expectNoTrace(source);
  goOn(backend);
  await eventually(() => isGone(backend));
});

it.each(['while nothing is asked', 'in a statement'])('throws where the line is cut %s', async (when) => {
  const source = await open({});
  let backend = 0;
  const cut = source.transaction(async (sql) => {
    await add(sql, 'undone');
    backend = await pidOf(sql);
    const asked = when === 'in a statement' ? sql.query('select pg_sleep(60)') : Promise.resolve();
    asked.catch(() => undefined);
    await watcher.query('select pg_terminate_backend($1)', [backend]);
    await eventually(() => isGone(backend));
    await asked;
  });
  expect(isDatabaseAway(await cut.catch((error: unknown) => error))).toBe(true);
  await expectNoTrace(source);
  expect(await committed()).toEqual(['next']);
});

it('lets the server end a statement first, and keeps the connection', async () => {
  const source = await open({ statementMs: 100 });
  const before = await pidOf(source);
  const late = source.transaction(async (sql) => {
    await add(sql, 'undone');
    await sql.query('select pg_sleep(60)');
  });
  await expect(late).rejects.toMatchObject({ code: '57014' });
  await expectNoTrace(source);
  expect(await pidOf(source)).toBe(before);
});

it('has the server end a transaction whose owner has stopped asking', async () => {
  const source = await open({ idleInTransactionMs: 100 });
  let backend = 0;
  const asleep = source.transaction(async (sql) => {
    await add(sql, 'undone');
    backend = await pidOf(sql);
    await eventually(() => isGone(backend));
  });
  expect(passesByItself(await asleep.catch((error: unknown) => error))).toBe(true);
  await expectNoTrace(source);
  expect(await committed()).toEqual(['next']);
});

it('has the server end a statement whose client is gone', async () => {
  const source = await open({ ...LATE_SERVER, connectionCheckMs: 50 });
  await expect(source.query('select pg_sleep(60)')).rejects.toThrow('Query read timeout');
  await eventually(async () => (await backends()).length === 0);
});

it('does not call done what the database rolled back', async () => {
  const source = await open({});
  await add(source, 'there');
  const half = source.transaction(async (sql) => {
    await add(sql, 'undone');
    await add(sql, 'there').catch(() => undefined);
  });
  await expect(half).rejects.toThrow('rolled back');
  expect(await committed()).toEqual(['there']);
});

it('does a transaction again that the database ended for another with which it was in a deadlock', async () => {
  const source = await open({}, 2);
  await add(source, 'a');
  await add(source, 'b');
  const lock = (sql: Sql, name: string) => sql.query('select from thing where name = $1 for update', [name]);
  let tries = 0;
  let locked = 0;
  const sides = ['ab', 'ba'].map(([first = '', second = '']) =>
    source.transaction(async (sql) => {
      tries += 1;
      await lock(sql, first);
      locked += 1;
      await eventually(() => Promise.resolve(locked >= 2));
      await lock(sql, second);
      await add(sql, `by ${first}`);
    }),
  );
  await Promise.all(sides);
  // On a busy machine both may be ended, each once.
  expect(tries).toBeGreaterThan(2);
  expect(await committed()).toEqual(['a', 'b', 'by a', 'by b']);
});

it('does not commit a request anew whose commit the database undid: its parts are over', async () => {
  const source = await open({});
  await watcher.query(
    `create function undo_it() returns trigger language plpgsql as $$ begin
       raise 'for another' using errcode = '40P01'; end $$`,
  );
  await watcher.query(
    `create constraint trigger undo_it after insert on thing deferrable initially deferred
       for each row execute function undo_it()`,
  );
  try {
    const request = new RequestTransaction(() => Promise.resolve());
    const joined = new JoinedDatabase(source);
    await request.within(() => joined.transaction((sql) => add(sql, 'undone')));
    await expect(request.commit({})).rejects.toThrow('the commit was undone');
  } finally {
    await watcher.query('drop trigger undo_it on thing; drop function undo_it');
  }
  expect(await committed()).toEqual([]);
});

it('refuses statements of a transaction that is over', async () => {
  const source = await open({});
  const kept = await source.transaction(async (sql) => sql);
  await expect(kept.query('select 1')).rejects.toThrow('is over');
});

it('does not hand on a transaction that a bare statement opened', async () => {
  const source = await open({});
  await source.query('BEGIN');
  await expectNoTrace(source);
  expect(await committed()).toEqual(['next']);
});

it('runs at READ COMMITTED, whatever the settings of the database are', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await watcher.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  const source = await open({});
  expect(await source.transaction((sql) => sql.query('SHOW transaction_isolation'))).toEqual([
    { transaction_isolation: 'read committed' },
  ]);
  await watcher.query(`ALTER DATABASE ${name} RESET default_transaction_isolation`);
});

it('loses no place of the pool, however transactions end', async () => {
  const source = await open(LATE_SERVER, 2);
  const ends = [
    async () => undefined,
    (sql: Sql) => sql.query('select pg_sleep(0.3)'),
    (sql: Sql) => sql.query('select 1 / 0'),
    (sql: Sql) => sql.query('select pg_terminate_backend(pg_backend_pid())'),
    () => Promise.reject(new Error('undo')),
  ];
  await Promise.allSettled([...ends, ...ends, ...ends].map((end) => source.transaction<unknown>(end)));
  const pids = await Promise.all([1, 2].map(() => source.transaction((sql) => pidOf(sql))));
  expect(new Set(pids).size).toBe(2);
  await eventually(async () => (await backends()).length === 2);
});

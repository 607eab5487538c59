// A PostgreSQL that is too old: neither service begins with it nor changes anything in it, and each says so. The server
// is the real one; its version is changed on the wire.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { examineDatabase } from '../../../src/cli/examine-database.js';
import { DatabaseGate } from '../../../src/platform/database/database-gate.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { Secret } from '../../../src/platform/env.js';
import { createLog, type Log } from '../../../src/platform/logging/log.js';
import { Loops } from '../../../src/platform/loops/loops.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { bringUpToDate, pushDataSource } from '../../../src/push-service/push.database.js';
import { cloneDatabase, onCluster, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { TcpProxy } from '../../support/peers/tcp-proxy.js';

const REFUSAL = /^PostgreSQL .+ is too old: 16 or newer is needed$/;

let database: TestDatabase;
let proxy: TcpProxy;
let url: string;
let real: string;

const source = (schema: string): PooledDatabase =>
  createDataSource({
    url,
    schema,
    migrations: schedulerMigrations,
    poolSize: 2,
    applicationName: 'database version',
  });

beforeAll(async () => {
  database = await cloneDatabase();
  proxy = await TcpProxy.inFrontOf(database.url);
  url = proxy.through(database.url);
  const asked = await source('public').initialize();
  const [server] = await asked.query<{ number: string }>(
    `select current_setting('server_version_num') as number`,
  );
  real = server?.number ?? '';
  await asked.destroy();
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
});
beforeEach(() => proxy.show([real, '159999']));

interface Start {
  readonly logged: string[];
  readonly log: Log;
  readonly loops: Loops;
  rounds: number;
}

function begin(): Start {
  const logged: string[] = [];
  const log = createLog('scheduler', 'info', { write: (line: string) => void logged.push(line) });
  const loops = new Loops(log);
  const start: Start = { logged, log, loops, rounds: 0 };
  const runOnce = async (): Promise<number> => {
    start.rounds += 1;
    return 0;
  };
  loops.add({ name: 'work', idleMs: 60_000, runOnce });
  return start;
}

const NO_OUTAGE = { finding: () => undefined };

describe('PostgreSQL 15', () => {
  it('lets the push service begin no work, until it is a newer one', async () => {
    const start = begin();
    const { loops, log } = start;
    const push = new DatabaseGate({
      database: pushDataSource(new Secret(url), 2),
      loops,
      outages: NO_OUTAGE,
      log,
      prepare: (to) => bringUpToDate(to, new Date()),
    });
    await expect(push.runOnce()).rejects.toThrow(REFUSAL);
    push.start();
    expect(await push.finding()).toMatch(REFUSAL);
    await eventually(() => start.logged.some((line) => line.includes('is too old: 16 or newer is needed')));
    expect(start.rounds).toBe(0);
    proxy.show();
    await eventually(async () => (await push.finding()) === undefined && start.rounds > 0);
    await start.loops.stop();
    await push.stop();
    await push.close();
  });

  it('lets the scheduler begin no work, until it is a newer one', async () => {
    const start = begin();
    const gate = new DatabaseGate({
      database: source('scheduler'),
      loops: start.loops,
      outages: NO_OUTAGE,
      log: start.log,
    });
    await expect(gate.runOnce()).rejects.toThrow(REFUSAL);
    expect(await gate.finding()).toMatch(REFUSAL);
    expect(start.rounds).toBe(0);
    proxy.show();
    await gate.runOnce();
    expect(await gate.finding()).toBeUndefined();
    await start.loops.stop();
    await gate.close();
  });

  it('is not migrated, not even its schema is made', async () => {
    const old = await source('never_made').initialize();
    await expect(migrate(old)).rejects.toThrow(REFUSAL);
    expect(await old.query(`select from pg_namespace where nspname = 'never_made'`)).toEqual([]);
    await old.destroy();
  });

  it('is what the doctor finds wrong', async () => {
    const old = source('scheduler');
    const [line] = await examineDatabase(old);
    expect(line).toMatchObject({
      ok: false,
      text: expect.stringContaining('is too old: 16 or newer is needed'),
    });
    await old.destroy();
  });
});

describe('a database that is not in UTF-8', () => {
  const NAME = 'spec_latin1';
  const WORDS = /^the database's encoding is LATIN1, .*: UTF8 is needed/;

  beforeAll(async () => {
    await onCluster(`create database ${NAME} encoding 'LATIN1' locale 'C' template template0`);
    const latin = new URL(database.url);
    latin.pathname = `/${NAME}`;
    url = latin.href;
  });
  afterAll(async () => {
    await onCluster(`drop database if exists ${NAME} with (force)`);
  });

  it('is not migrated, and migrate says so in words', async () => {
    const latin = await source('never_made').initialize();
    await expect(migrate(latin)).rejects.toThrow(WORDS);
    expect(await latin.query(`select from pg_namespace where nspname = 'never_made'`)).toEqual([]);
    await latin.destroy();
  });

  it('is what the doctor finds wrong', async () => {
    const latin = source('scheduler');
    const [line] = await examineDatabase(latin);
    expect(line).toMatchObject({ name: 'database', ok: false, text: expect.stringMatching(WORDS) });
    await latin.destroy();
  });
});

// Reports read from a replica: a second PostgreSQL that streams from the first. Figures say as of when they are, and a fault of the
// replica disturbs only reports.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { examineDatabase } from '../../../src/cli/examine-database.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import { startPostgres, type RunningPostgres } from '../../../tools/postgres.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const scratch = mkdtempSync(join(tmpdir(), 'carillon-replica-'));
let primary: RunningPostgres;
let replica: RunningPostgres;
let url: string;
let scheduler: TestScheduler;
let authorization: string;

beforeAll(async () => {
  primary = await startPostgres({ stateDir: join(scratch, 'primary'), durable: false });
  url = await primary.ensureDatabase('carillon');
  const source = ownConnection();
  await migrate(source);
  await source.destroy();
  replica = await replicaOf(primary);
  const reports = new URL(url);
  reports.port = String(replica.port);
  scheduler = await startScheduler(
    schedulerConfig(url, { DATABASE_REPORT_URL: reports.href, CARILLON_ROLES: 'api' }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  authorization = await scheduler.bearer(['admin', 'analyst', 'publisher']);
}, 60_000);
afterAll(async () => {
  await scheduler.close();
  await replica.remove();
  await primary.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const ownConnection = () =>
  createDataSource({
    url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 1,
    applicationName: 'replica spec',
  });

/** A copy of its files while it runs, which then streams from it (PostgreSQL manual, 25.3.3). */
async function replicaOf(source: RunningPostgres): Promise<RunningPostgres> {
  const copy = await startPostgres({
    stateDir: join(scratch, 'replica'),
    durable: false,
    settings: { primary_conninfo: source.url },
  });
  await copy.stop();
  const client = new Client({ connectionString: source.url });
  await client.connect();
  await client.query("select pg_backup_start('replica', true)");
  rmSync(copy.dataDir, { recursive: true });
  execFileSync('cp', ['-a', source.dataDir, copy.dataDir]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  rmSync(join(copy.dataDir, 'postmaster.pid'));
  const { uid, gid } = statSync(source.dataDir);
  for (const [name, text] of [
    ['backup_label', rows[0]?.labelfile ?? ''],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(copy.dataDir, name), text);
    chownSync(join(copy.dataDir, name), uid, gid);
  }
  await copy.restart();
  return copy;
}

async function asked(statement: string, server = replica): Promise<unknown> {
  const client = new Client({
    connectionString: primary.url.replace(`:${primary.port}/`, `:${server.port}/`),
  });
  await client.connect();
  try {
    return (await client.query<{ answer: unknown }>(statement)).rows[0]?.answer;
  } finally {
    await client.end();
  }
}

/** Refused, and counted: there is no such campaign. */
async function event(): Promise<number> {
  const body = {
    specversion: '1.0',
    id: v7(),
    source: '/replica',
    type: 'carillon.campaign.canceled.v1',
    subject: 'a-campaign',
    time: new Date().toISOString(),
    data: { serviceId: 'shop-app' },
  };
  return (await scheduler.call('POST', '/v1/events', { authorization, body })).status;
}

interface Read {
  readonly asOf: string;
  readonly events: { readonly left: number };
}
async function ledger(): Promise<Read> {
  const { status, body } = await scheduler.call('GET', '/v1/ledger', { authorization });
  expect(status).toBe(200);
  return body as Read;
}

/** What health and the doctor say of the standby. */
async function standbyLines(): Promise<unknown[]> {
  const source = ownConnection();
  try {
    const { body } = await scheduler.call('GET', '/health/ready', { authorization });
    const { checks } = body as { readonly checks: readonly { readonly name: string }[] };
    return [checks, await examineDatabase(source)].map((lines) =>
      lines.find(({ name }) => name === 'standby'),
    );
  } finally {
    await source.destroy();
  }
}

async function setOnPrimary(name: string, value: string): Promise<void> {
  await asked(`alter system set ${name} = '${value}'`, primary);
  await asked('select pg_reload_conf() as answer', primary);
}

describe('a standby', () => {
  const unwaited = expect.stringMatching(
    /^1 standby is attached, but no commit waits for it: .* set synchronous_standby_names/,
  );
  const line = { name: 'standby', ok: false, text: unwaited };

  it('that no commit waits for is a note of health and a fault to the doctor', async () => {
    await eventually(async () => expect(await standbyLines()).toEqual([{ ...line, note: true }, line]));
  });

  it('that commits wait for is well', async () => {
    await setOnPrimary('synchronous_standby_names', '*');
    await eventually(async () =>
      expect(await standbyLines()).toEqual([
        { name: 'standby', ok: true, text: 'ok' },
        { name: 'standby', ok: true, text: 'commits wait for * (synchronous_commit is on)' },
      ]),
    );
    await setOnPrimary('synchronous_commit', 'local');
    await eventually(async () => expect(await standbyLines()).toEqual([{ ...line, note: true }, line]));
    await setOnPrimary('synchronous_commit', 'on');
    await setOnPrimary('synchronous_standby_names', '');
  });

  it('that is gone leaves a note, and nothing wrong', async () => {
    await replica.stop();
    const text = expect.stringMatching(
      /^no standby has a copy of the last commits: .*docs\/operate\/operations.md/,
    );
    const alone = { name: 'standby', note: true, text };
    await eventually(async () => expect(await standbyLines()).toMatchObject([alone, alone]));
    await replica.restart();
  });
});

it('shows figures of the replica, as of what it has replayed', async () => {
  expect(await event()).toBe(422);
  await eventually(async () => expect(await ledger()).toMatchObject({ events: { left: 1 } }));
  const fresh = await ledger();
  expect(Date.now() - Date.parse(fresh.asOf)).toBeLessThan(5_000);

  await asked('select pg_wal_replay_pause()::text as answer');
  await eventually(async () =>
    expect(await asked('select pg_get_wal_replay_pause_state() as answer')).toBe('paused'),
  );
  const before = Date.now();
  expect(await event()).toBe(422);
  await eventually(() =>
    asked('select pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() as answer').then(
      (answer) => answer === true,
    ),
  );
  const stale = await ledger();
  expect(stale.events.left).toBe(1);
  expect(Date.parse(stale.asOf)).toBeLessThan(before);

  await asked('select pg_wal_replay_resume()::text as answer');
  await eventually(async () => expect(await ledger()).toMatchObject({ events: { left: 2 } }));
});

it('goes on without the replica, and says that reports cannot be read', async () => {
  await replica.stop();
  const report = await scheduler.call('GET', '/v1/ledger', { authorization });
  expect(report).toMatchObject({ status: 503, body: { code: 'REPORTS_AWAY' } });
  expect(report.headers.get('retry-after')).toBe('5');
  expect(await event()).toBe(422);
  expect(await scheduler.call('GET', '/health/ready', { authorization })).toMatchObject({
    status: 200,
    body: {
      checks: expect.arrayContaining([
        { name: 'reports', ok: false, note: true, text: expect.stringContaining('DATABASE_REPORT_URL') },
      ]),
    },
  });
  await replica.restart();
  await eventually(async () => expect(await ledger()).toMatchObject({ events: { left: 3 } }));
});

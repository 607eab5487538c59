// What the benches of the push service stand on: a durable PostgreSQL of its own, the compiled service and the bare
// route, each a process of its own. The one that is not being measured is idle.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { startPostgres, type RunningPostgres } from '../../tools/postgres.js';
import { OwnedProcess } from '../../tools/process/owned-process.js';
import { NODE_OPTIONS } from '../../tools/house/node-options.js';
import { projectRoot } from '../../tools/project.js';
import type { BareSettings } from './bare-route.js';

export interface Account {
  readonly serviceId: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface Stage {
  readonly serviceUrl: string;
  readonly management: { readonly url: string; readonly token: string };
  /** The service's process. */
  readonly servicePid: number;
  readonly bareUrl: string;
  readonly account: Account;
  /** The server. Others may have databases of their own in it. */
  readonly postgres: RunningPostgres;
  /** A connection of its own, with the service's schema on its path. */
  readonly sql: Client;
  /** Version of PostgreSQL and what makes it durable, in words. */
  readonly database: string;
  close(): Promise<void>;
}

/** The size of the service's pool and of the bare route's pool. */
const POOL_SIZE = 10;

const Made = z.object({
  service: z.object({ serviceId: z.string() }),
  key: z.object({ accessKey: z.string(), secretKey: z.string() }),
});

/** `env`: further variables of the service; `settings`: of postgresql.conf. */
export async function openStage(
  env: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const stateDir = mkdtempSync(join(tmpdir(), 'carillon-bench-'));
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    const postgres = await startPostgres({ stateDir, settings });
    closers.push(() => postgres.remove());
    return await build(stateDir, postgres, env, { closers, close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Closing {
  readonly closers: (() => Promise<unknown>)[];
  readonly close: () => Promise<void>;
}

async function build(
  stateDir: string,
  postgres: RunningPostgres,
  env: Readonly<Record<string, string>>,
  { closers, close }: Closing,
): Promise<Stage> {
  const databaseUrl = await postgres.ensureDatabase('bench');
  const token = randomBytes(24).toString('base64url');
  const service = await startProgram(closers, join(stateDir, 'service.log'), 'src/push-service/main.js', {
    DATABASE_URL: databaseUrl,
    PUSH_DATABASE_POOL: String(POOL_SIZE),
    PUSH_DEFAULT_RATE: '1000000',
    PUSH_PORT: '0',
    MANAGEMENT_PORT: '0',
    PUSH_METRICS_PORT: '0',
    MANAGEMENT_TOKEN: token,
    CARILLON_MASTER_KEY: `bench:${randomBytes(32).toString('base64')}`,
    CARILLON_SANDBOX: 'true',
    ...env,
  });
  const account = await newAccount(service.managementUrl ?? '', token);
  const sql = new Client({ connectionString: databaseUrl, options: '-c search_path=push' });
  await sql.connect();
  closers.push(() => sql.end());
  await sql.query('create table bare_message (like message INCLUDING all)');
  const settings: BareSettings = { databaseUrl, poolSize: POOL_SIZE, ...account };
  const bare = await startProgram(closers, join(stateDir, 'bare.log'), 'bench/push-service/bare-route.js', {
    BARE_SETTINGS: JSON.stringify(settings),
  });
  const { rows } = await sql.query<{ said: string }>(
    `select format('PostgreSQL %s, fsync %s, synchronous_commit %s', current_setting('server_version'),
                   current_setting('fsync'), current_setting('synchronous_commit')) as said`,
  );
  return {
    serviceUrl: service.url,
    management: { url: service.managementUrl ?? '', token },
    servicePid: service.pid,
    bareUrl: bare.url,
    account,
    postgres,
    sql,
    database: rows[0]?.said ?? '',
    close,
  };
}

const Up = z.object({ url: z.string(), managementUrl: z.string().optional(), ca: z.string().optional() });

/** Started as the service is, whichever it is, so that what is compared has the same of Node. Up once it has said where. */
export async function startProgram(
  closers: (() => Promise<unknown>)[],
  logFile: string,
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<z.output<typeof Up> & { readonly pid: number }> {
  const child = await OwnedProcess.start({
    command: process.execPath,
    args: [...NODE_OPTIONS['push-service'], join(projectRoot, 'dist', program)],
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    logFile,
    stopSignal: 'SIGTERM',
  });
  closers.push(() => child.stop());
  for (;;) {
    const up = child.output.split('\n').find((line) => line.includes('"url"'));
    if (up !== undefined) return { ...Up.parse(JSON.parse(up)), pid: child.identity.pid };
    if (child.end !== undefined) throw new Error(`${program} ended with ${child.end}: ${child.output}`);
    await scheduler.wait(20);
  }
}

async function newAccount(managementUrl: string, token: string): Promise<Account> {
  const answer = await fetch(`${managementUrl}/v1/services`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  const { service, key } = Made.parse(await answer.json());
  return { serviceId: service.serviceId, ...key };
}

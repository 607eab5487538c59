import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../test/support/eventually.js';
import { holdPostgres, makeMiniProject } from '../test/support/runner/mini-project.js';
import { discardPostgres, startPostgres, type PostgresOptions, type RunningPostgres } from './postgres.js';
import { isReachableByAll } from './postgres/binaries.js';
import { freePort } from './process/free-port.js';
import { HeldError } from './process/hold.js';
import { identityOf, isRunning } from './process/identity.js';

const isRoot = process.getuid?.() === 0;
/** daemon: neither root nor nobody, and on every system, for initdb looks its user up. */
const ORDINARY = { uid: 1, gid: 1 };

let folder: string;
let stateDir: string;
const running: RunningPostgres[] = [];
const owners: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon postgres '));
  chmodSync(folder, 0o755);
  stateDir = join(folder, '.carillon');
});
afterEach(async () => {
  for (const pid of owners.splice(0)) if (identityOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
  // The last first: several may have had the same data, one after the other.
  for (const postgres of running.splice(0).toReversed()) await postgres.remove();
  await discardPostgres(stateDir);
  rmSync(folder, { recursive: true });
});

async function start(options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const postgres = await startPostgres({ stateDir, durable: false, ...options });
  running.push(postgres);
  return postgres;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('PostgreSQL of our own', () => {
  it('listens on 127.0.0.1 alone, asks for its password, and is gone when stopped', async () => {
    const postgres = await start();
    expect(await query(postgres.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    const guess = new URL(postgres.url);
    guess.password = 'guess';
    await expect(query(guess.href, 'select')).rejects.toThrow('password authentication failed');
    const { pid } = postgres;
    await postgres.stop();
    expect(identityOf(pid)).toBeUndefined();
  });

  it('writes through to the disk by default, and never as root', async () => {
    const postgres = await start({ durable: true });
    expect(await query(postgres.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    const hasty = await start({ stateDir: join(folder, 'hasty') });
    expect(await query(hasty.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
    expect(statSync(postgres.dataDir).uid).toBe(isRoot ? 65_534 : process.getuid?.());
  });

  it('keeps what names the cluster, with its password, to its owner', async () => {
    await start();
    expect((statSync(join(stateDir, 'postgres.json')).mode & 0o777).toString(8)).toBe('600');
  });

  it('has its data again after a stop and a start, on a port that is free then', async () => {
    const first = await start();
    const url = await first.ensureDatabase('kept');
    await query(url, 'create table mark as select 42 as answer');
    await first.stop();
    const second = await start();
    expect(await query(second.urlOf('kept'), 'select * from mark')).toEqual([{ answer: 42 }]);
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'comes back on the same port and data after %s',
    async (signal) => {
      const postgres = await start();
      const before = { pid: postgres.pid, port: postgres.port };
      await query(postgres.url, 'create table mark as select 42 as answer');
      process.kill(postgres.pid, signal);
      await postgres.restart();
      expect(postgres.port).toBe(before.port);
      expect(identityOf(before.pid)).toBeUndefined();
      expect(await query(postgres.url, 'select * from mark')).toEqual([{ answer: 42 }]);
    },
  );

  it('says which port is taken when it must have that one', async () => {
    // Nobody else draws it once the squatter is gone.
    const port = await freePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    await expect(start({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken`);
    squatter.close();
    expect((await start({ port })).port).toBe(port);
  });

  it('leaves a process alone that only has the number of an old one', async () => {
    const first = await start();
    await first.stop();
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    owners.push(stranger.pid ?? 0);
    writeFileSync(join(first.dataDir, 'postmaster.pid'), `${stranger.pid}\n${first.dataDir}\n`);
    const second = await start();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(identityOf(stranger.pid ?? 0)).toBeDefined();
  });

  it('removes everything it has made', async () => {
    const postgres = await startPostgres({ stateDir, durable: false });
    await postgres.remove();
    expect(existsSync(postgres.dataDir)).toBe(false);
    expect(readdirSync(stateDir)).toEqual(['postgres.log']);
  });
});

describe('PostgreSQL of our own, held by a process that is killed', () => {
  let project: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'carillon project '));
    makeMiniProject(project);
  });
  afterAll(() => rmSync(project, { recursive: true }));

  it('is refused to others while its owner lives, stopped once it is dead, and its data is kept', async () => {
    const held = await holdPostgres(project, stateDir);
    owners.push(held.owner.pid ?? 0);
    const left = identityOf(held.pid);
    await query(held.url, 'create table mark as select 42 as answer');
    await expect(startPostgres({ stateDir })).rejects.toThrow(HeldError);
    await expect(startPostgres({ stateDir })).rejects.toThrow(`process ${held.owner.pid} is using it`);

    held.owner.kill('SIGKILL');
    await once(held.owner, 'exit');
    expect(left !== undefined && isRunning(left)).toBe(true);
    const mine = await start();
    expect(left !== undefined && isRunning(left)).toBe(false);
    expect(await query(mine.url, 'select * from mark')).toEqual([{ answer: 42 }]);
  });

  it('goes with an owner that ends in good order', async () => {
    const held = await holdPostgres(project, stateDir);
    held.owner.kill('SIGTERM');
    await once(held.owner, 'exit');
    expect(identityOf(held.pid)).toBeUndefined();
  });
});

describe('PostgreSQL of our own, wherever the project lies', () => {
  it('starts as an ordinary user', async () => {
    const user = isRoot ? ORDINARY : undefined;
    const project = join(folder, 'a project');
    mkdirSync(project);
    makeMiniProject(project, user);
    const held = await holdPostgres(project, join(project, '.carillon'), user);
    owners.push(held.owner.pid ?? 0);
    expect(held.dataDir).toBe(join(project, '.carillon', 'postgres'));
    expect(statSync(held.dataDir).uid).toBe(user?.uid ?? process.getuid?.());
    expect(await query(held.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    held.owner.kill('SIGTERM');
    await eventually(() => identityOf(held.pid) === undefined);
  });

  it('starts from a folder that nobody else may enter', async () => {
    const project = join(folder, 'private');
    mkdirSync(project, { mode: 0o700 });
    makeMiniProject(project);
    const state = join(project, '.carillon');
    const held = await holdPostgres(project, state);
    owners.push(held.owner.pid ?? 0);
    expect(await query(held.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    // As root it runs as nobody, who cannot enter the folder: the data is elsewhere, and the folder says where.
    expect(held.dataDir.startsWith(project)).toBe(!isRoot);
    expect(readFileSync(join(state, 'postgres.json'), 'utf8')).toContain(held.dataDir);
    held.owner.kill('SIGTERM');
    await eventually(() => identityOf(held.pid) === undefined);
    // It holds the folder a moment longer than its server runs.
    await eventually(() => identityOf(held.owner.pid ?? 0) === undefined);
    await discardPostgres(state);
    expect(existsSync(held.dataDir)).toBe(false);
  });

  it('recognises such a folder', () => {
    mkdirSync(join(folder, 'private', 'below'), { recursive: true });
    chmodSync(join(folder, 'private'), 0o700);
    expect(isReachableByAll(join(folder, 'private', 'below'))).toBe(false);
    expect(isReachableByAll(folder)).toBe(true);
  });
});

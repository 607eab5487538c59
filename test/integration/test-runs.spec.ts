// What runs of one checkout do to each other: those that begin at once, and those that were killed.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hold } from '../../tools/process/hold.js';
import { writePrivateJson } from '../../tools/process/private-file.js';
import { SharedServers } from '../support/runner/shared-servers.js';

let root: string;
let runs: string;
beforeEach(() => {
  // All of it in its folder, none in memory.
  vi.stubEnv('CARILLON_TEST_LONG', '1');
  root = mkdtempSync(join(tmpdir(), 'carillon runs '));
  runs = join(root, '.carillon', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function killedRun(name: string): string {
  const folder = join(runs, name);
  mkdirSync(join(folder, 'postgres'), { recursive: true });
  writePrivateJson(join(folder, 'run.hold'), { pid: process.pid, began: 'some other day' });
  const cluster = { dataDir: join(folder, 'postgres', 'postgres'), password: 'secret' };
  writePrivateJson(join(folder, 'postgres', 'postgres.json'), cluster);
  return folder;
}

it('a run clears what a killed one left, and leaves it to another that is about it', async () => {
  const [mine, another] = [killedRun('1'), killedRun('2')];
  const release = hold(join(another, 'postgres', 'postgres.hold'));
  const servers = await SharedServers.open(root);
  expect([existsSync(mine), existsSync(another)]).toEqual([false, true]);
  release();
  await servers.close();
  const next = await SharedServers.open(root);
  expect(existsSync(another)).toBe(false);
  await next.close();
});

it('a run begins where one of its number was killed before it had said whose the folder is', async () => {
  const left = join(runs, String(process.pid), 'left');
  mkdirSync(left, { recursive: true });
  const servers = await SharedServers.open(root);
  expect(existsSync(left)).toBe(false);
  await servers.close();
  expect(existsSync(join(runs, String(process.pid)))).toBe(false);
});

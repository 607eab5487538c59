import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HeldError, hold, holderOf } from './hold.js';
import { commandOf, identityOf, isRunning, type ProcessIdentity } from './identity.js';
import { writePrivateJson } from './private-file.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon hold '));
  file = join(folder, 'part.hold');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function endedProcess(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const identity = identityOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (identity === undefined) throw new Error('the child had no identity');
  return identity;
}

it('is refused while a living process has it, and free again when that lets go', () => {
  const release = hold(file);
  expect(() => hold(file)).toThrow(HeldError);
  expect(() => hold(file)).toThrow(`process ${process.pid} is using it`);
  release();
  hold(file)();
  expect(readdirSync(folder)).toEqual([]);
});

it('is let go once: a second release takes nothing from the next holder', () => {
  const first = hold(file);
  first();
  const second = hold(file);
  first();
  expect(() => hold(file)).toThrow(HeldError);
  second();
});

it('is taken from a holder that has died', async () => {
  writePrivateJson(file, await endedProcess());
  const release = hold(file);
  expect(holderOf(file)).toEqual(identityOf(process.pid));
  release();
  expect(readdirSync(folder)).toEqual([]);
});

it('is taken from a holder whose number a later process bears', () => {
  writePrivateJson(file, { pid: process.pid, began: 'some other day' });
  hold(file)();
  expect(existsSync(file)).toBe(false);
});

it('distinguishes a living process from a dead one', async () => {
  const ended = await endedProcess();
  expect(isRunning(ended)).toBe(false);
  expect(identityOf(ended.pid)).toBeUndefined();
  const self = identityOf(process.pid);
  expect(self !== undefined && isRunning(self)).toBe(true);
  expect(isRunning({ pid: process.pid, began: 'some other day' })).toBe(false);
  expect(commandOf(process.pid)).toContain('node');
  expect(commandOf(ended.pid)).toBe('');
});

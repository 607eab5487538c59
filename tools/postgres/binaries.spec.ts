import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putCopy } from './binaries.js';

let folder: string;
let native: string;
let copy: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-binaries-'));
  native = join(folder, 'native');
  copy = join(folder, 'copy');
  mkdirSync(join(native, 'bin'), { recursive: true });
  writeFileSync(join(native, 'bin', 'initdb'), 'program');
});
afterEach(() => rmSync(folder, { recursive: true }));

function freshCopy(name: string): string {
  const fresh = join(folder, name);
  cpSync(native, fresh, { recursive: true });
  return fresh;
}

it('of processes that start at once, the copy of the first stays where it is: its programs run', () => {
  putCopy(freshCopy('first'), copy, native);
  const { ino } = statSync(copy);
  putCopy(freshCopy('second'), copy, native);
  expect(statSync(copy).ino).toBe(ino);
});

it('a copy that has lost a file makes room for a whole one', () => {
  putCopy(freshCopy('first'), copy, native);
  rmSync(join(copy, 'bin', 'initdb'));
  putCopy(freshCopy('second'), copy, native);
  expect(existsSync(join(copy, 'bin', 'initdb'))).toBe(true);
});

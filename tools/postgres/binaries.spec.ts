import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  mkdirSync(join(native, 'share'));
  writeFileSync(join(native, 'bin', 'initdb'), 'program');
  writeFileSync(join(native, 'bin', 'postgres'), 'server');
  writeFileSync(join(native, 'share', 'zones'), 'zones');
});
afterEach(() => rmSync(folder, { recursive: true }));

function freshCopy(name: string): string {
  const fresh = join(folder, name);
  cpSync(native, fresh, { recursive: true, verbatimSymlinks: true });
  return fresh;
}

it('of processes that start at once, the copy of the first stays where it is: its programs run', () => {
  putCopy(freshCopy('first'), copy);
  const { ino } = statSync(copy);
  putCopy(freshCopy('second'), copy);
  expect(statSync(copy).ino).toBe(ino);
});

it('a copy that has lost a file or a link gets it back where it is: programs may run from it', () => {
  symlinkSync('initdb', join(native, 'bin', 'link'));
  putCopy(freshCopy('first'), copy);
  const inodes = () =>
    [copy, join(copy, 'bin'), join(copy, 'bin', 'postgres')].map((path) => statSync(path).ino);
  const before = inodes();
  for (const name of ['initdb', 'link']) rmSync(join(copy, 'bin', name));
  rmSync(join(copy, 'share'), { recursive: true });
  putCopy(freshCopy('second'), copy);
  expect(readFileSync(join(copy, 'bin', 'link'), 'utf8')).toBe('program');
  expect(readFileSync(join(copy, 'share', 'zones'), 'utf8')).toBe('zones');
  expect(inodes()).toEqual(before);
});

it('a file that was cut short is whole again', () => {
  putCopy(freshCopy('first'), copy);
  writeFileSync(join(copy, 'bin', 'initdb'), 'prog');
  putCopy(freshCopy('second'), copy);
  expect(readFileSync(join(copy, 'bin', 'initdb'), 'utf8')).toBe('program');
});

it('what anybody may change makes room', () => {
  mkdirSync(copy);
  chmodSync(copy, 0o777);
  writeFileSync(join(copy, 'strange'), '');
  putCopy(freshCopy('first'), copy);
  expect([existsSync(join(copy, 'strange')), existsSync(join(copy, 'bin', 'initdb'))]).toEqual([false, true]);
});

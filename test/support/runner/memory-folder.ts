// Where the files of a run lie: in memory, where the machine has plenty. A database that comes and goes is a thousand
// small files; on a disk they took most of the processor time of its specs. A long run keeps to the disk.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;
/** A run has had less than one at a time in its files, and its processes need as much again as that. */
const ROOM = 4 * GIB;

/** A new folder in memory that everybody may enter, or undefined where there is none, too little, or nothing may be run from it. */
export function memoryFolder(): string | undefined {
  if (process.env['CARILLON_TEST_LONG'] === '1' || !existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, process.availableMemory()) < ROOM) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'carillon-'));
  try {
    // PostgreSQL's programs and whole projects are copied there, and it runs as nobody.
    chmodSync(folder, 0o755);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

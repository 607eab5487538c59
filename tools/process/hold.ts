// One owner at a time for a resource in a folder: a file names the process that holds it, and a holder that has died loses it. It
// uses no lock of the kernel, so it works on every file system.
import { linkSync, renameSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { identityOf, isRunning, type ProcessIdentity } from './identity.js';
import { readJson, writePrivateJson } from './private-file.js';

/** Thrown when a living process holds what was asked for. */
export class HeldError extends Error {
  readonly code = 'PART_HELD';
  constructor(
    file: string,
    readonly holder: ProcessIdentity,
  ) {
    super(`process ${holder.pid} is using it (${file}); stop that one first`);
  }
}

const Holder = z.object({ pid: z.number(), began: z.string() });

/** Takes the hold for this process and returns its release. Throws HeldError when a living process has it. */
export function hold(file: string): () => void {
  const self = identityOf(process.pid);
  if (self === undefined) throw new Error('this process cannot find itself: neither /proc nor ps answers');
  for (let attempt = 0; attempt < 10; attempt += 1) {
    if (tryHold(file, self)) return releaseOf(file);
    const holder = holderOf(file);
    if (holder !== undefined && isRunning(holder)) throw new HeldError(file, holder);
    if (holder !== undefined) clearDead(file, holder);
  }
  throw new Error(`cannot take ${file}: others keep taking it`);
}

/** Lets go once: by the next time it may be somebody else's, of this process too. */
function releaseOf(file: string): () => void {
  let isHeld = true;
  return () => {
    if (isHeld) rmSync(file, { force: true });
    isHeld = false;
  };
}

/** The process written in the file, whether it lives or not; undefined when nobody holds it. */
export function holderOf(file: string): ProcessIdentity | undefined {
  const parsed = Holder.safeParse(readJson(file));
  return parsed.success ? parsed.data : undefined;
}

function tryHold(file: string, self: ProcessIdentity): boolean {
  const mine = `${file}.${self.pid}`;
  writePrivateJson(mine, self);
  try {
    // link(2) fails when the name is there: unlike a rename it never takes it from somebody else.
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Two who find the same dead holder may both come here; the one who moved a living hold away puts it back. */
function clearDead(file: string, dead: ProcessIdentity): void {
  const away = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, away);
    const moved = holderOf(away);
    if (moved !== undefined && moved.began !== dead.began) linkSync(away, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['ENOENT', 'EEXIST'].includes(String(error.code))))
      throw error;
  } finally {
    rmSync(away, { force: true });
  }
}

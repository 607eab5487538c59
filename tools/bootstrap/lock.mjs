// Lets one process at a time install and compile. It takes over a lock whose process has died, and waits for a living process.
// Plain JavaScript, because it runs before npm ci.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { scheduler } from 'node:timers/promises';

/**
 * The longest wait: longer than any install that we have seen. Another process may have the pid by now, so no wait is for ever.
 */
const PATIENCE_MS = 15 * 60_000;

/**
 * Runs `work` while holding the lock.
 * @param {string} file
 * @param {(sentence: string) => void} say called once when it has to wait
 * @param {() => Promise<void>} work
 */
export async function withLock(file, say, work) {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = performance.now() + PATIENCE_MS;
  let hasSaid = false;
  while (!take(file)) {
    const holder = holderOf(file);
    // An earlier process had our number: each container begins to count anew, so the same number comes again and again.
    if (holder !== undefined && (holder === process.pid || !isAlive(holder))) {
      clearDead(file, holder);
      continue;
    }
    if (performance.now() > deadline)
      throw new Error(`process ${holder} has held ${file} too long; delete the file`);
    if (!hasSaid && holder !== undefined)
      say(`process ${holder} is installing or compiling here; waiting for it`);
    hasSaid ||= holder !== undefined;
    await scheduler.wait(100);
  }
  // The caller's fail() ends the process and does not return here.
  const drop = () => rmSync(file, { force: true });
  process.once('exit', drop);
  try {
    await work();
  } finally {
    process.off('exit', drop);
    drop();
  }
}

/** @param {string} file */
function take(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    // Unlike a file that is opened with `wx`, a link is never seen empty. Unlike a rename, it takes nothing from another process.
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @param {string} file */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two processes may find the same dead holder. The one that moved a living process's lock away puts it back. */
function clearDead(file, dead) {
  const away = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, away);
    if (holderOf(away) !== dead) linkSync(away, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(away, { force: true });
  }
}

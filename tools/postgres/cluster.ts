// A PostgreSQL data folder: where it lies, its superuser's password, and the way it is made. Starts no server.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../process/private-file.js';
import { isReachableByAll, NOBODY, sharedFolder, type PostgresBinaries } from './binaries.js';

const run = promisify(execFile);

const Cluster = z.object({ dataDir: z.string(), password: z.string() });
export type Cluster = z.output<typeof Cluster>;

/**
 * The cluster that `stateDir` names in its postgres.json, made when there is none yet. As root the server runs as
 * nobody; when nobody cannot enter `stateDir`, the data lies in a folder of its own in the system's temporary one.
 * Throws when the data was made by another major version.
 */
export async function openCluster(
  stateDir: string,
  binaries: PostgresBinaries,
  durable: boolean,
): Promise<Cluster> {
  const stateFile = join(stateDir, 'postgres.json');
  const known = knownCluster(stateDir);
  if (known !== undefined && existsSync(join(known.dataDir, 'PG_VERSION'))) {
    refuseOtherVersion(known.dataDir, binaries, stateFile);
    return known;
  }
  const cluster = { dataDir: placeFor(stateDir), password: randomBytes(24).toString('base64url') };
  await initialise(cluster, binaries, durable);
  writePrivateJson(stateFile, cluster);
  return cluster;
}

/** The cluster that `stateDir` names, or undefined when it names none. */
export function knownCluster(stateDir: string): Cluster | undefined {
  return Cluster.safeParse(readJson(join(stateDir, 'postgres.json'))).data;
}

/** Deletes the data and what names it. The server must be stopped. */
export function removeCluster(stateDir: string, cluster: Cluster): void {
  rmSync(join(stateDir, 'postgres.json'), { force: true });
  const elsewhere = cluster.dataDir !== join(stateDir, 'postgres');
  rmSync(elsewhere ? dirname(cluster.dataDir) : cluster.dataDir, { recursive: true, force: true });
}

function refuseOtherVersion(dataDir: string, binaries: PostgresBinaries, stateFile: string): void {
  const made = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  if (made === binaries.version.split('.')[0]) return;
  throw new Error(
    `The data in ${dataDir} was made by PostgreSQL ${made}, and this is ${binaries.version}. ` +
      `Delete ${stateFile} to begin anew, or set DATABASE_URL.`,
  );
}

function placeFor(stateDir: string): string {
  const preferred = join(stateDir, 'postgres');
  if (process.getuid?.() !== 0 || isReachableByAll(stateDir)) {
    rmSync(preferred, { recursive: true, force: true });
    return preferred;
  }
  const folder = mkdtempSync(join(sharedFolder(), 'carillon-data-'));
  chmodSync(folder, 0o711);
  return join(folder, 'postgres');
}

/** Made beside its place and renamed when whole, so that one cut short is never taken for a cluster. */
async function initialise(cluster: Cluster, binaries: PostgresBinaries, durable: boolean): Promise<void> {
  const fresh = `${cluster.dataDir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  const secrets = mkdtempSync(join(sharedFolder(), 'carillon-initdb-'));
  const passwordFile = join(secrets, 'password');
  writeFileSync(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [fresh, secrets, passwordFile]) chownSync(path, NOBODY.uid, NOBODY.gid);
  try {
    const args = [
      '-D',
      fresh,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
    ];
    const rest = ['--locale=C', '--no-instructions', ...(durable ? [] : ['--no-sync'])];
    await run(binaries.initdb, [...args, ...rest], {
      cwd: '/',
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...(isRoot ? NOBODY : {}),
    });
    renameSync(fresh, cluster.dataDir);
  } catch (cause) {
    const said = z.object({ stderr: z.string() }).safeParse(cause);
    throw new Error(`initdb could not make ${fresh}: ${said.data?.stderr.trim() ?? String(cause)}`, {
      cause,
    });
  } finally {
    rmSync(secrets, { recursive: true, force: true });
    rmSync(fresh, { recursive: true, force: true });
  }
}

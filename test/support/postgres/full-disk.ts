// A database on a disk of its own that a test can fill: a small tmpfs where this user may mount one, so that PostgreSQL
// itself meets the end of the disk. Elsewhere a trigger on every table says what PostgreSQL would.
import { execFileSync } from 'node:child_process';
import { chownSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { cloneDatabase, onCluster, type TestDatabase } from './database.js';

export interface DatabaseOnDisk extends TestDatabase {
  /** For the test's name: what fills. */
  readonly means: 'a tmpfs' | 'a trigger, for this user may not mount';
  fill(): Promise<void>;
  free(): Promise<void>;
}

const SIZE = '128m';

export async function databaseOnDisk(): Promise<DatabaseOnDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder], {
      stdio: 'pipe',
    });
  } catch {
    rmdirSync(folder);
    return withTriggers(await cloneDatabase());
  }
  const name = basename(folder).replaceAll(/\W/g, '_').toLowerCase();
  const unmount = (): void => {
    execFileSync('umount', [folder]);
    rmdirSync(folder);
  };
  try {
    const [row] = await onCluster('show data_directory');
    const { uid, gid } = statSync(String(row?.['data_directory']));
    chownSync(folder, uid, gid);
    await onCluster(`create tablespace ${name} location '${folder}'`);
  } catch (error) {
    unmount();
    throw error;
  }
  return onTmpfs(await cloneDatabase(name), folder, name, unmount);
}

function onTmpfs(
  database: TestDatabase,
  folder: string,
  tablespace: string,
  unmount: () => void,
): DatabaseOnDisk {
  const filler = join(folder, 'filler');
  return {
    url: database.url,
    means: 'a tmpfs',
    fill: () => {
      const file = openSync(filler, 'a');
      try {
        for (const piece of [Buffer.alloc(1 << 20), Buffer.alloc(1 << 12)]) writeUntilFull(file, piece);
      } finally {
        closeSync(file);
      }
      return Promise.resolve();
    },
    free: () => Promise.resolve(rmSync(filler, { force: true })),
    drop: async () => {
      rmSync(filler, { force: true });
      await database.drop();
      await onCluster(`drop tablespace ${tablespace}`);
      unmount();
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}

async function withTriggers(database: TestDatabase): Promise<DatabaseOnDisk> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`
    create table public.spec_disk (is_full boolean not null);
    insert into public.spec_disk values (false);
    create function public.spec_disk_full() returns trigger language plpgsql as $$
    begin
      if (select is_full from public.spec_disk) then
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end if;
      return null;
    end $$;
    do $$ declare name text; begin
      for name in select oid::regclass::text from pg_class
                   where relnamespace = 'scheduler'::regnamespace and relkind in ('r', 'p') and not relispartition loop
        execute format('create trigger spec_disk_full before insert or update on %s
                        for each statement execute function public.spec_disk_full()', name);
      end loop;
    end $$`);
  const setFull = async (isFull: boolean): Promise<void> => {
    await client.query('update public.spec_disk set is_full = $1', [isFull]);
  };
  return {
    url: database.url,
    means: 'a trigger, for this user may not mount',
    fill: () => setFull(true),
    free: () => setFull(false),
    drop: async () => {
      await client.end();
      await database.drop();
    },
  };
}

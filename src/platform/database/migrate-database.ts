// Migrates a service's schema, one process at a time, on connections of its own. A migration may take any time, so its statements
// have no time limit. Its waits for locks have one. This is the only place that runs TypeORM.
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { serverFinding } from './database.js';
import { missingMigrations } from './database-state.js';
import { errorCode } from '../logging/error-code.js';
import {
  connect,
  connectionConfig,
  enter,
  type DatabaseOptions,
  type PooledDatabase,
} from './pooled-database.js';

export interface MigrateOptions {
  /**
   * How long a migration waits for a table that is in use, real milliseconds [10 000], because others wait behind it meanwhile.
   * Then it is undone, and migrate() throws. `waiting` is called once in each such time.
   */
  readonly lockTimeoutMs?: number;
  /** Called while another process migrates. We wait for that process, however long it takes. */
  readonly waiting?: (words: string) => void;
}

const LOCK_TIMEOUT_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates the schema and runs the missing migrations. Returns the names of those that it ran. Throws before any change if
 * PostgreSQL is too old or the database is not in UTF-8. A migration that fails is undone; those before it stay.
 */
export async function migrate(database: PooledDatabase, options: MigrateOptions = {}): Promise<string[]> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, waiting = () => undefined } = options;
  const unfit = await serverFinding(database);
  if (unfit !== undefined) throw new Error(unfit);
  const patient = withoutLimits(database.options, lockTimeoutMs);
  const { schema } = patient;
  const lock = await connect(patient);
  try {
    await lockSchema(lock, schema, waiting);
    await createSchema(lock, schema);
    return (await missingMigrations(database)).length === 0 ? [] : await runMissing(patient);
  } catch (error) {
    if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new Error(
      `a migration waited ${lockTimeoutMs / 1000} s for a table that is in use, and was undone: run it again`,
      { cause: error },
    );
  } finally {
    // This releases the lock.
    await lock.end();
  }
}

/** IF NOT EXISTS needs the right to create schemas. A role that owns its schema may lack that right. */
async function createSchema(sql: Client, schema: string): Promise<void> {
  const { rows } = await sql.query<{ there: boolean }>('select to_regnamespace($1) is not null as there', [
    schema,
  ]);
  if (rows[0]?.there !== true) await sql.query(`create schema ${sql.escapeIdentifier(schema)}`);
}

async function runMissing(options: DatabaseOptions): Promise<string[]> {
  const source = await migrationSource(options);
  try {
    await source.initialize();
    const ran = await source.runMigrations();
    return ran.map((migration) => migration.name);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

/**
 * TypeORM's own connection, for migrations only. The table of migrations is in the schema, which must exist. TypeORM is imported
 * here, so that a service whose schema is up to date does not load its 300 files.
 */
export async function migrationSource(options: DatabaseOptions): Promise<DataSource> {
  const { DataSource } = await import('typeorm');
  const { connectionString: url, ...config } = connectionConfig(options);
  return new DataSource({
    type: 'postgres',
    url: url ?? options.url,
    schema: options.schema,
    poolSize: 1,
    migrations: [...options.migrations],
    migrationsTransactionMode: 'each',
    migrationsTableName: 'migration',
    extra: { ...config, onConnect: (client: Client) => enter(client, options) },
  });
}

function withoutLimits(options: DatabaseOptions, lockTimeoutMs: number): DatabaseOptions {
  return {
    ...options,
    settings: { ...options.settings, lock_timeout: String(lockTimeoutMs) },
    limits: { ...options.limits, statementMs: 0, answerMs: 0, idleInTransactionMs: 0 },
  };
}

/** The holder of the advisory lock, found by the 64 bits of the lock as pg_locks shows them. */
const HOLDER = `
select a.pid, a.application_name as name, a.client_addr::text as address, a.backend_start as since
  from pg_locks l join pg_stat_activity a using (pid)
 where l.locktype = 'advisory' and l.granted and l.objsubid = 1
   and l.database = (select oid from pg_database where datname = current_database())
   and ((l.classid::bigint << 32) | l.objid::bigint) = hashtext($1)`;

interface Holder {
  readonly pid: number;
  readonly name: string | null;
  readonly address: string | null;
  readonly since: Date | null;
}

async function lockSchema(lock: Client, schema: string, waiting: (words: string) => void): Promise<void> {
  const key = `carillon migrate ${schema}`;
  for (;;) {
    try {
      await lock.query('select pg_advisory_lock(hashtext($1))', [key]);
      return;
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
    const { rows } = await lock.query<Holder>(HOLDER, [key]);
    const [holder] = rows;
    if (holder !== undefined) waiting(`waiting for the process that migrates ${schema}: ${inWords(holder)}`);
  }
}

function inWords({ pid, name, address, since }: Holder): string {
  const who = name === null || name === '' ? 'a connection without a name' : name;
  const from = address === null ? '' : ` from ${address}`;
  const when = since === null ? '' : `, connected since ${since.toISOString()}`;
  return `${who}${from} (pid ${pid}${when})`;
}

// How both services reach PostgreSQL: one DataSource each, its own schema on the search path, and the small helpers
// named SQL needs. Holds no business words.
import type { DataSource, EntityManager, MigrationInterface } from 'typeorm';
import type { Finding } from './health.js';
import { hearErrors, PooledDataSource } from './pooled-database.js';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema; created by migrate(). */
  schema: string;
  migrations: readonly (new () => MigrationInterface)[];
  /** At most this many connections. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Further settings of every connection; names and values without spaces. */
  settings?: Readonly<Record<string, string>>;
}

/** Anything that runs SQL: the DataSource, or the manager of an open transaction. */
export type Sql = Pick<EntityManager, 'query'>;

/**
 * The database as use cases and controllers are given it: statements, and a transaction to hand down to the stores. A
 * class so that it is its own injection token; the DataSource stands behind it.
 */
export abstract class Database implements Sql {
  abstract readonly query: Sql['query'];
  /** Commits when `work` ends well. Never call it inside another: that takes a second connection. */
  abstract transaction<Result>(work: (sql: EntityManager) => Promise<Result>): Promise<Result>;
}

export function createDataSource(options: DatabaseOptions): DataSource {
  return new PooledDataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    connectTimeoutMS: 5_000,
    migrations: [...options.migrations],
    migrationsTransactionMode: 'each',
    migrationsTableName: 'migration',
    extra: {
      // Pages lie in memory or on flash: at the default of 4, a batch by primary key is planned as a scan of the table.
      options: Object.entries({
        search_path: options.schema,
        timezone: 'UTC',
        random_page_cost: '1.1',
        // Off: PostgreSQL 18.4 itself can end by SIGSEGV (perform_pruning_base_step) where a statement that waited for a
        // row of a partitioned table looks at it again. For every statement, those in functions too, so that none is left
        // out; partitions are few.
        enable_partition_pruning: 'off',
        ...options.settings,
      })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      // Milliseconds. A connection knows the plans of what it was asked, and the driver's 10 s are shorter than some loops
      // rest; what stands between us and the database sees it used meanwhile.
      idleTimeoutMillis: 300_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
      onConnect: hearErrors,
      // A database that hangs must fail a round of a loop, not stop it for ever.
      query_timeout: 30_000,
    },
  });
}

/** Rows of any statement: TypeORM answers a bare UPDATE or DELETE with `[rows, count]`, everything else with rows. */
export async function rowsOf<Row>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  // Not copied: nothing changes them, and the type is TypeORM's.
  const answer: unknown = await sql.query(text, parameters as unknown[]);
  if (!Array.isArray(answer)) return [];
  const isCommandAnswer = answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
  return (isCommandAnswer ? answer[0] : answer) as Row[];
}

/** The oldest major version that is supported: what .env.example says as well. */
const OLDEST_POSTGRES = 16;

/** What is wrong with the server's version, or undefined. Throws when the database is away. */
export async function versionFinding(sql: Sql): Promise<Finding> {
  const [server] = await rowsOf<{ version: string; number: string }>(
    sql,
    `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
  );
  if (Math.floor(Number(server?.number) / 10_000) >= OLDEST_POSTGRES) return undefined;
  return `PostgreSQL ${server?.version ?? 'of an unknown version'} is too old: ${OLDEST_POSTGRES} or newer is needed`;
}

/**
 * Creates the schema and runs what migrations are missing, one process at a time. Returns the names of those it ran.
 * Throws, having changed nothing, when PostgreSQL is too old.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const schema = dataSource.options.type === 'postgres' ? (dataSource.options.schema ?? 'public') : 'public';
  const tooOld = await versionFinding(dataSource);
  if (tooOld !== undefined) throw new Error(tooOld);
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock(hashtext($1))', [`carillon migrate ${schema}`]);
    await lock.query(`create schema if not exists "${schema}"`);
    const ran = await dataSource.runMigrations();
    return ran.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock_all()').catch(() => undefined);
    await lock.release();
  }
}

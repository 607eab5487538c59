// How both services send statements to PostgreSQL, and whether the server is new enough. Holds no business words.
import type { Finding } from '../http/health.js';
import { PooledDatabase, type DatabaseOptions } from './pooled-database.js';

/** Anything that runs SQL: the database, or an open transaction. */
export interface Sql {
  query<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * The database for use cases and controllers: statements, and transactions that they pass to the stores. It is a class so that it
 * is its own injection token. PooledDatabase implements it.
 */
export abstract class Database implements Sql {
  abstract readonly query: Sql['query'];
  /** Commits when `work` resolves. Never call it inside another: that takes a second connection. `begin`: the first statement. */
  abstract transaction<Result>(work: (sql: Sql) => Promise<Result>, begin?: string): Promise<Result>;
}

export function createDataSource(options: DatabaseOptions): PooledDatabase {
  return new PooledDatabase(options);
}

/** The first row of a statement, or undefined where there is none. */
export async function firstRow<Row>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row | undefined> {
  return (await sql.query<Row>(text, parameters))[0];
}

/** Whether a statement returned a row, and so whether it found, made or changed anything. */
export async function anyRow(sql: Sql, text: string, parameters: readonly unknown[] = []): Promise<boolean> {
  return (await sql.query(text, parameters)).length > 0;
}

/** The oldest major version that is supported. .env.example names it too. */
const OLDEST_POSTGRES = 16;

/** What is wrong with the server's version or the database's encoding, and what to do. Throws when the database is away. */
export async function serverFinding(sql: Sql): Promise<Finding> {
  const [server] = await sql.query<{ version: string; number: string; encoding: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number,
            current_setting('server_encoding') as encoding`,
  );
  if (Math.floor(Number(server?.number) / 10_000) < OLDEST_POSTGRES)
    return `PostgreSQL ${server?.version ?? 'of an unknown version'} is too old: ${OLDEST_POSTGRES} or newer is needed`;
  if (server?.encoding === 'UTF8') return undefined;
  return `the database's encoding is ${server?.encoding}, which does not hold texts of every language: UTF8 is needed, as "create database … encoding 'UTF8' template template0" makes it`;
}

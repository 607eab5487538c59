// A time limit for one piece of work on the database, besides the limit of each statement. Never cancels on the server: what a
// statement that was given up did there is unknown.
import type { Clock } from '../clock.js';
import type { Sql } from './database.js';
import { PooledDatabase } from './pooled-database.js';

/**
 * The database for work that has `ms` real milliseconds in all: a statement that exceeds them throws "Query read timeout", and
 * its connection is closed. A transaction, or another kind of database, is returned as it is.
 */
export function databaseWithin(sql: Sql, clock: Pick<Clock, 'elapsed'>, ms: number): Sql {
  if (!(sql instanceof PooledDatabase)) return sql;
  const end = clock.elapsed() + ms;
  return {
    query: <Row>(text: string, parameters?: readonly unknown[]) =>
      sql.query<Row>(text, parameters, Math.max(1, Math.ceil(end - clock.elapsed()))),
  };
}

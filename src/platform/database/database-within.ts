// A bound on the time of one piece of work on the database, beside the bound that every statement has. Never cancels on
// the server: what a statement that was given up did there is not known.
import type { Clock } from '../clock.js';
import type { Sql } from './database.js';
import { PooledDatabase } from './pooled-database.js';

/**
 * The database for work that has `ms` real milliseconds in all: the statement that outlasts them throws "Query read
 * timeout", and its connection is closed. Transactions and other databases are left as they are.
 */
export function databaseWithin(sql: Sql, clock: Pick<Clock, 'elapsed'>, ms: number): Sql {
  if (!(sql instanceof PooledDatabase)) return sql;
  const end = clock.elapsed() + ms;
  return {
    query: <Row>(text: string, parameters?: readonly unknown[]) =>
      sql.query<Row>(text, parameters, Math.max(1, Math.ceil(end - clock.elapsed()))),
  };
}

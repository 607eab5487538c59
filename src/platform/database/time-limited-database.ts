// A time limit for one piece of work on the database, besides the limit of each statement. It never cancels a statement on the
// server: nobody knows what a statement did there after its time was over.
import type { Clock } from '../clock.js';
import type { Sql } from './database.js';
import { PooledDatabase } from './pooled-database.js';

/**
 * The database for work that has `ms` real milliseconds in all. A statement that exceeds them throws "Query read timeout", and
 * its connection is closed. Returns a transaction, or another kind of database, as it is.
 */
export function databaseWithin(sql: Sql, clock: Pick<Clock, 'elapsed'>, ms: number): Sql {
  if (!(sql instanceof PooledDatabase)) return sql;
  const end = clock.elapsed() + ms;
  return {
    query: <Row>(text: string, parameters?: readonly unknown[]) =>
      sql.query<Row>(text, parameters, Math.max(1, Math.ceil(end - clock.elapsed()))),
  };
}

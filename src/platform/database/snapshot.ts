// Reading several statements of one moment, so that the figures of an answer belong together.
import type { Database, Sql } from './database.js';

/** Runs `work` in a read-only transaction that sees one moment, whatever others commit meanwhile. */
export async function inSnapshot<Result>(
  database: Pick<Database, 'transaction'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (sql) => {
    await sql.query('set transaction isolation level repeatable read, read only');
    return work(sql);
  });
}

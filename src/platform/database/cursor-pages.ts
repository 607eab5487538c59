// Reads the rows of a query page by page, with a cursor in the caller's transaction: for more rows than a process should have in
// memory.
import type { Sql } from './database.js';

/** Use it for one query of a transaction at a time, because the cursor has a fixed name. */
export async function* cursorPages<Row>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[],
  rowsOfPage: number,
): AsyncGenerator<readonly Row[], void, void> {
  await sql.query(`declare report_rows no scroll cursor for ${text}`, parameters);
  for (;;) {
    const page = await sql.query<Row>(`fetch ${rowsOfPage} from report_rows`);
    if (page.length > 0) yield page;
    if (page.length < rowsOfPage) return;
  }
}

// The rows of a query page by page, by a cursor of the caller's transaction: for more rows than a process should hold.
import type { Sql } from './database.js';

/** One query of a transaction at a time: the cursor has one name. */
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

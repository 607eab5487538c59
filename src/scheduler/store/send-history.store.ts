// What a send's history tells about it, where its row does not. Reads only: the database's triggers write it.
import { rowsOf, type Sql } from '../../platform/database.js';

/** How often it came to a state with this code. Index send_history_pkey. */
export async function countInHistory(sql: Sql, send: string, code: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    sql,
    'select count(*)::int as count from send_history where send = $1 and code = $2',
    [send, code],
  );
  return row?.count ?? 0;
}

// Deletes old unwritten answers.
import { sqlList } from '../../../platform/database/sql-list.js';
import { AWAITED_STATES } from '../../decide/lifecycle/send-state.js';
import type { Sql } from '../../../platform/database/database.js';

/** At most `batch` that are older than `before`; one is kept while its send waits for it, or for an operator to resolve it. Returns how many. */
export async function deleteOldUnwritten(sql: Sql, before: Date, batch: number): Promise<number> {
  const gone = await sql.query(
    `delete from unwritten_answer where ctid = any (array(
       select u.ctid from unwritten_answer u
        where u.at < $1 and not exists (select from send_open s where s.id = u.send and s.state in ${sqlList(AWAITED_STATES)})
        limit $2 for update skip locked)) returning 1`,
    [before, batch],
  );
  return gone.length;
}

// Reads sends as of one moment while retention removes days: without this, a read could see a day that goes meanwhile neither as rows
// nor as sums.
import type { Database, Sql } from '../../platform/database/database.js';
import { inSnapshot } from '../../platform/database/snapshot.js';

/**
 * Call it as the first statement of a snapshot; the second statement fixes the snapshot's moment. While the snapshot lasts, no
 * day's rows become sums.
 */
export async function holdDays(sql: Sql): Promise<void> {
  // ONLY the parent table: a day is detached once nobody holds its partition any more. If the lock included partitions, each report
  // that begins meanwhile would hold a half detached day, though none reads it, and later reports would wait behind the detaching.
  await sql.query('lock table only send, only event in access share mode');
}

/** inSnapshot() that begins with holdDays(). */
export function inSnapshotOfSends<Result>(
  database: Pick<Database, 'transaction'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return inSnapshot(database, async (sql) => {
    await holdDays(sql);
    return work(sql);
  });
}

// Reads of sends as of one moment while retention takes days away: without this, a day that goes meanwhile would be seen neither as
// rows nor as sums.
import type { Database, Sql } from '../../platform/database/database.js';
import { inSnapshot } from '../../platform/database/snapshot.js';

/**
 * Call it as the first statement of a snapshot; the second statement fixes the snapshot's moment. While the snapshot lasts, no
 * day's rows become sums.
 */
export async function holdDays(sql: Sql): Promise<void> {
  // ONLY: a day is detached once nobody holds its table any more. Locked with the table, a day that is half detached would be kept
  // by each report that begins meanwhile, though none reads it, and later reports would wait behind the detaching.
  await sql.query('lock table only send, only event in access share mode');
}

/** inSnapshot() with the days held. */
export function inSnapshotOfSends<Result>(
  database: Pick<Database, 'transaction'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return inSnapshot(database, async (sql) => {
    await holdDays(sql);
    return work(sql);
  });
}

// Reads of sends as of one moment while retention takes days away: without this, a day that goes meanwhile would be seen neither as
// rows nor as sums.
import type { Database, Sql } from '../../platform/database/database.js';
import { inSnapshot } from '../../platform/database/snapshot.js';

/**
 * Call it as the first statement of a snapshot; the second statement fixes the snapshot's moment. While the snapshot lasts, no
 * day's rows become sums.
 */
export async function holdDays(sql: Sql): Promise<void> {
  await sql.query('lock table send, event in access share mode');
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

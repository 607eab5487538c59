// What the loops of a process would find to do, without doing any of it.
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { EpochMs } from '../decide/ports.js';

export interface WorkQuestion {
  readonly now: EpochMs;
  /** The dispatcher's look-ahead ends here. */
  readonly upTo: EpochMs;
  /** By name. Of those it knows nothing about nothing is said. */
  readonly loops: readonly string[];
}

// sql/scheduler/functions/work_due.sql: planned once a connection.
const WORK_DUE = prepared('select work_due($1, $2, $3) as due');

/**
 * The loops that have something to do. One may find nothing all the same: what another replica holds or the project's
 * rate does not allow counts here. The other way round never.
 */
export async function workDue(sql: Sql, { now, upTo, loops }: WorkQuestion): Promise<string[]> {
  const [row] = await rowsOf<{ due: string[] }>(sql, WORK_DUE, [new Date(now), new Date(upTo), loops]);
  return row?.due ?? [];
}

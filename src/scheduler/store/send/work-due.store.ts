// What the loops of a process would find to do, without doing any of it.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { EVERY_DAY, type Days } from './work-days.store.js';

export interface WorkQuestion {
  readonly now: EpochMs;
  /** The dispatcher's look-ahead ends here. */
  readonly upTo: EpochMs;
  /** By name. Of those it knows nothing about nothing is said. */
  readonly loops: readonly string[];
  /** Those that may hold work; left out, all. */
  readonly days?: Days;
}

// sql/scheduler/functions/work_due.sql.
const WORK_DUE = prepared('select work_due($1, $2, $3, $4, $5, $6) as due');

/**
 * The loops that have something to do. One may find nothing all the same: what another replica holds or the project's
 * rate does not allow counts here. The other way round never.
 */
export async function workDue(sql: Sql, question: WorkQuestion): Promise<string[]> {
  const { now, upTo, loops, days = EVERY_DAY } = question;
  const parameters = [new Date(now), new Date(upTo), loops, days.lows, days.highs, days.few];
  const [row] = await sql.query<{ due: string[] }>(WORK_DUE, parameters);
  return row?.due ?? [];
}

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
  /** Only what came due after this, and of these projects, of all where they are left out; left out: all. */
  readonly only?: { readonly since: EpochMs; readonly services?: readonly string[] } | undefined;
  /** A project of which something is due by then is near; default now. */
  readonly nearUntil?: EpochMs;
  /** Those that may hold work; left out, all. */
  readonly days?: Days;
}

// sql/scheduler/functions/work_due.sql.
const WORK_DUE = prepared('select due, near from work_due($1, $2, $3, $4, $5, $6, $7, $8, $9)');

export interface WorkDue {
  readonly loops: readonly string[];
  /** Projects that are near. */
  readonly near: readonly string[];
}

/**
 * The loops that have something to do. One may find nothing all the same: what another replica holds or the project's
 * rate does not allow counts here. The other way round never.
 */
export async function workDue(sql: Sql, question: WorkQuestion): Promise<WorkDue> {
  const { now, upTo, loops, only, nearUntil = now, days = EVERY_DAY } = question;
  const [row] = await sql.query<{ due: string[]; near: string[] }>(WORK_DUE, [
    new Date(now),
    new Date(upTo),
    only === undefined ? null : new Date(only.since),
    new Date(nearUntil),
    loops,
    only?.services ?? null,
    days.lows,
    days.highs,
    days.few,
  ]);
  return { loops: row?.due ?? [], near: row?.near ?? [] };
}

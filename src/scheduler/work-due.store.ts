// Asks the database which loops of a process would find something to do; does none of it.
import { firstRow, type Sql } from '../platform/database/database.js';
import { prepared } from '../platform/database/pooled-database.js';
import type { EpochMs } from '../zone-rules/zone-rules.js';

export interface WorkQuestion {
  readonly now: EpochMs;
  /** The dispatcher's look-ahead ends here. */
  readonly upTo: EpochMs;
  /** Names of loops; a name that it does not know is never due. */
  readonly loops: readonly string[];
  /** Only work that came due after `since`, and only in these projects [all]. Left out: all work. */
  readonly only?: { readonly since: EpochMs; readonly services?: readonly string[] } | undefined;
  /** A project is near if some of its work is due by then [now]. */
  readonly nearUntil?: EpochMs;
}

// sql/scheduler/functions/work_due.sql.
const WORK_DUE = prepared('select due, near from work_due($1, $2, $3, $4, $5, $6)');

export interface WorkDue {
  readonly loops: readonly string[];
  /** Projects that are near. */
  readonly near: readonly string[];
}

/**
 * The loops that have something to do. Such a loop may still find nothing, because work that another replica holds, or that the
 * project's rate does not allow, counts here too. A loop that has something to do is never missing.
 */
export async function workDue(
  sql: Sql,
  { now, upTo, loops, only, nearUntil = now }: WorkQuestion,
): Promise<WorkDue> {
  const row = await firstRow<{ due: string[]; near: string[] }>(sql, WORK_DUE, [
    new Date(now),
    new Date(upTo),
    only === undefined ? null : new Date(only.since),
    new Date(nearUntil),
    loops,
    only?.services ?? null,
  ]);
  return { loops: row?.due ?? [], near: row?.near ?? [] };
}

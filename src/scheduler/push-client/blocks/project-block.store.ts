// Blocks a project for all replicas: until the block ends they read no sends of it ahead and fire none. An operator's start ends it.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Block } from './project-gate.js';

/**
 * Never shortens a longer block. Infinity blocks until somebody starts the project. A block that goes on with the same code began when
 * that code came first. Returns whether the block became longer.
 */
export async function blockProject(
  sql: Sql,
  serviceId: string,
  { until, code, detail }: Block,
  now: EpochMs,
): Promise<boolean> {
  const rows = await sql.query(
    `update project set blocked_until = $2, blocked_code = $3, blocked_detail = $4, blocked_by = null,
            blocked_since = case when blocked_code = $3 then coalesce(blocked_since, $5) else $5 end
      where service_id = $1 and (blocked_until is null or blocked_until < $2) returning service_id`,
    [serviceId, Number.isFinite(until) ? new Date(until) : 'infinity', code, detail, new Date(now)],
  );
  return rows.length > 0;
}

/** What ends a block, in SET. */
export const NOT_BLOCKED =
  'blocked_until = null, blocked_code = null, blocked_detail = null, blocked_since = null, blocked_by = null, recalled = false';

/** Removes blocks whose time is over, so that they do not come back when a clock is set back. Returns how many. */
export async function endBlocks(sql: Sql, now: EpochMs): Promise<number> {
  const rows = await sql.query(
    `update project set ${NOT_BLOCKED} where blocked_until <= $1 returning service_id`,
    [new Date(now)],
  );
  return rows.length;
}

// Laying a project's dispatch to rest, for all replicas: they look ahead to and fire nothing of it until then. An operator's
// start clears it.
import { rowsOf, type Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** A longer rest is never shortened. Infinity rests it until somebody starts it. Returns whether it now rests longer. */
export async function restProject(
  sql: Sql,
  serviceId: string,
  { until, code, detail }: { until: EpochMs; code: string; detail: string | null },
): Promise<boolean> {
  const rows = await rowsOf(
    sql,
    `update project set resting_until = $2, resting_code = $3, resting_detail = $4
      where service_id = $1 and (resting_until is null or resting_until < $2) returning service_id`,
    [serviceId, Number.isFinite(until) ? new Date(until) : 'infinity', code, detail],
  );
  return rows.length > 0;
}

/** Takes away rests that are over, so that a clock that is set back does not bring them again. Returns how many. */
export async function endRests(sql: Sql, now: EpochMs): Promise<number> {
  const rows = await rowsOf(
    sql,
    'update project set resting_until = null, resting_code = null, resting_detail = null where resting_until <= $1 returning service_id',
    [new Date(now)],
  );
  return rows.length;
}

// Counts sends that should have left and have not, though nothing holds their project back: the figure by which operators add
// replicas.
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export interface Overdue {
  readonly serviceId: string;
  /** At most MOST. */
  readonly sends: number;
  readonly oldestSeconds: number;
}

const MOST = 10_000;
/** A send that is leaving is not late yet. */
const LATE_MS = 1_000;

// By sql/scheduler/functions/overdue_sends.sql: the head of index send_work for each project.
const OVERDUE = prepared(`
select service_id as "serviceId", sends, extract(epoch from $1 - oldest)::float8 as "oldestSeconds"
  from overdue_sends($1, $2, $3)`);

/** One row for each project that has such sends. */
export async function overdueSends(sql: Sql, now: EpochMs): Promise<Overdue[]> {
  return sql.query<Overdue>(OVERDUE, [new Date(now), new Date(now - LATE_MS), MOST]);
}

// What should have left and has not, though nothing holds its project back: by it replicas are added.
import type { Sql } from '../../../../platform/database/database.js';
import { prepared } from '../../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../../zone-rules/zone-rules.js';
import type { Days } from '../work-days.store.js';

export interface Overdue {
  readonly serviceId: string;
  /** At most MOST are counted. */
  readonly sends: number;
  readonly oldestSeconds: number;
}

const MOST = 10_000;
/** What is on its way out is not late yet. */
const LATE_MS = 1_000;

// sql/scheduler/functions/overdue_sends.sql: the head of the index send_work for each project.
const OVERDUE = prepared(`
select service_id as "serviceId", sends, extract(epoch from $1 - oldest)::float8 as "oldestSeconds"
  from overdue_sends($1, $2, $3, $4, $5, $6)`);

/** Of each project that has any. */
export async function overdueSends(sql: Sql, now: EpochMs, days: Days): Promise<Overdue[]> {
  const { lows, highs, few } = days;
  return sql.query<Overdue>(OVERDUE, [new Date(now), new Date(now - LATE_MS), MOST, lows, highs, few]);
}

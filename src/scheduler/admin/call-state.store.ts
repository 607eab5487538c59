// How every project is called now, in one statement: for /metrics.
import type { Sql } from '../../platform/database/database.js';
import { CLIMBED_RATE } from '../push-client/pace.store.js';
import { TROUBLE_GOOD_FOR } from '../push-client/project-trouble.store.js';

export interface CallState {
  readonly serviceId: string;
  /** Calls a second it is set to, and now. */
  readonly ratePerSecond: number;
  readonly rate: number;
  readonly blockedCode: string | null;
  /** Code → processes that have it. */
  readonly troubles: Readonly<Record<string, number>>;
}

export async function callStates(sql: Sql, now: Date): Promise<CallState[]> {
  return sql.query<CallState>(
    `select p.service_id as "serviceId", p.rate_per_second as "ratePerSecond",
            coalesce((select ${CLIMBED_RATE} from project_pace a where a.service_id = p.service_id),
                     p.rate_per_second)::float8 as rate,
            case when p.blocked_until > $1 then p.blocked_code end as "blockedCode",
            coalesce((select jsonb_object_agg(t.code, t.processes)
               from (select code, count(*) as processes from project_trouble
                      where service_id = p.service_id and seen_at > clock_timestamp() - ${TROUBLE_GOOD_FOR}
                      group by code) t), '{}') as troubles
       from project p order by p.service_id`,
    [now],
  );
}

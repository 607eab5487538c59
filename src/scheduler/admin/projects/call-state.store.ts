// Reads how every project is called at the moment, in one statement: for /metrics and /health/ready.
import type { Sql } from '../../../platform/database/database.js';
import { CLIMBED_RATE } from '../../push-client/rate/pace.store.js';
import { TROUBLE_GOOD_FOR } from '../../push-client/blocks/project-trouble.store.js';

export interface CallState {
  readonly serviceId: string;
  /** Calls a second: the rate that is set, and the rate at the moment. */
  readonly ratePerSecond: number;
  readonly rate: number;
  readonly blockedCode: string | null;
  /** How many processes have a trouble, by its code. */
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

// What a publisher may know of push projects: enough to write a campaign for one. Never writes.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { ProjectSettings } from '../../store/project.store.js';

export const ServiceRow = ProjectSettings.pick({
  serviceId: true,
  defaultZone: true,
  principalZones: true,
  policyDefaults: true,
  reservations: true,
  maxTo: true,
  ratePerSecond: true,
  approval: true,
})
  .extend({
    blocked: z
      .string()
      .nullable()
      .describe('Why nothing leaves for it now, as a code; null: it is not blocked'),
  })
  .meta({ id: 'Service' });
export type ServiceRow = z.output<typeof ServiceRow>;

/** Those after `after` in order of serviceId, among those held (null: all). By the primary key. */
export async function servicePage(
  sql: Sql,
  held: readonly string[] | null,
  page: { readonly after: string | undefined; readonly limit: number; readonly now: Date },
): Promise<ServiceRow[]> {
  return sql.query<ServiceRow>(
    `select service_id as "serviceId", default_zone as "defaultZone", principal_zones as "principalZones",
            policy_defaults as "policyDefaults", reservations, max_to as "maxTo", rate_per_second as "ratePerSecond", approval,
            case when blocked_until > $4 then blocked_code end as blocked
       from project where ($1::text[] is null or service_id = any($1)) and ($2::text is null or service_id > $2)
      order by service_id limit $3`,
    [held, page.after ?? null, page.limit, page.now],
  );
}

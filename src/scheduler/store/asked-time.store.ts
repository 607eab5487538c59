// Reads the wall times that planned cells ask for and that are still to come, for the comparison of zone rules.
import type { Sql } from '../../platform/database/database.js';
import { policyDefaults } from '../decide/timing/campaign-policy.js';
import type { AskedTime } from '../decide/timing/moved-times.js';

export interface AskedTimeRow extends AskedTime {
  readonly cells: number;
  readonly campaigns: number;
}

/**
 * Zones and wall times of cells that are due after `now`, each with how many cells ask for it. Cells on a fixed offset and those that
 * a passed zone moved to the next day are left out. Index occurrence_open, then the cells of each occurrence by the primary key; the
 * policy of each campaign once, because data may be a megabyte. Locks nothing.
 */
export async function askedTimes(sql: Sql, now: Date): Promise<AskedTimeRow[]> {
  return sql.query<AskedTimeRow>(
    `with open as materialized (
       select campaign, occurrence, revision from occurrence
        where state in ('planned', 'running', 'canceling') and last_due >= $1),
     policy as materialized (
       select o.campaign, o.revision,
              jsonb_build_object('gap', coalesce(r.data #>> '{policy,dst,gap}', '${policyDefaults.dst.gap}'),
                                 'overlap', coalesce(r.data #>> '{policy,dst,overlap}', '${policyDefaults.dst.overlap}')) as dst
         from (select distinct campaign, revision from open) o join revision r using (campaign, revision))
     select c.zone, c.local_reading->>'asked' as local, p.dst, count(*)::int as cells, count(distinct c.campaign)::int as campaigns
       from open o join cell c using (campaign, occurrence) join policy p on p.campaign = o.campaign and p.revision = o.revision
      where c.due_at >= $1 and c.skipped_code is null and c.local_reading->>'asked' is not null and c.zone not like 'UTC%:%'
        and coalesce(c.verdicts->'passedZone'->>'kind', '') <> 'next-day'
      group by 1, 2, 3 order by 2, 1`,
    [now],
  );
}

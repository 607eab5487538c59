// Reads why most devices and ids of campaigns got nothing, as their breakdowns say. Reads only.
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { LOSSES } from './reasons-of.js';

// Constraint breakdown_rollup_key, whose first column is the campaign: the rows of these campaigns alone.
const TOP = `
select distinct on (r.campaign) r.campaign, r.reason, r.devices
  from (select b.campaign, b.reason, sum(b.devices)::float8 as devices
          from breakdown_rollup b
         where b.campaign = any($1::uuid[]) and b.reason is not null and b.outcome in ${sqlList(LOSSES)}
         group by 1, 2 having sum(b.devices) > 0) r
 order by r.campaign, r.devices desc, r.reason`;

/** The most frequent reason by campaign, with how many devices or ids it has: "NO_AD_AGREEMENT (12)". */
export async function topReasonsOf(
  sql: Sql,
  campaigns: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (campaigns.length === 0) return new Map();
  const rows = await sql.query<{ campaign: string; reason: string; devices: number }>(TOP, [campaigns]);
  return new Map(rows.map(({ campaign, reason, devices }) => [campaign, `${reason} (${devices})`]));
}

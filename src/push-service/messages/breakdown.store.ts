// Named SQL of the extension `result-breakdown`: who got a message, who did not and why, over all its firings.
import type { BreakdownRow } from '../gateway/answers.js';
import type { CountPage } from '../gateway/fields.js';
import type { Sql } from '../../platform/database/database.js';

/**
 * Reads every delivery row of the message (primary key by firing), or the counts of those that retention ended: for a
 * question a person asks, not for a poll. What is still laid down in chunks is `pending`.
 */
export async function findBreakdown(
  sql: Sql,
  messageId: string,
  { pageSize, pageIndex }: CountPage,
): Promise<BreakdownRow[]> {
  return sql.query<BreakdownRow>(
    `with ours as (select id from firing where message_id = $1),
     rows_of as (
       select d.device_type, d.country, d.language, d.timezone, d.outcome, d.reason, count(*) as count
       from delivery d where d.firing_id in (select id from ours) group by 1, 2, 3, 4, 5, 6
       union all
       select o.device_type, o.country, o.language, o.timezone, o.outcome, nullif(o.reason, ''), o.count
       from outcome_count o where o.firing_id in (select id from ours)
       union all
       select s.device_type, s.country, s.language, s.timezone, 'suppressed', s.reason, sum(s.count)
       from suppression s where s.firing_id in (select id from ours) group by 1, 2, 3, 4, 5, 6
       union all
       select t.device_type, t.country, t.language, t.timezone, 'pending', null, count(*)
       from fan_out_chunk c, unnest(c.device_types, c.countries, c.languages, c.timezones)
              as t(device_type, country, language, timezone)
       where c.firing_id in (select id from ours) group by 1, 2, 3, 4, 5, 6
     )
     select device_type as "deviceType", country, language, timezone, outcome, reason, sum(count)::int as count
     from rows_of group by 1, 2, 3, 4, 5, 6 order by device_type, country, language, timezone, outcome, reason
     limit $2::bigint offset $3::bigint`,
    [messageId, pageSize, pageSize * pageIndex],
  );
}

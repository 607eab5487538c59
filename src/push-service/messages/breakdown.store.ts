// Named SQL of the extension `result-breakdown`: who got a message, who did not and why, over all its firings.
import type { BreakdownRow } from '../../push-contract/messages.js';
import { rowsOf, type Sql } from '../../platform/database/database.js';

/**
 * Reads every delivery row of the message (primary key by firing), or the counts of those that retention ended: for a
 * question a person asks, not for a poll. What is still laid down in chunks is `pending`.
 */
export async function findBreakdown(sql: Sql, messageId: string): Promise<BreakdownRow[]> {
  return rowsOf<BreakdownRow>(
    sql,
    `WITH ours AS (SELECT id FROM firing WHERE message_id = $1),
     rows_of AS (
       SELECT d.device_type, d.country, d.language, d.timezone, d.outcome, d.reason, count(*) AS count
       FROM delivery d WHERE d.firing_id IN (SELECT id FROM ours) GROUP BY 1, 2, 3, 4, 5, 6
       UNION ALL
       SELECT o.device_type, o.country, o.language, o.timezone, o.outcome, nullif(o.reason, ''), o.count
       FROM outcome_count o WHERE o.firing_id IN (SELECT id FROM ours)
       UNION ALL
       SELECT s.device_type, s.country, s.language, s.timezone, 'suppressed', s.reason, sum(s.count)
       FROM suppression s WHERE s.firing_id IN (SELECT id FROM ours) GROUP BY 1, 2, 3, 4, 5, 6
       UNION ALL
       SELECT t.device_type, t.country, t.language, t.timezone, 'pending', NULL, count(*)
       FROM fan_out_chunk c, unnest(c.device_types, c.countries, c.languages, c.timezones)
              AS t(device_type, country, language, timezone)
       WHERE c.firing_id IN (SELECT id FROM ours) GROUP BY 1, 2, 3, 4, 5, 6
     )
     SELECT device_type AS "deviceType", country, language, timezone, outcome, reason, sum(count)::int AS count
     FROM rows_of GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY device_type, country, language, timezone, outcome, reason`,
    [messageId],
  );
}

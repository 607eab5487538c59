// Named SQL of the extension `result-breakdown`: who got a message, who did not, and why. It counts over all firings.
import type { BreakdownRow, ResultBreakdown } from '../gateway/answers.js';
import type { CountPage } from '../gateway/fields.js';
import type { Sql } from '../../platform/database/database.js';

/**
 * Adds up a message's firings. A firing that is summed up counts by its sums, which stay when its rows are gone. Any other firing
 * counts by its rows. One snapshot shows which is which, so the statement counts nothing twice. Devices that are still in chunks
 * are `pending`. The statement reads too much to be polled.
 */
export async function findBreakdown(
  sql: Sql,
  messageId: string,
  { pageSize, pageIndex }: CountPage,
): Promise<BreakdownRow[]> {
  return sql.query<BreakdownRow>(
    `with ours as materialized (select id, state, summed from firing where message_id = $1),
     ended as materialized (
       select c.firing_id, d.device_id
       from fan_out_chunk c cross join lateral devices_with_outcome(c.firing_id, c.device_ids) as d(device_id)
       where c.firing_id in (select id from ours) and c.state = 'CLAIMED'
     ),
     rows_of as (
       select d.device_type, d.country, d.language, d.timezone, d.outcome, d.reason, d.count
       from ours cross join lateral outcomes_of(ours.id) d where ours.state in ('SENDING', 'FINISHED') and not ours.summed
       union all
       select o.device_type, o.country, o.language, o.timezone, o.outcome, nullif(o.reason, ''), o.count
       from outcome_count o where o.firing_id in (select id from ours where summed)
       union all
       select s.device_type, s.country, s.language, s.timezone, 'suppressed', s.reason, sum(s.count)
       from suppression s where s.firing_id in (select id from ours) group by 1, 2, 3, 4, 5, 6
       union all
       select c.device_type, t.country, t.language, t.timezone, 'pending', null, count(*)
       from fan_out_chunk c, unnest(c.device_ids, c.countries, c.languages, c.timezones)
              as t(device_id, country, language, timezone)
       where c.firing_id in (select id from ours)
         -- Some devices of a chunk that is being handed over have their rows already.
         and not exists (select from ended d where d.firing_id = c.firing_id and d.device_id = t.device_id)
       group by 1, 2, 3, 4, 5, 6
     )
     select device_type as "deviceType", country, language, timezone, outcome, reason, sum(count)::int as count
     from rows_of group by 1, 2, 3, 4, 5, 6 order by device_type, country, language, timezone, outcome, reason
     limit $2::bigint offset $3::bigint`,
    [messageId, pageSize, pageSize * pageIndex],
  );
}

/**
 * How many of the ids that a message names are registered now: a user who has registered or left since the message went out counts as
 * of now. Undefined where the target is not USER. Reads by unique keys, at most 10 000 ids.
 */
export async function findNamedIds(sql: Sql, messageId: string): Promise<ResultBreakdown['ids']> {
  const [row] = await sql.query<NonNullable<ResultBreakdown['ids']>>(
    `with target as materialized (
       select m.service_id, m.request::jsonb -> 'target' as target from message m where m.id = $1),
     named as materialized (
       select t.service_id, i.user_id from target t
        cross join lateral (select distinct jsonb_array_elements_text(t.target -> 'to') as user_id) i
        where t.target ->> 'type' = 'USER'),
     known as (
       select u.key as known, exists (select from device d where d.service_id = n.service_id and d.user_key = u.key and d.active) as reachable
         from named n left join push_user u on u.service_id = n.service_id and u.user_id = n.user_id)
     select count(*)::int as named, (count(*) filter (where k.known is null))::int as unknown,
            (count(*) filter (where k.known is not null and not k.reachable))::int as "withoutDevice"
       from known k having count(*) > 0`,
    [messageId],
  );
  return row;
}

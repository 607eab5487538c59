// Named SQL of a run of small firings: the targets of all of them, their chunks and the marks of firings and messages
// in one statement. Called inside the transaction that holds their locks.
import type { Sql } from '../../platform/database/database.js';
import { endReason, nextNight, suppressedBecause } from './consent.js';
import { CHUNK_SIZE, type TargetFilter } from './firing.store.js';

const EXPAND_RUN = `
  with asked as materialized (
    select a.firing_id, a.service_id, a.device_type, string_to_array(a.countries, ',') as countries,
           string_to_array(a.timezones, ',')::int[] as timezones, a.advertising, a.quarter,
           a.gcm_end, a.gcm_reason, a.apns_end, a.apns_reason
    from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bool[], $10::int[],
                $11::timestamptz[], $12::text[], $13::timestamptz[], $14::text[])
           as a(firing_id, service_id, device_type, countries, timezones, advertising, quarter,
                gcm_end, gcm_reason, apns_end, apns_reason)
  ), targeted as materialized (
    select a.firing_id, a.service_id, d.id, u.key, d.device_type, u.country, u.language, u.timezone,
           ${suppressedBecause('a.advertising', '$9::timestamptz')} as reason, fixed.fixed_end, fixed.fixed_reason,
           least(${nextNight('a.advertising', '$9::timestamptz')}, fixed.fixed_end) as not_after
    from unnest($7::bigint[], $8::text[]) as n(firing_id, user_id)
    join asked a on a.firing_id = n.firing_id
    cross join lateral (select * from push_user p where p.service_id = a.service_id and p.user_id = n.user_id offset 0) u
    cross join lateral (select id, device_type from device
                        where service_id = u.service_id and user_key = u.key and active offset 0) d
    cross join lateral (select case d.device_type when 'GCM' then a.gcm_end else a.apns_end end as fixed_end,
                               case d.device_type when 'GCM' then a.gcm_reason else a.apns_reason end as fixed_reason) fixed
    where (a.device_type is null or d.device_type = a.device_type)
      and (a.countries is null or u.country = any(a.countries))
      and (a.timezones is null or u.timezone = any(a.timezones))
      and (a.quarter is null or (u.timezone >= a.quarter - 450 and u.timezone < a.quarter + 450))
  ), numbered as (
    select *, (row_number() over (partition by firing_id, device_type, not_after) - 1) / ${CHUNK_SIZE} as part
    from targeted where reason is null
  ), laid as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                               device_ids, user_keys, countries, languages, timezones)
    select firing_id, row_number() over (partition by firing_id order by part, device_type, not_after) - 1, service_id,
           device_type, not_after, ${endReason('not_after', 'fixed_end', 'fixed_reason')}, count(*), array_agg(id),
           array_agg(key), array_agg(country), array_agg(language), array_agg(timezone)
    from numbered group by firing_id, service_id, device_type, not_after, fixed_end, fixed_reason, part
    returning firing_id, targets
  ), left_out as (
    insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
    select firing_id, reason, device_type, country, language, timezone, count(*)
    from targeted where reason is not null group by 1, 2, 3, 4, 5, 6
  ), counted as (
    select a.firing_id, count(laid.targets)::int as chunks, coalesce(sum(laid.targets), 0) as targets
    from asked a left join laid on laid.firing_id = a.firing_id group by a.firing_id
  ), fired as (
    update firing f set state = case when c.chunks = 0 then 'FINISHED' else 'SENDING' end, fired_at = $9,
      complete_at = case when c.chunks = 0 then $9::timestamptz end, target_count = c.targets, chunks_left = c.chunks,
      summed = c.chunks = 0
    from counted c where f.id = c.firing_id returning f.message_id, c.chunks, c.targets
  )
  update message m set target_count = m.target_count + s.targets,
    state = case when m.kind = 'scheduled' then m.state when s.chunks = 0 then 'FINISHED' else 'FIRED' end,
    complete_at = case when m.kind <> 'scheduled' and s.chunks = 0 then $9::timestamptz else m.complete_at end
  from (select message_id, sum(chunks) as chunks, sum(targets) as targets from fired group by message_id) s
  where m.id = s.message_id`;

/**
 * What expandPage and markExpanded do for one, for USER firings alone. Users and devices are looked up one by one by
 * their keys; OFFSET 0 holds the planner to that, which would else read a whole table for some hundred users.
 */
export async function expandRun(sql: Sql, filters: readonly TargetFilter[], at: Date): Promise<void> {
  // A name given twice is one user.
  const named = filters.flatMap(({ firingId, to }) =>
    [...new Set(to)].map((userId) => ({ firingId, userId })),
  );
  await sql.query(EXPAND_RUN, [
    filters.map((one) => one.firingId),
    filters.map((one) => one.serviceId),
    filters.map((one) => one.deviceType),
    filters.map((one) => one.countries?.join(',') ?? null),
    filters.map((one) => one.timezones?.join(',') ?? null),
    filters.map((one) => one.advertising),
    named.map((one) => one.firingId),
    named.map((one) => one.userId),
    at,
    filters.map((one) => one.quarter),
    filters.map(({ deadlines }) => deadlines.GCM.at),
    filters.map(({ deadlines }) => deadlines.GCM.reason),
    filters.map(({ deadlines }) => deadlines.APNS.at),
    filters.map(({ deadlines }) => deadlines.APNS.reason),
  ]);
}

// Named SQL of a run of small firings. One statement finds the targets of all, makes their chunks, and moves firings and messages
// on. Call it inside the transaction that holds their locks.
import { columnsOf } from '../../platform/database/row-arrays.js';
import type { Sql } from '../../platform/database/database.js';
import { endReason, insertLeftOut, nextNight, suppressedBecause } from './consent.js';
import { CHUNK_COLUMNS, CHUNK_SIZE, markExpandedAt, type TargetFilter } from './firing.store.js';

const ASKED = columnsOf(
  `firing_id bigint, service_id text, user_ids text, device_type text, countries text, timezones text, quarter int,
   advertising boolean, gcm_end timestamptz, gcm_reason text, apns_end timestamptz, apns_reason text`,
);
/** The parameter after those of ASKED. */
const NOW = '$13::timestamptz';

const EXPAND_RUN = `
  with asked as materialized (
    select a.*, a.countries::text[] as in_countries, a.timezones::int[] as in_timezones from ${ASKED.from} a
  ), targeted as materialized (
    select a.firing_id, a.service_id, d.id, u.key, d.device_type, u.country, u.language, u.timezone,
           ${suppressedBecause('a.advertising', NOW)} as reason, fixed.fixed_end, fixed.fixed_reason,
           least(${nextNight('a.advertising', NOW)}, fixed.fixed_end) as not_after
    from asked a
    cross join lateral unnest(a.user_ids::text[]) as n(user_id)
    cross join lateral (select * from push_user p where p.service_id = a.service_id and p.user_id = n.user_id offset 0) u
    cross join lateral (select id, device_type from device
                        where service_id = u.service_id and user_key = u.key and active offset 0) d
    cross join lateral (select case d.device_type when 'GCM' then a.gcm_end else a.apns_end end as fixed_end,
                               case d.device_type when 'GCM' then a.gcm_reason else a.apns_reason end as fixed_reason) fixed
    where (a.device_type is null or d.device_type = a.device_type)
      and (a.in_countries is null or u.country = any(a.in_countries))
      and (a.in_timezones is null or u.timezone = any(a.in_timezones))
      and (a.quarter is null or (u.timezone >= a.quarter - 450 and u.timezone < a.quarter + 450))
  ), numbered as (
    select *, (row_number() over (partition by firing_id, device_type, not_after) - 1) / ${CHUNK_SIZE} as chunk_index
    from targeted where reason is null
  ), laid as (
    insert into fan_out_chunk (${CHUNK_COLUMNS})
    select firing_id, row_number() over (partition by firing_id order by chunk_index, device_type, not_after) - 1, service_id,
           device_type, not_after, ${endReason('not_after', 'fixed_end', 'fixed_reason')}, count(*), array_agg(id),
           array_agg(key), array_agg(country), array_agg(language), array_agg(timezone)
    from numbered group by firing_id, service_id, device_type, not_after, fixed_end, fixed_reason, chunk_index
    returning firing_id, targets
  ), left_out as (
    ${insertLeftOut('targeted where reason is not null')}
  ), counted as (
    select a.firing_id, count(laid.targets)::int as chunks, coalesce(sum(laid.targets), 0) as targets
    from asked a left join laid on laid.firing_id = a.firing_id group by a.firing_id
  ), ${markExpandedAt(NOW)}`;

/**
 * Does for USER firings what expandPage and markExpanded do for one firing. It looks up users and devices one by one by their
 * keys. `offset 0` forces that: the planner would otherwise read a whole table for a few hundred users.
 */
export async function expandRun(sql: Sql, filters: readonly TargetFilter[], at: Date): Promise<void> {
  const asked = filters.map(({ to, deadlines: { GCM, APNS }, ...filter }) => ({
    ...filter,
    // A user who is named twice gets the message once.
    userIds: [...new Set(to)],
    gcmEnd: GCM.at,
    gcmReason: GCM.reason,
    apnsEnd: APNS.at,
    apnsReason: APNS.reason,
  }));
  await sql.query(EXPAND_RUN, [...ASKED.parametersOf(asked), at]);
}

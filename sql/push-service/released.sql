-- Every statement that push-service sends, as of the last release, each below the file that sends it and its types:
-- (parameters) -> (columns of the answer). Written by `npm run released` at a release, and at no other time: a change of the
-- schema must leave them as they are (CONTRIBUTING.md, "Upgrades"). Read by test/integration/upgrades.spec.ts.

-- src/platform/reseal.ts (text) -> (text[], text)
select array[access_key] as row, secret_sealed as sealed from access_key
      where secret_sealed is not null and not starts_with(secret_sealed, $1)
        
      order by access_key limit 500
;

-- src/platform/reseal.ts (text) -> (text[], text)
select array[service_id, kind] as row, secret_sealed as sealed from provider_credential
      where secret_sealed is not null and not starts_with(secret_sealed, $1)
        
      order by service_id, kind limit 500
;

-- src/platform/reseal.ts (text) -> (text, integer, text[])
select split_part(secret_sealed, '.', 1) as id, count(*)::int as count,
              (array_agg(concat_ws(' ', access_key) order by access_key))[1:5] as some
         from access_key where secret_sealed is not null and not starts_with(secret_sealed, $1) group by 1 order by 1
;

-- src/platform/reseal.ts (text) -> (text, integer, text[])
select split_part(secret_sealed, '.', 1) as id, count(*)::int as count,
              (array_agg(concat_ws(' ', service_id, kind) order by service_id, kind))[1:5] as some
         from provider_credential where secret_sealed is not null and not starts_with(secret_sealed, $1) group by 1 order by 1
;

-- src/platform/reseal.ts (text[], text[], text[]) -> ()
update access_key t set secret_sealed = n.fresh
       from unnest($1::text[], $2::text[], $3::text[]) as n(former, fresh, access_key)
      where t.access_key = n.access_key and t.secret_sealed = n.former
;

-- src/platform/reseal.ts (text[], text[], text[], text[]) -> ()
update provider_credential t set secret_sealed = n.fresh
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as n(former, fresh, service_id, kind)
      where t.service_id = n.service_id and t.kind = n.kind and t.secret_sealed = n.former
;

-- src/push-service/channels/channel.store.ts (text, text[]) -> ()
delete from channel where service_id = $1 and channel_name = any($2::text[])
;

-- src/push-service/channels/channel.store.ts (text, text, text, timestamp with time zone) -> (bigint)
insert into channel (service_id, channel_name, channel_desc, created_at) values ($1, $2, $3, $4)
     on conflict (service_id, channel_name) do nothing returning id
;

-- src/push-service/channels/channel.store.ts (text, text, bigint, bigint) -> (text, text, timestamp with time zone, timestamp with time zone)
select channel_name as "channelName", channel_desc as "channelDesc", created_at as "createdAt", updated_at as "updatedAt" from channel where service_id = $1 and strpos(channel_name, $2::text) > 0
     order by channel_name limit $3::bigint offset $4::bigint
;

-- src/push-service/channels/channel.store.ts (text, text[]) -> (text)
select channel_name as name from channel where service_id = $1 and channel_name = any($2::text[])
     order by channel_name for update
;

-- src/push-service/channels/channel.store.ts (text, text[], text[], timestamp with time zone) -> (text, text, timestamp with time zone, timestamp with time zone)
with given as (
       select * from unnest($2::text[], $3::text[]) with ordinality as g(name, description, place)
     ), changed as (
       update channel c set channel_desc = coalesce(g.description, c.channel_desc), updated_at = $4
       from given g where c.service_id = $1 and c.channel_name = g.name
       returning c.*, g.place
     )
     select channel_name as "channelName", channel_desc as "channelDesc", created_at as "createdAt", updated_at as "updatedAt" from changed order by place
;

-- src/push-service/channels/channel.store.ts (text, text, text) -> (boolean, boolean)
with who as (
       select (select id from channel where service_id = $1 and channel_name = $2) as channel_id,
              (select key from push_user where service_id = $1 and user_id = $3) as user_key
     ), changed as (delete from channel_member m using who where m.channel_id = who.channel_id and m.user_key = who.user_key)
     select channel_id is not null as "channelExists", user_key is not null as "userExists" from who
;

-- src/push-service/channels/channel.store.ts (text, text, text) -> (boolean, boolean)
with who as (
       select (select id from channel where service_id = $1 and channel_name = $2) as channel_id,
              (select key from push_user where service_id = $1 and user_id = $3) as user_key
     ), changed as (insert into channel_member (channel_id, user_key)
          select channel_id, user_key from who where channel_id is not null and user_key is not null
          on conflict do nothing)
     select channel_id is not null as "channelExists", user_key is not null as "userExists" from who
;

-- src/push-service/create-push-service.ts (timestamp with time zone) -> (name, timestamp with time zone)
select c.relname as parent, d.day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select $1::timestamptz + n * interval '24 hours' as day from generate_series(-1, 3) n) d
 where c.relnamespace = current_schema()::regnamespace
   and not exists (select from pg_class t
                    where t.relname = c.relname || to_char(d.day at time zone 'UTC', '_YYYY_MM_DD')
                      and t.relnamespace = c.relnamespace and t.relispartition) limit 1
;

-- src/push-service/create-push-service.ts () -> (text, text, text[])
select p.parent, p.name, array(
         select concat(a.pid, ' (', coalesce(nullif(a.application_name, ''), a.usename, '?'), ')',
                       to_char(a.xact_start at time zone 'UTC', '" since "YYYY-MM-DD"T"HH24:MI:SS"Z"'))
           from pg_stat_activity a
          where a.datname = current_database() and a.pid <> pg_backend_pid() and age(a.backend_xmin) >= age(i.xmin)
            and coalesce(a.backend_type, 'client backend') = 'client backend'
          order by a.xact_start limit 3) as readers
  from day_partition p join pg_inherits i on i.inhrelid = to_regclass(format('%I', p.name))
 where p.is_going order by p.low, p.parent
;

-- src/push-service/create-push-service.ts () -> (integer)
select 1
;

-- src/push-service/create-push-service.ts () -> (text, text)
select current_setting('server_version') as version, current_setting('server_version_num') as number
;

-- src/push-service/credentials/credential.store.ts (text, text) -> (uuid)
delete from provider_credential where service_id = $1 and kind = $2 returning id
;

-- src/push-service/credentials/credential.store.ts (uuid, text, text, jsonb, text, timestamp with time zone) -> (text, integer, jsonb, text, timestamp with time zone, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, text, timestamp with time zone, timestamp with time zone)
insert into provider_credential as c (id, service_id, kind, settings, secret_sealed, created_at, updated_at)
     select $1, id, $3, $4, $5, $6, $6 from service where id = $2 and removed_at is null
     on conflict (service_id, kind) do update
       set version = c.version + 1, settings = excluded.settings, secret_sealed = excluded.secret_sealed,
           fault = null, fault_since = null, warning = null, warned_at = null, proven_at = null,
           checked_at = null, check_good = null, check_says = null, updated_at = excluded.updated_at
     returning kind, version, settings, fault, fault_since as "faultAt", warning, warned_at as "warnedAt",
  proven_at as "provenAt", checked_at as "checkedAt", check_good as "checkGood", check_says as "checkSays",
  created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/credentials/credential.store.ts (text, text) -> (uuid, integer, timestamp with time zone)
select id, version, fault_since as "faultSince" from provider_credential where service_id = $1 and kind = $2
;

-- src/push-service/credentials/credential.store.ts (text) -> (text, integer, jsonb, text, timestamp with time zone, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean, text, timestamp with time zone, timestamp with time zone)
select kind, version, settings, fault, fault_since as "faultAt", warning, warned_at as "warnedAt",
  proven_at as "provenAt", checked_at as "checkedAt", check_good as "checkGood", check_says as "checkSays",
  created_at as "createdAt", updated_at as "updatedAt" from provider_credential where service_id = $1 order by kind
;

-- src/push-service/credentials/credential.store.ts () -> (void)
select pg_notify('push_credentials_changed', '')
;

-- src/push-service/credentials/credential.store.ts (timestamp with time zone) -> (text, text, text, timestamp with time zone, text)
select service_id as "serviceId", kind, fault, fault_since as "faultSince",
            case when warned_at >= $1 then warning end as warning
     from provider_credential where fault is not null or warned_at >= $1 order by service_id, kind
;

-- src/push-service/credentials/credential.store.ts (uuid, integer) -> (text, text, jsonb, text, boolean)
select service_id as "serviceId", kind, settings, secret_sealed as "secretSealed",
            proven_at is not null and fault is null as "isProven"
     from provider_credential where id = $1 and version = $2
;

-- src/push-service/credentials/credential.store.ts (uuid, integer, boolean, text) -> (integer)
update provider_credential
       set check_good = $3, check_says = $4,
           version = version + case when $3 and fault is not null then 1 else 0 end,
           fault = case when $3 then null else fault end,
           fault_since = case when $3 then null else fault_since end
     where id = $1 and version = $2 returning version
;

-- src/push-service/credentials/credential.store.ts (text, text, double precision) -> (uuid, integer, text)
update provider_credential set checked_at = clock_timestamp(), check_good = null, check_says = null
     where service_id = $1 and kind = $2
       and (checked_at is null or checked_at <= clock_timestamp() - make_interval(secs => $3))
     returning id, version, fault
;

-- src/push-service/credentials/credential.store.ts (uuid, integer, timestamp with time zone, text) -> (text, text)
update provider_credential set fault = $4, fault_since = coalesce(fault_since, $3) where id = $1 and version = $2 and (fault is null or fault <> $4)
     returning service_id as "serviceId", kind
;

-- src/push-service/credentials/credential.store.ts (uuid, integer, timestamp with time zone) -> (text, text)
update provider_credential set proven_at = coalesce(proven_at, $3), fault = null, fault_since = null where id = $1 and version = $2 and (proven_at is null or fault is not null)
     returning service_id as "serviceId", kind
;

-- src/push-service/credentials/credential.store.ts (uuid, integer, timestamp with time zone, text) -> (text, text)
update provider_credential set warning = $4, warned_at = $3 where id = $1 and version = $2 and $3::timestamptz is not null
     returning service_id as "serviceId", kind
;

-- src/push-service/delivery/chunk.store.ts (bigint[], integer[], integer[], integer[], uuid, integer) -> (bigint, integer)
update fan_out_chunk c set handed = greatest(c.handed, held.handed),
    lease_until = clock_timestamp() + $6::int * interval '1 millisecond'
  from unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) as held(firing_id, chunk_no, claims, handed)
  where c.firing_id = held.firing_id and c.chunk_no = held.chunk_no and c.claims = held.claims
    and c.claimed_by = $5 and c.state = 'CLAIMED'
  returning c.firing_id as "firingId", c.chunk_no as "chunkNo"
;

-- src/push-service/delivery/chunk.store.ts (uuid, integer, text, text, timestamp with time zone) -> (bigint, integer, integer, integer, integer, uuid, boolean, timestamp with time zone, text, json, json, json, json, json, json, json, json)
with due as materialized (
    select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and refusals > 0 order by firing_id, chunk_no limit 1 for update skip locked
  ), oldest as materialized (
    select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and not exists (select from due) order by firing_id, chunk_no limit 1 for update skip locked
  ), first as (select * from due union all select * from oldest), beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and targets <= 20
      and claims = passes and (select is_small from first)
    order by firing_id, chunk_no limit 200 for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims, c.passes, c.refusals, f.message_id as "messageId",
    m.state = 'CANCELED' as "isCanceled", c.not_after as "notAfter", c.not_after_reason as "notAfterReason",
    to_json(c.device_ids) as "deviceIds", to_json(c.user_keys) as "userKeys", to_json(c.languages) as languages, found.*,
    case when c.claims > 1 or f.fired_at < $5::timestamptz - interval '1 minute' then (
      select json_object_agg(t.place - 1, why.reason)
      from unnest(c.user_keys) with ordinality as t(user_key, place) join push_user u on u.key = t.user_key
        cross join lateral (select case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when m.message_type = 'AD' and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when m.message_type = 'AD' and not u.night_ad_agreement and (mod(floor(extract(epoch from $5::timestamptz))::bigint + 32400, 86400) >= 75600 or mod(floor(extract(epoch from $5::timestamptz))::bigint + 32400, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason) why
      where why.reason is not null) end as suppressed
  from claimed c join firing f on f.id = c.firing_id join message m on m.id = f.message_id
    cross join lateral (
      select json_agg(d.id) as "foundIds", json_agg(case when d.active then d.user_key end) as owners,
             json_agg(d.device_token) as "foundTokens", json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
  order by c.firing_id, c.chunk_no
;

-- src/push-service/delivery/chunk.store.ts (uuid, integer, text, text, timestamp with time zone) -> (bigint, integer, integer, integer, integer, uuid, boolean, timestamp with time zone, text, json, json, json, json, json, json, json, json)
with due as materialized (
    select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and refusals > 0 order by firing_id, chunk_no limit 1 for update skip locked
  ), oldest as materialized (
    select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and not exists (select from due) order by firing_id, chunk_no limit 1 for update skip locked
  ), first as (select * from due union all select * from oldest), beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and targets <= 20
      and claims = passes and (select is_small from first)
    order by firing_id, chunk_no limit 200 for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims, c.passes, c.refusals, f.message_id as "messageId",
    m.state = 'CANCELED' as "isCanceled", c.not_after as "notAfter", c.not_after_reason as "notAfterReason",
    to_json(c.device_ids) as "deviceIds", to_json(c.user_keys) as "userKeys", to_json(c.languages) as languages, found.*,
    case when c.claims > 1 or f.fired_at < $5::timestamptz - interval '1 minute' then (
      select json_object_agg(t.place - 1, why.reason)
      from unnest(c.user_keys) with ordinality as t(user_key, place) join push_user u on u.key = t.user_key
        cross join lateral (select case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when m.message_type = 'AD' and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when m.message_type = 'AD' and not u.night_ad_agreement and (mod(floor(extract(epoch from $5::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $5::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason) why
      where why.reason is not null) end as suppressed
  from claimed c join firing f on f.id = c.firing_id join message m on m.id = f.message_id
    cross join lateral (
      select json_agg(d.id) as "foundIds", json_agg(case when d.active then d.user_key end) as owners,
             json_agg(d.device_token) as "foundTokens", json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
  order by c.firing_id, c.chunk_no
;

-- src/push-service/delivery/chunk.store.ts (uuid, integer, text, text, timestamp with time zone) -> (bigint, integer, integer, integer, integer, uuid, boolean, timestamp with time zone, text, json, json, json, json, json, json, json, json)
with first as materialized (select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 order by chunk_no, firing_id limit 1 for update skip locked), beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and targets <= 20
      and claims = passes and (select is_small from first)
    order by firing_id, chunk_no limit 200 for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims, c.passes, c.refusals, f.message_id as "messageId",
    m.state = 'CANCELED' as "isCanceled", c.not_after as "notAfter", c.not_after_reason as "notAfterReason",
    to_json(c.device_ids) as "deviceIds", to_json(c.user_keys) as "userKeys", to_json(c.languages) as languages, found.*,
    case when c.claims > 1 or f.fired_at < $5::timestamptz - interval '1 minute' then (
      select json_object_agg(t.place - 1, why.reason)
      from unnest(c.user_keys) with ordinality as t(user_key, place) join push_user u on u.key = t.user_key
        cross join lateral (select case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when m.message_type = 'AD' and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when m.message_type = 'AD' and not u.night_ad_agreement and (mod(floor(extract(epoch from $5::timestamptz))::bigint + 32400, 86400) >= 75600 or mod(floor(extract(epoch from $5::timestamptz))::bigint + 32400, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason) why
      where why.reason is not null) end as suppressed
  from claimed c join firing f on f.id = c.firing_id join message m on m.id = f.message_id
    cross join lateral (
      select json_agg(d.id) as "foundIds", json_agg(case when d.active then d.user_key end) as owners,
             json_agg(d.device_token) as "foundTokens", json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
  order by c.firing_id, c.chunk_no
;

-- src/push-service/delivery/chunk.store.ts (uuid, integer, text, text, timestamp with time zone) -> (bigint, integer, integer, integer, integer, uuid, boolean, timestamp with time zone, text, json, json, json, json, json, json, json, json)
with first as materialized (select firing_id, chunk_no, targets <= 20 and claims = passes as is_small from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 order by chunk_no, firing_id limit 1 for update skip locked), beside as materialized (
    select firing_id, chunk_no from fan_out_chunk
    where state = 'READY' and service_id = $3 and device_type = $4 and targets <= 20
      and claims = passes and (select is_small from first)
    order by firing_id, chunk_no limit 200 for update skip locked
  ), pick as (
    select firing_id, chunk_no from first union select firing_id, chunk_no from beside
  ), claimed as (
    update fan_out_chunk c set state = 'CLAIMED', claimed_by = $1, claims = c.claims + 1,
      lease_until = clock_timestamp() + $2::int * interval '1 millisecond'
    from pick where c.firing_id = pick.firing_id and c.chunk_no = pick.chunk_no returning c.*
  )
  select c.firing_id as "firingId", c.chunk_no as "chunkNo", c.claims, c.passes, c.refusals, f.message_id as "messageId",
    m.state = 'CANCELED' as "isCanceled", c.not_after as "notAfter", c.not_after_reason as "notAfterReason",
    to_json(c.device_ids) as "deviceIds", to_json(c.user_keys) as "userKeys", to_json(c.languages) as languages, found.*,
    case when c.claims > 1 or f.fired_at < $5::timestamptz - interval '1 minute' then (
      select json_object_agg(t.place - 1, why.reason)
      from unnest(c.user_keys) with ordinality as t(user_key, place) join push_user u on u.key = t.user_key
        cross join lateral (select case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when m.message_type = 'AD' and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when m.message_type = 'AD' and not u.night_ad_agreement and (mod(floor(extract(epoch from $5::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $5::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason) why
      where why.reason is not null) end as suppressed
  from claimed c join firing f on f.id = c.firing_id join message m on m.id = f.message_id
    cross join lateral (
      select json_agg(d.id) as "foundIds", json_agg(case when d.active then d.user_key end) as owners,
             json_agg(d.device_token) as "foundTokens", json_agg(date_part('epoch', d.updated_at) * 1000) as registrations
      from device d where d.id = any(c.device_ids) and (c.not_after is null or c.not_after > $5)) found
  order by c.firing_id, c.chunk_no
;

-- src/push-service/delivery/chunk.store.ts () -> (text, text)
with recursive queue as (
    (select service_id, device_type from fan_out_chunk where state = 'READY' order by service_id, device_type limit 1)
    union all
    select next.* from queue q cross join lateral (
      select service_id, device_type from fan_out_chunk
      where state = 'READY' and (service_id, device_type) > (q.service_id, q.device_type)
      order by service_id, device_type limit 1) next
  ) select service_id as "serviceId", device_type as "deviceType" from queue
;

-- src/push-service/delivery/chunk.store.ts (bigint[], text[], text[], text[], text[]) -> ()
insert into payload (firing_id, device_type, language, headers, body)
     select firing_id, device_type, language, headers::json, body
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
            as v(firing_id, device_type, language, headers, body)
     on conflict do nothing
;

-- src/push-service/delivery/chunk.store.ts (bigint[]) -> (bigint, text)
select f.id as "firingId", m.request from firing f join message m on m.id = f.message_id
     where f.id = any($1::bigint[])
;

-- src/push-service/delivery/chunk.store.ts () -> (integer)
update fan_out_chunk c set state = 'READY', not_before = null
     from (select firing_id, chunk_no from fan_out_chunk where state = 'LATER' and not_before <= clock_timestamp()
           order by not_before limit 500 for update skip locked) due
     where c.firing_id = due.firing_id and c.chunk_no = due.chunk_no returning 1
;

-- src/push-service/delivery/expand-run.store.ts (bigint[], text[], text[], text[], text[], boolean[], bigint[], text[], timestamp with time zone, integer[], timestamp with time zone[], text[], timestamp with time zone[], text[]) -> ()
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
           case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when a.advertising and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when a.advertising and not u.night_ad_agreement and (mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason, fixed.fixed_end, fixed.fixed_reason,
           least(case when a.advertising and not u.night_ad_agreement
               then date_trunc('second', $9::timestamptz) + (75600 - mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400)) * interval '1 second'
          end, fixed.fixed_end) as not_after
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
    select *, (row_number() over (partition by firing_id, device_type, not_after) - 1) / 1000 as part
    from targeted where reason is null
  ), laid as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                               device_ids, user_keys, countries, languages, timezones)
    select firing_id, row_number() over (partition by firing_id order by part, device_type, not_after) - 1, service_id,
           device_type, not_after, case when not_after < fixed_end then 'NIGHT_WITHOUT_AGREEMENT' else fixed_reason end, count(*), array_agg(id),
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
  where m.id = s.message_id
;

-- src/push-service/delivery/firing.store.ts (bigint[]) -> (bigint, integer)
update firing set attempts = attempts + 1 where id = any($1::bigint[]) and state = 'READY' returning id, attempts
;

-- src/push-service/delivery/firing.store.ts (bigint, text, timestamp with time zone) -> (uuid)
with ended as (
       update firing set state = $2, complete_at = $3 where id = $1 and state = 'READY' returning message_id
     ), told as (
       update message m set state = $2, complete_at = $3 from ended
       where m.id = ended.message_id and m.kind <> 'scheduled'
     )
     select message_id from ended
;

-- src/push-service/delivery/firing.store.ts (bigint, integer, bigint, timestamp with time zone) -> ()
with fired as (
       update firing set state = case when $2::int = 0 then 'FINISHED' else 'SENDING' end, fired_at = $4,
         complete_at = case when $2::int = 0 then $4::timestamptz end, target_count = $3, chunks_left = $2::int,
         summed = $2::int = 0
       where id = $1 returning message_id)
     update message m set target_count = target_count + $3,
       state = case when kind = 'scheduled' then state when $2::int = 0 then 'FINISHED' else 'FIRED' end,
       complete_at = case when kind <> 'scheduled' and $2::int = 0 then $4::timestamptz else complete_at end
     from fired where m.id = fired.message_id
;

-- src/push-service/delivery/firing.store.ts () -> (bigint, uuid, text, text, text, text, integer, timestamp with time zone, integer, boolean)
with first as materialized (
       select f.id, f.message_id as "messageId", f.service_id as "serviceId", m.kind,
         m.state as "messageState", m.request, f.timezone, f.due_at as "dueAt", f.attempts, f.small
       from firing f join message m on m.id = f.message_id where f.state = 'READY'  order by f.id limit 1 for no key update skip locked
     ), beside as materialized (
       select f.id, f.message_id as "messageId", f.service_id as "serviceId", m.kind,
         m.state as "messageState", m.request, f.timezone, f.due_at as "dueAt", f.attempts, f.small
       from firing f join message m on m.id = f.message_id where f.state = 'READY' and f.small and f.attempts = 0 and (select small and attempts = 0 from first)
       order by f.id limit 200 for no key update skip locked
     )
     select * from first union all select * from beside where id <> (select id from first)
;

-- src/push-service/delivery/firing.store.ts () -> (bigint, uuid, text, text, text, text, integer, timestamp with time zone, integer, boolean)
with first as materialized (
       select f.id, f.message_id as "messageId", f.service_id as "serviceId", m.kind,
         m.state as "messageState", m.request, f.timezone, f.due_at as "dueAt", f.attempts, f.small
       from firing f join message m on m.id = f.message_id where f.state = 'READY' AND f.small order by f.id limit 1 for no key update skip locked
     ), beside as materialized (
       select f.id, f.message_id as "messageId", f.service_id as "serviceId", m.kind,
         m.state as "messageState", m.request, f.timezone, f.due_at as "dueAt", f.attempts, f.small
       from firing f join message m on m.id = f.message_id where f.state = 'READY' and f.small and f.attempts = 0 and (select small and attempts = 0 from first)
       order by f.id limit 200 for no key update skip locked
     )
     select * from first union all select * from beside where id <> (select id from first)
;

-- src/push-service/delivery/firing.store.ts (bigint, text, bigint, integer, text, text[], integer[], boolean, timestamp with time zone, integer, timestamp with time zone, text, timestamp with time zone, text) -> (text, boolean, integer, integer)
with page as materialized (select key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement from push_user where service_id = $2 and key > $3::bigint order by key limit 20000),
     targeted as (
       select d.id, u.key, d.device_type, u.country, u.language, u.timezone,
         case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when $8::bool and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when $8::bool and not u.night_ad_agreement and (mod(floor(extract(epoch from $9::timestamptz))::bigint + 32400, 86400) >= 75600 or mod(floor(extract(epoch from $9::timestamptz))::bigint + 32400, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason,
         least(case when $8::bool and not u.night_ad_agreement
               then date_trunc('second', $9::timestamptz) + (75600 - mod(floor(extract(epoch from $9::timestamptz))::bigint + 32400, 86400)) * interval '1 second'
          end, case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end) as not_after
       from page u join (select id, user_key, device_type from device where service_id = $2 and active
  and user_key > $3::bigint and user_key <= (select max(key) from page)) d on d.user_key = u.key
       where ($5::text is null or d.device_type = $5) and ($6::text[] is null or u.country = any($6))
         and ($7::int[] is null or u.timezone = any($7))
         and ($10::int is null or (u.timezone >= $10 - 450 and u.timezone < $10 + 450))
     ), numbered as (
       select *, (row_number() over (partition by device_type, not_after) - 1) / 1000 as part
       from targeted where reason is null
     ), laid as (
       insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                                  device_ids, user_keys, countries, languages, timezones)
       select $1::bigint, $4::int + row_number() over (order by part, device_type, not_after) - 1, $2, device_type, not_after,
              case when not_after < case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end then 'NIGHT_WITHOUT_AGREEMENT' else case device_type when 'GCM' then $12::text else $14::text end end, count(*), array_agg(id), array_agg(key), array_agg(country),
              array_agg(language), array_agg(timezone)
       from numbered group by device_type, not_after, part returning targets
     ), left_out as (
       insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
       select $1::bigint, reason, device_type, country, language, timezone, count(*)
       from targeted where reason is not null group by 2, 3, 4, 5, 6
       on conflict (firing_id, reason, device_type, country, language, timezone)
         do update set count = suppression.count + excluded.count
     )
     select (select max(key) from page)::text as "lastKey", (select count(*) from page) = 20000 as more,
            (select count(*)::int from laid) as chunks,
            coalesce((select sum(targets)::int from laid), 0) as targets
;

-- src/push-service/delivery/firing.store.ts (bigint, text, bigint, integer, text, text[], integer[], boolean, timestamp with time zone, integer, timestamp with time zone, text, timestamp with time zone, text) -> (text, boolean, integer, integer)
with page as materialized (select key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement from push_user where service_id = $2 and key > $3::bigint order by key limit 20000),
     targeted as (
       select d.id, u.key, d.device_type, u.country, u.language, u.timezone,
         case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when $8::bool and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when $8::bool and not u.night_ad_agreement and (mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason,
         least(case when $8::bool and not u.night_ad_agreement
               then date_trunc('second', $9::timestamptz) + (75600 - mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400)) * interval '1 second'
          end, case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end) as not_after
       from page u join (select id, user_key, device_type from device where service_id = $2 and active
  and user_key > $3::bigint and user_key <= (select max(key) from page)) d on d.user_key = u.key
       where ($5::text is null or d.device_type = $5) and ($6::text[] is null or u.country = any($6))
         and ($7::int[] is null or u.timezone = any($7))
         and ($10::int is null or (u.timezone >= $10 - 450 and u.timezone < $10 + 450))
     ), numbered as (
       select *, (row_number() over (partition by device_type, not_after) - 1) / 1000 as part
       from targeted where reason is null
     ), laid as (
       insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                                  device_ids, user_keys, countries, languages, timezones)
       select $1::bigint, $4::int + row_number() over (order by part, device_type, not_after) - 1, $2, device_type, not_after,
              case when not_after < case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end then 'NIGHT_WITHOUT_AGREEMENT' else case device_type when 'GCM' then $12::text else $14::text end end, count(*), array_agg(id), array_agg(key), array_agg(country),
              array_agg(language), array_agg(timezone)
       from numbered group by device_type, not_after, part returning targets
     ), left_out as (
       insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
       select $1::bigint, reason, device_type, country, language, timezone, count(*)
       from targeted where reason is not null group by 2, 3, 4, 5, 6
       on conflict (firing_id, reason, device_type, country, language, timezone)
         do update set count = suppression.count + excluded.count
     )
     select (select max(key) from page)::text as "lastKey", (select count(*) from page) = 20000 as more,
            (select count(*)::int from laid) as chunks,
            coalesce((select sum(targets)::int from laid), 0) as targets
;

-- src/push-service/delivery/firing.store.ts (bigint, text, bigint, integer, text, text[], integer[], boolean, timestamp with time zone, integer, timestamp with time zone, text, timestamp with time zone, text, text[]) -> (text, boolean, integer, integer)
with page as materialized (select key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement from push_user where service_id = $2 and key in (
      select distinct m.user_key from channel_member m
      where m.channel_id in (select id from channel where service_id = $2 and channel_name = any($15::text[]))
        and m.user_key > $3::bigint order by m.user_key limit 20000) order by key),
     targeted as (
       select d.id, u.key, d.device_type, u.country, u.language, u.timezone,
         case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when $8::bool and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when $8::bool and not u.night_ad_agreement and (mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason,
         least(case when $8::bool and not u.night_ad_agreement
               then date_trunc('second', $9::timestamptz) + (75600 - mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400)) * interval '1 second'
          end, case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end) as not_after
       from page u cross join lateral (select id, device_type from device
  where service_id = $2 and user_key = u.key and active offset 0) d
       where ($5::text is null or d.device_type = $5) and ($6::text[] is null or u.country = any($6))
         and ($7::int[] is null or u.timezone = any($7))
         and ($10::int is null or (u.timezone >= $10 - 450 and u.timezone < $10 + 450))
     ), numbered as (
       select *, (row_number() over (partition by device_type, not_after) - 1) / 1000 as part
       from targeted where reason is null
     ), laid as (
       insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                                  device_ids, user_keys, countries, languages, timezones)
       select $1::bigint, $4::int + row_number() over (order by part, device_type, not_after) - 1, $2, device_type, not_after,
              case when not_after < case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end then 'NIGHT_WITHOUT_AGREEMENT' else case device_type when 'GCM' then $12::text else $14::text end end, count(*), array_agg(id), array_agg(key), array_agg(country),
              array_agg(language), array_agg(timezone)
       from numbered group by device_type, not_after, part returning targets
     ), left_out as (
       insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
       select $1::bigint, reason, device_type, country, language, timezone, count(*)
       from targeted where reason is not null group by 2, 3, 4, 5, 6
       on conflict (firing_id, reason, device_type, country, language, timezone)
         do update set count = suppression.count + excluded.count
     )
     select (select max(key) from page)::text as "lastKey", (select count(*) from page) = 20000 as more,
            (select count(*)::int from laid) as chunks,
            coalesce((select sum(targets)::int from laid), 0) as targets
;

-- src/push-service/delivery/firing.store.ts (bigint, text, bigint, integer, text, text[], integer[], boolean, timestamp with time zone, integer, timestamp with time zone, text, timestamp with time zone, text, text[]) -> (text, boolean, integer, integer)
with page as materialized (select key, country, language, timezone, notification_agreement, ad_agreement, night_ad_agreement from push_user where service_id = $2 and user_id = any($15::text[]) and key > $3::bigint
    order by key limit 20000),
     targeted as (
       select d.id, u.key, d.device_type, u.country, u.language, u.timezone,
         case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when $8::bool and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when $8::bool and not u.night_ad_agreement and (mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) >= 75600 or mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400) < 28800) then 'NIGHT_WITHOUT_AGREEMENT'
         end as reason,
         least(case when $8::bool and not u.night_ad_agreement
               then date_trunc('second', $9::timestamptz) + (75600 - mod(floor(extract(epoch from $9::timestamptz))::bigint + u.timezone, 86400)) * interval '1 second'
          end, case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end) as not_after
       from page u cross join lateral (select id, device_type from device
  where service_id = $2 and user_key = u.key and active offset 0) d
       where ($5::text is null or d.device_type = $5) and ($6::text[] is null or u.country = any($6))
         and ($7::int[] is null or u.timezone = any($7))
         and ($10::int is null or (u.timezone >= $10 - 450 and u.timezone < $10 + 450))
     ), numbered as (
       select *, (row_number() over (partition by device_type, not_after) - 1) / 1000 as part
       from targeted where reason is null
     ), laid as (
       insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, not_after, not_after_reason, targets,
                                  device_ids, user_keys, countries, languages, timezones)
       select $1::bigint, $4::int + row_number() over (order by part, device_type, not_after) - 1, $2, device_type, not_after,
              case when not_after < case device_type when 'GCM' then $11::timestamptz else $13::timestamptz end then 'NIGHT_WITHOUT_AGREEMENT' else case device_type when 'GCM' then $12::text else $14::text end end, count(*), array_agg(id), array_agg(key), array_agg(country),
              array_agg(language), array_agg(timezone)
       from numbered group by device_type, not_after, part returning targets
     ), left_out as (
       insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
       select $1::bigint, reason, device_type, country, language, timezone, count(*)
       from targeted where reason is not null group by 2, 3, 4, 5, 6
       on conflict (firing_id, reason, device_type, country, language, timezone)
         do update set count = suppression.count + excluded.count
     )
     select (select max(key) from page)::text as "lastKey", (select count(*) from page) = 20000 as more,
            (select count(*)::int from laid) as chunks,
            coalesce((select sum(targets)::int from laid), 0) as targets
;

-- src/push-service/delivery/outcome.store.ts (bigint[], integer[], integer[], text[], integer[], integer[], text[], integer[], uuid, timestamp with time zone, bigint[], double precision[], integer) -> (bigint, integer)
with given as (
    select * from unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::int[])
      as g(firing_id, chunk_no, claims, codes, told, repeated, fate, recorded)
  ), mine as materialized (
    select c.firing_id, c.chunk_no, c.device_type, c.device_ids, c.user_keys, c.countries, c.languages, c.timezones,
           g.codes, g.told, g.repeated, g.fate
    from given g join fan_out_chunk c on c.firing_id = g.firing_id and c.chunk_no = g.chunk_no
    where c.claimed_by = $9 and c.claims = g.claims and c.recorded = g.recorded and c.state = 'CLAIMED' for update of c
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select mine.firing_id, t.device_id, t.user_key, mine.device_type, t.country, t.language, t.timezone,
           case when t.code is null then 'sent' when t.code like '!%' then 'failed' else 'unknown' end, substr(t.code, 2),
           $10
    from mine, unnest(device_ids, user_keys, countries, languages, timezones,
                      array(select json_array_elements_text(mine.codes::json)))
           as t(device_id, user_key, country, language, timezone, code)
    where t.code is null or left(t.code, 1) in ('!', '?')
     returning firing_id, outcome
  ), left_out as (
    insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
    select mine.firing_id, substr(t.code, 2), mine.device_type, t.country, t.language, t.timezone, count(*)
    from mine, unnest(countries, languages, timezones, array(select json_array_elements_text(mine.codes::json)))
           as t(country, language, timezone, code)
    where mine.codes like '%"~%' and t.code like '~%' group by 1, 2, 3, 4, 5, 6
    on conflict (firing_id, reason, device_type, country, language, timezone)
      do update set count = suppression.count + excluded.count
  ), deactivated as (
    update device d set active = false, updated_at = $10
    from unnest($11::bigint[], $12::float8[]) as gone(id, up_to)
    where d.id = gone.id and d.updated_at <= to_timestamp(gone.up_to / 1000)
  ), renewed as (
    update fan_out_chunk c set recorded = c.recorded + mine.told,
      lease_until = clock_timestamp() + $13::int * interval '1 millisecond'
    from mine where mine.fate = 'part' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), removed as (
    delete from fan_out_chunk c using mine
    where mine.fate = 'done' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), 
  left_over as materialized (
    select mine.firing_id, mine.chunk_no, wait.after_ms, count(*)::int as targets,
           row_number() over (partition by mine.firing_id, mine.chunk_no order by wait.after_ms) as part,
           array_agg(t.device_id order by t.place) as device_ids, array_agg(t.user_key order by t.place) as user_keys,
           array_agg(t.country order by t.place) as countries, array_agg(t.language order by t.place) as languages,
           array_agg(t.timezone order by t.place) as timezones
    from mine, unnest(mine.device_ids, mine.user_keys, mine.countries, mine.languages, mine.timezones,
                      array(select json_array_elements_text(mine.codes::json))) with ordinality
           as t(device_id, user_key, country, language, timezone, code, place)
      cross join lateral (select case when t.code = '-' then 0 when t.code like '>%' then substr(t.code, 2)::int end
                            as after_ms) wait
    where mine.fate = 'back' and wait.after_ms is not null group by 1, 2, 3
  ), back as (
    update fan_out_chunk c set state = case when l.after_ms = 0 then 'READY' else 'LATER' end, not_before = case when l.after_ms > 0 then clock_timestamp() + l.after_ms * interval '1 millisecond' end,
      claimed_by = null, lease_until = null, handed = 0, recorded = 0, passes = c.passes + 1,
      refusals = c.refusals + (l.after_ms > 0)::int, targets = l.targets, device_ids = l.device_ids, user_keys = l.user_keys,
      countries = l.countries, languages = l.languages, timezones = l.timezones
    from left_over l where l.part = 1 and c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
  ), split as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, state, not_before, claims, passes, refusals,
      not_after, not_after_reason, targets, device_ids, user_keys, countries, languages, timezones)
    select c.firing_id, nextval('fan_out_chunk_split'), c.service_id, c.device_type, 'LATER', case when l.after_ms > 0 then clock_timestamp() + l.after_ms * interval '1 millisecond' end, c.claims,
           c.passes + 1, c.refusals + 1, c.not_after, c.not_after_reason, l.targets, l.device_ids, l.user_keys, l.countries,
           l.languages, l.timezones
    from left_over l join fan_out_chunk c on c.firing_id = l.firing_id and c.chunk_no = l.chunk_no where l.part > 1
    returning firing_id
  ), sums as (
    select firing_id, chunks, repeated, coalesce(sent, 0) as sent, coalesce(failed, 0) as failed,
           coalesce(unknown, 0) as unknown, told - coalesce(sent + failed + unknown, 0) as doubled
    from (select firing_id, sum(told) as told, sum(repeated) as repeated,
                 (count(*) filter (where fate = 'done') - (select count(*) from split where split.firing_id = mine.firing_id))::int
                   as chunks from mine group by firing_id) told
    left join (select firing_id, count(*) filter (where outcome = 'sent') as sent,
                      count(*) filter (where outcome = 'failed') as failed,
                      count(*) filter (where outcome = 'unknown') as unknown
               from kept group by firing_id) outcomes using (firing_id)
  ), 
  counted as (
    update firing f set sent_count = sent_count + s.sent, failed_count = failed_count + s.failed,
      unknown_count = unknown_count + s.unknown, target_count = target_count - s.doubled,
      repeated_count = repeated_count + s.repeated, chunks_left = chunks_left - s.chunks,
      state = case when chunks_left = s.chunks then 'FINISHED' else state end,
      complete_at = case when chunks_left = s.chunks then $10::timestamptz end
    from sums s where f.id = s.firing_id returning f.message_id, f.chunks_left, s.sent, s.doubled
  ), summed as (
    update message m set sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = case when c.chunks_left = 0 and m.kind <> 'scheduled' then 'FINISHED' else m.state end,
      complete_at = case when c.chunks_left = 0 and m.kind <> 'scheduled' then $10::timestamptz else m.complete_at end
    from (select message_id, sum(sent) as sent, sum(doubled) as doubled, sum(chunks_left) as chunks_left
          from counted group by message_id) c
    where m.id = c.message_id
  )
  select firing_id as "firingId", chunk_no as "chunkNo" from mine
;

-- src/push-service/delivery/outcome.store.ts (bigint[], integer[], integer[], text[], integer[], integer[], text[], integer[], uuid, timestamp with time zone, bigint[], double precision[], integer) -> (bigint, integer)
with given as (
    select * from unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::int[])
      as g(firing_id, chunk_no, claims, codes, told, repeated, fate, recorded)
  ), mine as materialized (
    select c.firing_id, c.chunk_no, c.device_type, c.device_ids, c.user_keys, c.countries, c.languages, c.timezones,
           g.codes, g.told, g.repeated, g.fate
    from given g join fan_out_chunk c on c.firing_id = g.firing_id and c.chunk_no = g.chunk_no
    where c.claimed_by = $9 and c.claims = g.claims and c.recorded = g.recorded and c.state = 'CLAIMED' for update of c
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select mine.firing_id, t.device_id, t.user_key, mine.device_type, t.country, t.language, t.timezone,
           case when t.code is null then 'sent' when t.code like '!%' then 'failed' else 'unknown' end, substr(t.code, 2),
           $10
    from mine, unnest(device_ids, user_keys, countries, languages, timezones,
                      array(select json_array_elements_text(mine.codes::json)))
           as t(device_id, user_key, country, language, timezone, code)
    where t.code is null or left(t.code, 1) in ('!', '?')
    on conflict do nothing returning firing_id, outcome
  ), left_out as (
    insert into suppression (firing_id, reason, device_type, country, language, timezone, count)
    select mine.firing_id, substr(t.code, 2), mine.device_type, t.country, t.language, t.timezone, count(*)
    from mine, unnest(countries, languages, timezones, array(select json_array_elements_text(mine.codes::json)))
           as t(country, language, timezone, code)
    where mine.codes like '%"~%' and t.code like '~%' group by 1, 2, 3, 4, 5, 6
    on conflict (firing_id, reason, device_type, country, language, timezone)
      do update set count = suppression.count + excluded.count
  ), deactivated as (
    update device d set active = false, updated_at = $10
    from unnest($11::bigint[], $12::float8[]) as gone(id, up_to)
    where d.id = gone.id and d.updated_at <= to_timestamp(gone.up_to / 1000)
  ), renewed as (
    update fan_out_chunk c set recorded = c.recorded + mine.told,
      lease_until = clock_timestamp() + $13::int * interval '1 millisecond'
    from mine where mine.fate = 'part' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), removed as (
    delete from fan_out_chunk c using mine
    where mine.fate = 'done' and c.firing_id = mine.firing_id and c.chunk_no = mine.chunk_no
  ), 
  left_over as materialized (
    select mine.firing_id, mine.chunk_no, wait.after_ms, count(*)::int as targets,
           row_number() over (partition by mine.firing_id, mine.chunk_no order by wait.after_ms) as part,
           array_agg(t.device_id order by t.place) as device_ids, array_agg(t.user_key order by t.place) as user_keys,
           array_agg(t.country order by t.place) as countries, array_agg(t.language order by t.place) as languages,
           array_agg(t.timezone order by t.place) as timezones
    from mine, unnest(mine.device_ids, mine.user_keys, mine.countries, mine.languages, mine.timezones,
                      array(select json_array_elements_text(mine.codes::json))) with ordinality
           as t(device_id, user_key, country, language, timezone, code, place)
      cross join lateral (select case when t.code = '-' then 0 when t.code like '>%' then substr(t.code, 2)::int end
                            as after_ms) wait
    where mine.fate = 'back' and wait.after_ms is not null group by 1, 2, 3
  ), back as (
    update fan_out_chunk c set state = case when l.after_ms = 0 then 'READY' else 'LATER' end, not_before = case when l.after_ms > 0 then clock_timestamp() + l.after_ms * interval '1 millisecond' end,
      claimed_by = null, lease_until = null, handed = 0, recorded = 0, passes = c.passes + 1,
      refusals = c.refusals + (l.after_ms > 0)::int, targets = l.targets, device_ids = l.device_ids, user_keys = l.user_keys,
      countries = l.countries, languages = l.languages, timezones = l.timezones
    from left_over l where l.part = 1 and c.firing_id = l.firing_id and c.chunk_no = l.chunk_no
  ), split as (
    insert into fan_out_chunk (firing_id, chunk_no, service_id, device_type, state, not_before, claims, passes, refusals,
      not_after, not_after_reason, targets, device_ids, user_keys, countries, languages, timezones)
    select c.firing_id, nextval('fan_out_chunk_split'), c.service_id, c.device_type, 'LATER', case when l.after_ms > 0 then clock_timestamp() + l.after_ms * interval '1 millisecond' end, c.claims,
           c.passes + 1, c.refusals + 1, c.not_after, c.not_after_reason, l.targets, l.device_ids, l.user_keys, l.countries,
           l.languages, l.timezones
    from left_over l join fan_out_chunk c on c.firing_id = l.firing_id and c.chunk_no = l.chunk_no where l.part > 1
    returning firing_id
  ), sums as (
    select firing_id, chunks, repeated, coalesce(sent, 0) as sent, coalesce(failed, 0) as failed,
           coalesce(unknown, 0) as unknown, told - coalesce(sent + failed + unknown, 0) as doubled
    from (select firing_id, sum(told) as told, sum(repeated) as repeated,
                 (count(*) filter (where fate = 'done') - (select count(*) from split where split.firing_id = mine.firing_id))::int
                   as chunks from mine group by firing_id) told
    left join (select firing_id, count(*) filter (where outcome = 'sent') as sent,
                      count(*) filter (where outcome = 'failed') as failed,
                      count(*) filter (where outcome = 'unknown') as unknown
               from kept group by firing_id) outcomes using (firing_id)
  ), 
  counted as (
    update firing f set sent_count = sent_count + s.sent, failed_count = failed_count + s.failed,
      unknown_count = unknown_count + s.unknown, target_count = target_count - s.doubled,
      repeated_count = repeated_count + s.repeated, chunks_left = chunks_left - s.chunks,
      state = case when chunks_left = s.chunks then 'FINISHED' else state end,
      complete_at = case when chunks_left = s.chunks then $10::timestamptz end
    from sums s where f.id = s.firing_id returning f.message_id, f.chunks_left, s.sent, s.doubled
  ), summed as (
    update message m set sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = case when c.chunks_left = 0 and m.kind <> 'scheduled' then 'FINISHED' else m.state end,
      complete_at = case when c.chunks_left = 0 and m.kind <> 'scheduled' then $10::timestamptz else m.complete_at end
    from (select message_id, sum(sent) as sent, sum(doubled) as doubled, sum(chunks_left) as chunks_left
          from counted group by message_id) c
    where m.id = c.message_id
  )
  select firing_id as "firingId", chunk_no as "chunkNo" from mine
;

-- src/push-service/delivery/outcome.store.ts (timestamp with time zone, timestamp with time zone, bigint[], integer[], integer[]) -> (integer, integer)
with lost as materialized (
    select * from fan_out_chunk where state = 'CLAIMED' and lease_until < $2
      and (firing_id, chunk_no, claims) not in (select * from unnest($3::bigint[], $4::int[], $5::int[]))
    order by lease_until limit 20 for update skip locked
  ), told as materialized (
    select lost.firing_id, d.device_id from lost cross join lateral devices_told(lost.firing_id, lost.device_ids) as d(device_id)
  ), untold as materialized (
    select lost.firing_id, lost.chunk_no, lost.device_type, lost.handed, t.*
    from lost, unnest(lost.device_ids, lost.user_keys, lost.countries, lost.languages, lost.timezones) with ordinality
           as t(device_id, user_key, country, language, timezone, place)
    where not exists (select from told d where d.firing_id = lost.firing_id and d.device_id = t.device_id)
  ), kept as (
    insert into delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
    select firing_id, device_id, user_key, device_type, country, language, timezone, 'unknown', 'ANSWER_LOST', $1
    from untold where place <= handed on conflict do nothing returning firing_id
  ), rest as materialized (
    select firing_id, chunk_no, count(*)::int as targets, array_agg(device_id order by place) as device_ids,
           array_agg(user_key order by place) as user_keys, array_agg(country order by place) as countries,
           array_agg(language order by place) as languages, array_agg(timezone order by place) as timezones
    from untold where place > handed group by 1, 2
  ), back as (
    update fan_out_chunk c set state = 'READY', claimed_by = null, lease_until = null, handed = 0, recorded = 0,
      targets = rest.targets, device_ids = rest.device_ids, user_keys = rest.user_keys, countries = rest.countries, languages = rest.languages,
      timezones = rest.timezones
    from rest where c.firing_id = rest.firing_id and c.chunk_no = rest.chunk_no
  ), removed as (
    delete from fan_out_chunk c using lost
    where c.firing_id = lost.firing_id and c.chunk_no = lost.chunk_no
      and not exists (select from rest where rest.firing_id = c.firing_id and rest.chunk_no = c.chunk_no)
    returning c.firing_id
  ), sums as (
    select firing_id, sum(chunk)::int as chunks, sum(unknown) as unknown, 0 as sent, 0 as failed, sum(doubled) as doubled,
           0 as repeated
    from (select firing_id, 1 as chunk, 0 as unknown, 0 as doubled from removed
          union all select firing_id, 0, 1, 0 from kept
          union all select firing_id, 0, 0, cardinality(device_ids) - recorded - coalesce(open.places, 0) from lost
            left join (select firing_id, chunk_no, count(*)::int as places from untold group by 1, 2) open
              using (firing_id, chunk_no)) ended
    group by 1
  ), 
  counted as (
    update firing f set sent_count = sent_count + s.sent, failed_count = failed_count + s.failed,
      unknown_count = unknown_count + s.unknown, target_count = target_count - s.doubled,
      repeated_count = repeated_count + s.repeated, chunks_left = chunks_left - s.chunks,
      state = case when chunks_left = s.chunks then 'FINISHED' else state end,
      complete_at = case when chunks_left = s.chunks then $1::timestamptz end
    from sums s where f.id = s.firing_id returning f.message_id, f.chunks_left, s.sent, s.doubled
  ), summed as (
    update message m set sent_count = sent_count + c.sent, target_count = target_count - c.doubled,
      state = case when c.chunks_left = 0 and m.kind <> 'scheduled' then 'FINISHED' else m.state end,
      complete_at = case when c.chunks_left = 0 and m.kind <> 'scheduled' then $1::timestamptz else m.complete_at end
    from (select message_id, sum(sent) as sent, sum(doubled) as doubled, sum(chunks_left) as chunks_left
          from counted group by message_id) c
    where m.id = c.message_id
  )
  select (select count(*)::int from lost) as chunks, (select count(*)::int from kept) as unknown
;

-- src/push-service/delivery/outcome.store.ts () -> (timestamp with time zone)
select clock_timestamp() as now
;

-- src/push-service/gateway/access.store.ts (text, date, bigint, bigint) -> (integer)
insert into quota_use as q (service_id, day, used, taken)
     values ($1, $2::date, least($3::bigint, $4::bigint), least($3::bigint, $4::bigint))
     on conflict (service_id, day) do update
       set taken = greatest(0, least($3::bigint, $4::bigint - q.used)),
           used = q.used + greatest(0, least($3::bigint, $4::bigint - q.used))
     returning taken::int as taken
;

-- src/push-service/gateway/access.store.ts (text[]) -> (text, text, text, boolean, json)
select k.access_key as "accessKey", k.account_id as "accountId", k.secret_sealed as "secretSealed", k.enabled,
            coalesce((select json_agg(json_build_object(
              'id', s.id, 'zone', s.zone, 'answerTimes', s.answer_times, 'apiKeyRequired', s.api_key_required,
              'apiKeyHashes', coalesce((select json_agg(encode(a.hash, 'hex')) from api_key a
                                        where a.service_id = s.id and a.active), '[]'::json),
              'strictOptions', s.strict_options, 'suspended', s.suspended, 'removed', s.removed_at is not null,
              'ratePerSecond', s.rate_per_second, 'rateBurst', s.rate_burst, 'quotaPerDay', s.quota_per_day))
            from service s where s.account_id = k.account_id), '[]'::json) as services
     from access_key k where k.access_key = any($1::text[])
;

-- src/push-service/management/access-keys.ts () -> (void)
select pg_notify('push_keys_changed', '')
;

-- src/push-service/management/management.store.ts (text) -> (text)
delete from access_key where access_key = $1 returning access_key
;

-- src/push-service/management/management.store.ts (text, text) -> (text)
delete from api_key where service_id = $1 and slot = $2 returning slot
;

-- src/push-service/management/management.store.ts (text, text, text, timestamp with time zone, smallint) -> (text, text, boolean, timestamp with time zone)
insert into access_key (access_key, account_id, position, secret_sealed, created_at) values ($2, $1, $5, $3, $4)
       on conflict (account_id, position) do nothing returning access_key as "accessKey", account_id as "accountId", enabled, created_at as "createdAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone) -> (text)
insert into account (id, created_at) values ($1, $2) on conflict do nothing returning id
;

-- src/push-service/management/management.store.ts (text, text, bytea, timestamp with time zone) -> ()
insert into api_key (service_id, slot, hash, created_at) values ($1, $2, $3, $4)
     on conflict (service_id, slot) do update set hash = excluded.hash, active = true, created_at = excluded.created_at
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at)
     values ($1, $2, $3, $3)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, boolean) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, api_key_required)
     values ($1, $2, $3, $3, $4)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, text, bigint) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, description, quota_per_day)
     values ($1, $2, $3, $3, $4, $5)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, bigint) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, quota_per_day)
     values ($1, $2, $3, $3, $4)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, integer) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, rate_per_second)
     values ($1, $2, $3, $3, $4)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, integer, integer) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, rate_per_second, rate_burst)
     values ($1, $2, $3, $3, $4, $5)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, boolean) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, strict_options)
     values ($1, $2, $3, $3, $4)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, text, text) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, zone, answer_times)
     values ($1, $2, $3, $3, $4, $5)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, text, timestamp with time zone, text, bigint) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
insert into service (id, account_id, created_at, updated_at, zone, quota_per_day)
     values ($1, $2, $3, $3, $4, $5)
     on conflict do nothing returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text) -> (integer)
select 1 from account where id = $1
;

-- src/push-service/management/management.store.ts (text) -> (text, text, boolean, timestamp with time zone)
select access_key as "accessKey", account_id as "accountId", enabled, created_at as "createdAt" from access_key where account_id = $1 order by position
;

-- src/push-service/management/management.store.ts (uuid, bigint, bigint) -> (text, text, text, text, text, text, integer, text, text, timestamp with time zone, json, text)
select f.occurrence, u.user_id as "userId", d.device_type as "deviceType", dev.device_token as "deviceToken",
            d.country, d.language, d.timezone, d.outcome, d.reason, d.handed_at as "handedAt", d.headers, d.body
     from firing f cross join lateral handed_of(f.id, $2::bigint + $3::bigint) d
     left join push_user u on u.key = d.user_key
     left join device dev on dev.id = d.device_id
     where f.message_id = $1
     order by d.handed_at, f.id, d.device_id limit $2 offset $3
;

-- src/push-service/management/management.store.ts (text, bigint, bigint) -> (uuid, text, text, double precision, double precision)
select id as "requestId", kind, state, target_count::float8 as "targetCount", sent_count::float8 as "sentCount"
     from message where service_id = $1 order by id limit $2 offset $3
;

-- src/push-service/management/management.store.ts (text) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
select id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt" from service where id = $1 and removed_at is null
;

-- src/push-service/management/management.store.ts () -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
select id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt" from service where removed_at is null order by id
;

-- src/push-service/management/management.store.ts (text) -> (text, boolean, timestamp with time zone)
select slot, active, created_at as "createdAt" from api_key where service_id = $1 order by slot
;

-- src/push-service/management/management.store.ts (text, boolean) -> (text, text, boolean, timestamp with time zone)
update access_key set enabled = $2 where access_key = $1 returning access_key as "accessKey", account_id as "accountId", enabled, created_at as "createdAt"
;

-- src/push-service/management/management.store.ts (text, text, boolean) -> (text, boolean, timestamp with time zone)
update api_key set active = $3 where service_id = $1 and slot = $2 returning slot, active, created_at as "createdAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
update service set updated_at = $2
     where id = $1 and removed_at is null returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone, integer) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
update service set updated_at = $2, rate_per_second = $3
     where id = $1 and removed_at is null returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone, integer, bigint) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
update service set updated_at = $2, rate_per_second = $3, quota_per_day = $4
     where id = $1 and removed_at is null returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone, integer, integer) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
update service set updated_at = $2, rate_per_second = $3, rate_burst = $4
     where id = $1 and removed_at is null returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/management.store.ts (text, timestamp with time zone, boolean) -> (text, text, text, text, text, boolean, boolean, boolean, integer, integer, double precision, timestamp with time zone, timestamp with time zone)
update service set updated_at = $2, suspended = $3
     where id = $1 and removed_at is null returning id as "serviceId", account_id as "accountId", description as "description", zone as "zone", answer_times as "answerTimes", api_key_required as "apiKeyRequired", strict_options as "strictOptions", suspended as "suspended", rate_per_second as "ratePerSecond", rate_burst as "rateBurst", quota_per_day::float8 as "quotaPerDay", created_at as "createdAt", updated_at as "updatedAt"
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from api_key where service_id = $1
         and slot = any(array(select slot from api_key where service_id = $1 order by slot limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from channel where service_id = $1
         and id = any(array(select id from channel where service_id = $1 order by id limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (bigint[]) -> ()
delete from fan_out_chunk where firing_id = any($1::bigint[])
;

-- src/push-service/management/remove-service.store.ts (bigint[]) -> ()
delete from firing where id = any($1::bigint[])
;

-- src/push-service/management/remove-service.store.ts (uuid[]) -> ()
delete from message where id = any($1::uuid[])
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from provider_credential where service_id = $1
         and kind = any(array(select kind from provider_credential where service_id = $1 order by kind limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from push_user where service_id = $1
         and key = any(array(select key from push_user where service_id = $1 order by key limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from quota_use where service_id = $1
         and day = any(array(select day from quota_use where service_id = $1 order by day limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (text) -> (integer)
delete from schedule where service_id = $1
         and id = any(array(select id from schedule where service_id = $1 order by id limit 1000))
       returning 1
;

-- src/push-service/management/remove-service.store.ts (bigint[], integer) -> (integer)
select delete_outcomes($1::bigint[], $2) as gone
;

-- src/push-service/management/remove-service.store.ts (uuid[]) -> (bigint)
select id from firing where message_id = any($1::uuid[]) limit 200
;

-- src/push-service/management/remove-service.store.ts (text) -> (uuid)
select id from message where service_id = $1 order by id limit 200 for update
;

-- src/push-service/management/remove-service.store.ts (timestamp with time zone) -> (text)
select s.id from service s where s.removed_at < $1 and (exists (select from provider_credential where service_id = s.id) OR exists (select from schedule where service_id = s.id) OR exists (select from message where service_id = s.id) OR exists (select from push_user where service_id = s.id) OR exists (select from channel where service_id = s.id) OR exists (select from quota_use where service_id = s.id) OR exists (select from api_key where service_id = s.id)) limit 1
;

-- src/push-service/management/remove-service.store.ts (text, timestamp with time zone) -> (text)
update service set removed_at = $2 where id = $1 and removed_at is null returning id
;

-- src/push-service/management/sandbox.controller.ts (timestamp with time zone) -> (name, timestamp with time zone)
with held as materialized (select parent, low, high from day_partition)
select u.parent, u.day from (
select c.relname as parent, d.day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select $1::timestamptz + n * interval '24 hours' as day from generate_series(-1, 3) n) d
 where c.relnamespace = current_schema()::regnamespace
   and not exists (select from pg_class t
                    where t.relname = c.relname || to_char(d.day at time zone 'UTC', '_YYYY_MM_DD')
                      and t.relnamespace = c.relnamespace and t.relispartition)) u
 where not exists (select from held h where h.parent = u.parent and h.low <= u.day and u.day < h.high)
 order by 2, 1
;

-- src/push-service/management/sandbox.controller.ts (text, timestamp with time zone) -> (boolean)
select add_day_partition($1, $2)
;

-- src/push-service/messages/breakdown.store.ts (uuid, bigint, bigint) -> (text, text, text, integer, text, text, integer)
with ours as materialized (select id, state, summed from firing where message_id = $1),
     told as materialized (
       select c.firing_id, d.device_id
       from fan_out_chunk c cross join lateral devices_told(c.firing_id, c.device_ids) as d(device_id)
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
         -- Of a chunk that is being handed over some have their rows.
         and not exists (select from told d where d.firing_id = c.firing_id and d.device_id = t.device_id)
       group by 1, 2, 3, 4, 5, 6
     )
     select device_type as "deviceType", country, language, timezone, outcome, reason, sum(count)::int as count
     from rows_of group by 1, 2, 3, 4, 5, 6 order by device_type, country, language, timezone, outcome, reason
     limit $2::bigint offset $3::bigint
;

-- src/push-service/messages/message.store.ts (uuid, text, text, text, bytea, bytea, timestamp with time zone, uuid, boolean) -> (integer)
insert into message (id, service_id, kind, state, message_type, request, dedupe_hash, body_hash, requested_at,
                       schedule_id, small)
  select $1::uuid, $2::text, 'scheduled', 'ATTACHED', $3::text, $4::text, $5::bytea, $6::bytea, $7::timestamptz, s.id,
         $9::bool
  from schedule s where s.id = $8::uuid for key share
  on conflict (dedupe_hash) do nothing returning 1
;

-- src/push-service/messages/message.store.ts (bytea) -> (uuid, text, bytea, timestamp with time zone)
select id, kind, body_hash as "bodyHash", requested_at as "requestedAt" from message where dedupe_hash = $1
;

-- src/push-service/messages/message.store.ts (uuid[], text[]) -> (uuid, text, text, text, text, text, timestamp with time zone, timestamp with time zone, bigint, bigint)
select m.* from (select unnest($1::uuid[]) as "id", unnest($2::text[]) as "service_id") as asked cross join lateral (
    select id, service_id as "serviceId", kind, state, message_type as "messageType", request,
           requested_at as "requestedAt", complete_at as "completeAt", target_count as "targetCount",
           sent_count as "sentCount"
    from message where id = asked.id and service_id = asked.service_id offset 0) as m
;

-- src/push-service/messages/message.store.ts (uuid, text) -> (uuid, text, text, text, text, timestamp with time zone, timestamp with time zone, bigint, bigint)
select m.id, m.kind, case when f.sending then 'ATTACHED' else m.state end as state, m.message_type as "messageType",
         m.request, m.requested_at as "requestedAt", greatest(m.complete_at, f.complete_at) as "completeAt",
         m.target_count as "targetCount", m.sent_count as "sentCount"
  from message m cross join lateral (
    select coalesce(bool_or(state = 'SENDING'), false) as sending,
           max(complete_at) filter (where state = 'FINISHED') as complete_at
    from firing where message_id = m.id) f
  where m.id = $1 and m.service_id = $2
;

-- src/push-service/messages/message.store.ts (uuid[], text[], text[], text[], text[], bytea[], bytea[], timestamp with time zone[], text[], text[], timestamp with time zone[], boolean[]) -> (uuid)
with taken as (
    insert into message ("id", "service_id", "kind", "message_type", "request", "dedupe_hash", "body_hash", "requested_at", "reserve_time", "reserve_time_zone", "fire_at", "small", state)
    select "id", "service_id", "kind", "message_type", "request", "dedupe_hash", "body_hash", "requested_at", "reserve_time", "reserve_time_zone", "fire_at", "small", case when kind = 'immediate' then 'PROCESSING' else 'READY' end
    from (select unnest($1::uuid[]) as "id", unnest($2::text[]) as "service_id", unnest($3::text[]) as "kind", unnest($4::text[]) as "message_type", unnest($5::text[]) as "request", unnest($6::bytea[]) as "dedupe_hash", unnest($7::bytea[]) as "body_hash", unnest($8::timestamptz[]) as "requested_at", unnest($9::text[]) as "reserve_time", unnest($10::text[]) as "reserve_time_zone", unnest($11::timestamptz[]) as "fire_at", unnest($12::boolean[]) as "small") as given
    on conflict (dedupe_hash) do nothing returning id, service_id, kind, requested_at, small
  ), fired as (
    insert into firing (id, message_id, service_id, occurrence, due_at, small)
    select next_firing(requested_at), id, service_id, 'once', requested_at, small from taken where kind = 'immediate' order by id
  )
  select id from taken
;

-- src/push-service/messages/message.store.ts (bytea) -> ()
update message set dedupe_hash = sha256(dedupe_hash || id::text::bytea) where dedupe_hash = $1
;

-- src/push-service/push-metrics.ts (timestamp with time zone) -> (text, double precision)
with recursive queue as (
    (select service_id, device_type from fan_out_chunk where state = 'READY' order by service_id, device_type limit 1)
    union all
    select next.* from queue q cross join lateral (
      select service_id, device_type from fan_out_chunk
      where state = 'READY' and (service_id, device_type) > (q.service_id, q.device_type)
      order by service_id, device_type limit 1) next
  )
  select stage, coalesce(extract(epoch from $1::timestamptz - due_at), 0)::float8 as seconds from (values
    ('fire', (select fire_at from message where state = 'READY' and fire_at <= $1 order by fire_at limit 1)),
    ('expand', (select due_at from firing where state = 'READY' order by id limit 1)),
    ('deliver', (select due_at from firing where id = (select min(first.firing_id) from queue q cross join lateral (
       select firing_id from fan_out_chunk c
       where c.state = 'READY' and c.service_id = q.service_id and c.device_type = q.device_type
       order by firing_id, chunk_no limit 1) first)))
  ) as waiting(stage, due_at)
;

-- src/push-service/reservations/reservation.store.ts (uuid, text) -> (uuid, text, text, text)
select id, reserve_time as "reserveTime", reserve_time_zone as "reserveTimeZone", state
  from message where id = $1 and service_id = $2 and kind = 'reserved'
;

-- src/push-service/reservations/reservation.store.ts () -> (timestamp with time zone)
select least((select min(fire_at) from message where state = 'READY'), (select min(next_fire_at) from schedule)) as at
;

-- src/push-service/reservations/reservation.store.ts (uuid, text, timestamp with time zone) -> (uuid)
update message set state = 'CANCELED', complete_at = $3
     where id = $1 and service_id = $2 and kind = 'reserved' and state = 'READY' returning id
;

-- src/push-service/reservations/reservation.store.ts (timestamp with time zone, timestamp with time zone, bigint) -> (integer)
with due as (
       select id from message where state = 'READY' and fire_at <= $1
       order by fire_at limit $3 for update skip locked
     ), moved as (
       update message m set
         state = case when m.kind = 'reserved' and m.fire_at <= $2 then 'STALE' else 'PROCESSING' end,
         complete_at = case when m.kind = 'reserved' and m.fire_at <= $2 then $1 end
       from due where m.id = due.id
       returning m.id, m.service_id, m.fire_at, m.state, m.small
     ), made as (
       insert into firing (id, message_id, service_id, occurrence, due_at, small)
       select next_firing($1), id, service_id, 'once', fire_at, small from moved where state = 'PROCESSING' order by fire_at
     )
     select count(*)::int as moved from moved
;

-- src/push-service/retention/retention.store.ts (timestamp with time zone) -> (integer)
delete from quota_use where day < $1::timestamptz::date returning 1
;

-- src/push-service/retention/retention.store.ts (timestamp with time zone) -> (integer, text, integer, integer)
select d.days, to_char(d.oldest_low, 'YYYY-MM-DD') as oldest,
            (select count(*)::int from (select from firing f where f.id < firing_floor(d.oldest_high) and (f.state = 'READY' or f.state = 'SENDING' and not f.summed) limit 10000) c) as "underWay",
            (select count(*)::int from (select from firing f where f.id < firing_floor(d.oldest_high) and (f.state = 'FINISHED' and not f.summed) limit 10000) c) as "notSummed"
       from (select count(distinct p.low)::int as days, min(p.low) as oldest_low, min(p.high) as oldest_high
               from day_partition p where p.high <= $1 and p.low > '-infinity' and not p.is_going) d
;

-- src/push-service/retention/retention.store.ts (timestamp with time zone) -> (text, text)
select p.parent, p.name from day_partition p
      where p.high <= $1 and not p.is_going
        and not exists (select from firing f where f.id < firing_floor(p.high) and f.state = 'READY')
        and not exists (select from firing f where f.id < firing_floor(p.high) and f.state in ('SENDING', 'FINISHED') and not f.summed)
      order by p.low, p.parent
;

-- src/push-service/retention/retention.store.ts (integer) -> (integer)
select sum_outcomes($1) as rows
;

-- src/push-service/retention/retention.store.ts (timestamp with time zone) -> (integer)
with gone as materialized (
       select id from device where not active and updated_at < $1 order by updated_at limit 1000 for update skip locked
     )
     delete from device d using gone where d.id = gone.id returning 1
;

-- src/push-service/retention/retention.store.ts (uuid, uuid, timestamp with time zone, timestamp with time zone) -> (uuid, integer, integer)
with page as materialized (
       select id, state, complete_at from message where id > $1::uuid and id < $2::uuid order by id limit 500
     ), over as materialized (
       select m.id from message m
       where m.id in (select id from page where state in ('FINISHED', 'CANCELED', 'FAIL', 'STALE') and complete_at < $3)
         and not exists (select from firing f where f.message_id = m.id
                         and (f.state in ('READY', 'SENDING')
                              or f.state = 'FINISHED' and (not f.summed or f.id >= firing_floor($4))))
       for update skip locked
     ), removed as (
       delete from message where id in (select id from over) returning id
     )
     select (select id from page order by id desc limit 1) as "lastId", (select count(*)::int from page) as looked,
            (select count(*)::int from removed) as removed
;

-- src/push-service/retention/sweep.ts () -> (name)
select c.relname as name from pg_class c
 where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
   and substring(c.relname from '^(.*)_(?:\d{4}_\d\d_\d\d|old)$')
       in (select p.relname from pg_partitioned_table t join pg_class p on p.oid = t.partrelid)
;

-- src/push-service/retention/sweep.ts () -> (double precision)
select extract(epoch from clock_timestamp())::float8 * 1000 as ms
;

-- src/push-service/retention/sweep.ts () -> (boolean)
select pg_try_advisory_xact_lock(hashtext('carillon retention ' || current_schema())) as held
;

-- src/push-service/schedules/delete-schedule.ts (uuid) -> ()
delete from schedule where id = $1
;

-- src/push-service/schedules/delete-schedule.ts (uuid) -> (bigint)
select count(*) from (select from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by id for no key update) held
;

-- src/push-service/schedules/delete-schedule.ts (text, text) -> (uuid)
select id from schedule where service_id = $1 and schedule_code = $2 for update
;

-- src/push-service/schedules/delete-schedule.ts (uuid, timestamp with time zone) -> ()
update message set state = 'CANCELED', complete_at = $2 where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED'
;

-- src/push-service/schedules/schedule.store.ts (uuid, text[], integer[], timestamp with time zone[], timestamp with time zone, timestamp with time zone) -> (integer)
insert into firing (id, message_id, service_id, occurrence, timezone, due_at, small, state, complete_at)
     select next_firing($6), m.id, m.service_id, o.name, o.timezone, o.at, m.small, case when o.at <= $5 then 'STALE' else 'READY' end,
            case when o.at <= $5 then o.at end
     from unnest($2::text[], $3::int[], $4::timestamptz[]) as o(name, timezone, at)
     join message m on m.schedule_id = $1 and m.kind = 'scheduled' and m.state = 'ATTACHED' and m.requested_at <= o.at
     order by o.at, m.id
     on conflict (message_id, occurrence) do nothing returning 1
;

-- src/push-service/schedules/schedule.store.ts (text, text, text, text, smallint, date, date, text[], timestamp with time zone, timestamp with time zone, uuid) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
insert into schedule (service_id, schedule_code, schedule_desc, time_zone, minute, start_date, end_date,
                           days_of_week, created_at, fired_until, next_fire_at, id)
     values ($1, $2, $3, $4, $5, $6::date, $7::date, $8::text[], $9, $9, $10, $11)
     on conflict (service_id, schedule_code) do nothing returning id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt"
;

-- src/push-service/schedules/schedule.store.ts (uuid) -> (integer)
select count(*)::int as total from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED'
;

-- src/push-service/schedules/schedule.store.ts (text, text) -> (integer)
select count(*)::int as total from schedule where service_id = $1 and strpos(schedule_code, $2) > 0
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by id asc, id asc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by id desc, id desc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by request asc, id asc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by request desc, id desc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by schedule_id asc, id asc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (uuid, bigint, bigint) -> (uuid, uuid, text)
select id, schedule_id as "scheduleId", request from message where schedule_id = $1 and kind = 'scheduled' and state = 'ATTACHED' order by service_id asc, id asc limit $2::bigint offset $3::bigint
;

-- src/push-service/schedules/schedule.store.ts (timestamp with time zone) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where next_fire_at <= $1 order by next_fire_at limit 1 for no key update skip locked
;

-- src/push-service/schedules/schedule.store.ts (text, text) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and schedule_code = $2
;

-- src/push-service/schedules/schedule.store.ts (text, text) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and schedule_code = $2 for no key update
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by (next_fire_at is null) asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by (next_fire_at is null) desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by created_at asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by created_at desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by days_of_week asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by days_of_week desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by end_date asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by end_date desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by id asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by id desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by minute asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by minute desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by schedule_code asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by schedule_code desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by schedule_desc asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by schedule_desc desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by start_date asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by start_date desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by time_zone asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by time_zone desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by updated_at asc, schedule_code asc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, bigint, bigint) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt" from schedule where service_id = $1 and strpos(schedule_code, $2) > 0 order by updated_at desc, schedule_code desc limit $3::bigint offset $4::bigint
;

-- src/push-service/schedules/schedule.store.ts (text, text, uuid) -> (uuid, uuid, text, text)
select m.id, m.schedule_id as "scheduleId", m.request, m.state
     from message m join schedule s on s.id = m.schedule_id
     where m.id = $3 and m.service_id = $1 and m.kind = 'scheduled' and s.schedule_code = $2
;

-- src/push-service/schedules/schedule.store.ts (uuid, timestamp with time zone) -> ()
update message set state = 'CANCELED', complete_at = $2 where id = $1 and state = 'ATTACHED'
;

-- src/push-service/schedules/schedule.store.ts (uuid, timestamp with time zone, timestamp with time zone) -> ()
update schedule set fired_until = $2, next_fire_at = $3 where id = $1
;

-- src/push-service/schedules/schedule.store.ts (text, text, text, text, smallint, date, date, text[], timestamp with time zone, timestamp with time zone) -> (uuid, text, text, text, text, integer, text, text, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
update schedule set schedule_desc = $3, time_zone = $4, minute = $5, start_date = $6::date, end_date = $7::date,
            days_of_week = $8::text[], updated_at = $9, fired_until = $9, next_fire_at = $10, finished_at = null
     where service_id = $1 and schedule_code = $2 returning id, service_id as "serviceId", schedule_code as "scheduleCode", schedule_desc as "scheduleDesc",
  time_zone as "timeZone", minute::int as minute, start_date::text as "startDate", end_date::text as "endDate",
  days_of_week as "daysOfWeek", created_at as "createdAt", updated_at as "updatedAt", fired_until as "firedUntil",
  next_fire_at as "nextFireAt"
;

-- src/push-service/schedules/schedule.store.ts (timestamp with time zone, timestamp with time zone) -> (uuid)
with finished as (
       update schedule s set finished_at = $1
        where s.next_fire_at is null and s.finished_at is null and s.fired_until < $2
          and not exists (select from message m where m.schedule_id = s.id and m.kind = 'scheduled' and m.state = 'ATTACHED'))
     update message m set state = 'FINISHED', complete_at = $1
     from schedule s where s.id = m.schedule_id and s.next_fire_at is null and s.finished_at is null
       and m.kind = 'scheduled' and m.state = 'ATTACHED'
       and not exists (select from firing f where f.message_id = m.id and f.state in ('READY', 'SENDING'))
     returning m.id
;

-- src/push-service/schedules/schedule.store.ts (text) -> (integer)
with recursive step as (
       (select timezone from push_user where service_id = $1 order by timezone limit 1)
       union all
       select (select u.timezone from push_user u where u.service_id = $1
                 and u.timezone >= floor(step.timezone / 900.0 + 0.5)::int * 900 + 450 order by u.timezone limit 1)
       from step where step.timezone is not null
     ) select timezone from step where timezone is not null
;

-- src/push-service/users/user.store.ts (text, text, text, text, text, integer, boolean, boolean, boolean, text, text, timestamp with time zone) -> (boolean)
with named as (
    select id from channel where service_id = $1 and channel_name = $2::text
  ), kept as (
    insert into push_user as u (service_id, user_id, country, language, timezone, notification_agreement,
      ad_agreement, night_ad_agreement, notification_agreement_time, ad_agreement_time, night_ad_agreement_time,
      created_at, updated_at)
    select $1, $3, $4, $5, $6::int, $7::bool, $8::bool, $9::bool, case when $7::bool then $12::timestamptz end,
      case when $8::bool then $12::timestamptz end, case when $9::bool then $12::timestamptz end, $12, $12
    where $2::text is null or exists (select from named)
    on conflict (service_id, user_id) do update set
      country = excluded.country, language = excluded.language, timezone = excluded.timezone,
      notification_agreement = excluded.notification_agreement, ad_agreement = excluded.ad_agreement,
      night_ad_agreement = excluded.night_ad_agreement,
      notification_agreement_time = case when excluded.notification_agreement and not u.notification_agreement
        then excluded.updated_at else u.notification_agreement_time end,
      ad_agreement_time = case when excluded.ad_agreement and not u.ad_agreement
        then excluded.updated_at else u.ad_agreement_time end,
      night_ad_agreement_time = case when excluded.night_ad_agreement and not u.night_ad_agreement
        then excluded.updated_at else u.night_ad_agreement_time end,
      updated_at = excluded.updated_at
    returning u.key
  ), owned as (
    insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
    select $1, key, $10, $11::text, sha256(convert_to($11::text, 'UTF8')), $12, $12 from kept
    on conflict (service_id, token_hash) do update set user_key = excluded.user_key,
      device_type = excluded.device_type, active = true, updated_at = excluded.updated_at
  ), joined as (
    insert into channel_member (channel_id, user_key) select named.id, kept.key from named, kept
    on conflict do nothing
  )
  select exists (select from kept) as registered
;

-- src/push-service/users/user.store.ts (text, text) -> (bigint)
delete from push_user where service_id = $1 and user_id = $2 returning key
;

-- src/push-service/users/user.store.ts (text, text, bigint, bigint) -> (integer, integer, integer)
select u.timezone, count(distinct u.key)::int as users, count(d.id)::int as devices
     from push_user u left join device d on d.service_id = u.service_id and d.user_key = u.key and d.active
     where u.service_id = $1 and ($2::text is null or exists (
       select from channel_member m join channel c on c.id = m.channel_id
       where m.user_key = u.key and c.service_id = $1 and c.channel_name = $2::text))
     group by u.timezone order by u.timezone limit $3::bigint offset $4::bigint
;

-- src/push-service/users/user.store.ts (text, text) -> (text, text, text, integer, text, boolean, boolean, boolean, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, json)
select u.user_id as "userId", u.country, u.language, u.timezone,
            (select c.channel_name from channel_member m join channel c on c.id = m.channel_id
             where m.user_key = u.key order by m.joined desc limit 1) as "channelName",
            u.notification_agreement as "notificationAgreement", u.ad_agreement as "adAgreement",
            u.night_ad_agreement as "nightAdAgreement",
            u.notification_agreement_time as "notificationAgreementTime", u.ad_agreement_time as "adAgreementTime",
            u.night_ad_agreement_time as "nightAdAgreementTime", u.created_at as "createdAt",
            u.updated_at as "updatedAt",
            coalesce((select json_agg(json_build_object('deviceType', d.device_type, 'deviceToken', d.device_token)
                      order by d.id) from device d where d.service_id = u.service_id and d.user_key = u.key and d.active), '[]'::json) as devices
     from push_user u where u.service_id = $1 and u.user_id = $2
;

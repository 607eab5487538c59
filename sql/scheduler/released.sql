-- Every statement that scheduler sends, as of the last release, each below the file that sends it and its types:
-- (parameters) -> (columns of the answer). Written by `npm run released` at a release, and at no other time: a change of the
-- schema must leave them as they are (CONTRIBUTING.md, "Upgrades"). Read by test/integration/upgrades.spec.ts.

-- src/cli/examine-database.ts () -> (integer)
select 1
;

-- src/cli/examine-database.ts () -> (text, text)
select current_setting('server_version') as version, current_setting('fsync') as fsync
;

-- src/cli/examine-database.ts () -> (text, text)
select current_setting('server_version') as version, current_setting('server_version_num') as number
;

-- src/cli/examine-database.ts () -> (text)
select current_setting('synchronous_commit') as level
;

-- src/cli/examine-database.ts () -> (double precision)
select extract(epoch from clock_timestamp())::float8 * 1000 as ms
;

-- src/cli/examine-database.ts () -> (character varying)
select name from migration
;

-- src/cli/examine-database.ts (text) -> (boolean)
select to_regclass($1) is not null as ok
;

-- src/platform/reseal.ts (text) -> (text[], text)
select array[service_id, access_key] as row, secret_sealed as sealed from project_key
      where secret_sealed is not null and not starts_with(secret_sealed, $1)
        
      order by service_id, access_key limit 500
;

-- src/platform/reseal.ts (text) -> (text[], text)
select array[service_id] as row, api_key_sealed as sealed from project
      where api_key_sealed is not null and not starts_with(api_key_sealed, $1)
        
      order by service_id limit 500
;

-- src/platform/reseal.ts (text) -> (text, integer, text[])
select split_part(api_key_sealed, '.', 1) as id, count(*)::int as count,
              (array_agg(concat_ws(' ', service_id) order by service_id))[1:5] as some
         from project where api_key_sealed is not null and not starts_with(api_key_sealed, $1) group by 1 order by 1
;

-- src/platform/reseal.ts (text) -> (text, integer, text[])
select split_part(secret_sealed, '.', 1) as id, count(*)::int as count,
              (array_agg(concat_ws(' ', service_id, access_key) order by service_id, access_key))[1:5] as some
         from project_key where secret_sealed is not null and not starts_with(secret_sealed, $1) group by 1 order by 1
;

-- src/platform/reseal.ts (text[], text[], text[]) -> ()
update project t set api_key_sealed = n.fresh
       from unnest($1::text[], $2::text[], $3::text[]) as n(former, fresh, service_id)
      where t.service_id = n.service_id and t.api_key_sealed = n.former
;

-- src/platform/reseal.ts (text[], text[], text[], text[]) -> ()
update project_key t set secret_sealed = n.fresh
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as n(former, fresh, service_id, access_key)
      where t.service_id = n.service_id and t.access_key = n.access_key and t.secret_sealed = n.former
;

-- src/scheduler/accept/event-look-up.store.ts (text, text, text[], bigint, timestamp with time zone) -> (text, uuid, timestamp with time zone, uuid, uuid, jsonb, uuid)
with taken as (
       select event from inbox_key where source = $1 and event_id = $2
     ), seen as (
       select 'accepted' as verdict, event, null::uuid as of, null::uuid as rejection, null::jsonb as reasons from taken
       union all
       select 'duplicate', d.event, d.of_event, null, null
         from (select event, of_event from duplicate order by event desc limit 10000) d join taken t on t.event = d.of_event
       union all
       select 'rejected', j.event, null, j.id, j.reasons from (select j.* from unnest($3::text[]) as s(service_id) cross join lateral (select j.id, j.event, j.reasons from rejection j
   where j.id >= uuid_floor($5::timestamptz - interval '30 days') and j.service_id = s.service_id order by j.id desc limit 10000) j) j
     )
     select s.verdict, s.event as "eventId", e.received_at as "receivedAt", s.of as "duplicateOf", s.rejection as "rejectionId",
            s.reasons as problems,
            case when s.verdict <> 'rejected' then coalesce(
              (select r.campaign from revision r where r.event = coalesce(s.of, s.event)),
              (select m.campaign from command m where m.event = coalesce(s.of, s.event))) end as "campaignId"
       from seen s cross join lateral (select * from event where id = s.event limit 1) e
      where e.source = $1 and e.event_id = $2 and ($3::text[] is null or e.service_id = any($3))
      order by e.received_at desc, e."offset" desc nulls last, s.verdict = 'accepted', s.event desc limit $4
;

-- src/scheduler/accept/event-look-up.store.ts (text, text, text[], bigint, timestamp with time zone) -> (text, uuid, timestamp with time zone, uuid, uuid, jsonb, uuid)
with taken as (
       select event from inbox_key where source = $1 and event_id = $2
     ), seen as (
       select 'accepted' as verdict, event, null::uuid as of, null::uuid as rejection, null::jsonb as reasons from taken
       union all
       select 'duplicate', d.event, d.of_event, null, null
         from (select event, of_event from duplicate order by event desc limit 10000) d join taken t on t.event = d.of_event
       union all
       select 'rejected', j.event, null, j.id, j.reasons from (select j.id, j.event, j.reasons from rejection j
   where j.id >= uuid_floor($5::timestamptz - interval '30 days') and $3::text[] is null order by j.id desc limit 10000) j
     )
     select s.verdict, s.event as "eventId", e.received_at as "receivedAt", s.of as "duplicateOf", s.rejection as "rejectionId",
            s.reasons as problems,
            case when s.verdict <> 'rejected' then coalesce(
              (select r.campaign from revision r where r.event = coalesce(s.of, s.event)),
              (select m.campaign from command m where m.event = coalesce(s.of, s.event))) end as "campaignId"
       from seen s cross join lateral (select * from event where id = s.event limit 1) e
      where e.source = $1 and e.event_id = $2 and ($3::text[] is null or e.service_id = any($3))
      order by e.received_at desc, e."offset" desc nulls last, s.verdict = 'accepted', s.event desc limit $4
;

-- src/scheduler/accept/event-write.store.ts (uuid[], text, text, uuid, text, timestamp with time zone, text, timestamp with time zone, text, timestamp with time zone) -> (uuid)
insert into campaign ("id", "service_id", "campaign_id", "event", "name", "newest_time", "state", "state_at", "state_by", "created_at") select "id", "service_id", "campaign_id", "event", "name", "newest_time", "state", "state_at", "state_by", "created_at" from (select unnest($1::uuid[])::uuid as "id", $2::text as "service_id", $3::text as "campaign_id", $4::uuid as "event", $5::text as "name", $6::timestamptz as "newest_time", $7::text as "state", $8::timestamptz as "state_at", $9::text as "state_by", $10::timestamptz as "created_at") as r on conflict on constraint campaign_campaign_id do nothing returning id
;

-- src/scheduler/accept/event-write.store.ts (uuid[], uuid[], uuid, text, text, text[], timestamp with time zone, text) -> ()
insert into command ("id", "event", "campaign", "kind", "occurrence", "reason", "given_at", "given_by") select "id", "event", "campaign", "kind", "occurrence", "reason", "given_at", "given_by" from (select unnest($1::uuid[])::uuid as "id", unnest($2::uuid[])::uuid as "event", $3::uuid as "campaign", $4::text as "kind", $5::text as "occurrence", unnest($6::text[])::text as "reason", $7::timestamptz as "given_at", $8::text as "given_by") as r
;

-- src/scheduler/accept/event-write.store.ts (uuid[], uuid) -> ()
insert into duplicate ("event", "of_event") select "event", "of_event" from (select unnest($1::uuid[])::uuid as "event", $2::uuid as "of_event") as r
;

-- src/scheduler/accept/event-write.store.ts (uuid[], text, text, text, text, text, text, timestamp with time zone, timestamp with time zone, text, text, integer, bigint, uuid, uuid, jsonb, bytea) -> ()
insert into event ("id", "verdict", "source", "event_id", "type", "subject", "service_id", "event_time", "received_at", "via", "topic", "partition", "offset", "token_id", "replay_of", "headers", "body") select "id", "verdict", "source", "event_id", "type", "subject", "service_id", "event_time", "received_at", "via", "topic", "partition", "offset", "token_id", "replay_of", "headers", "body" from (select unnest($1::uuid[])::uuid as "id", $2::text as "verdict", $3::text as "source", $4::text as "event_id", $5::text as "type", $6::text as "subject", $7::text as "service_id", $8::timestamptz as "event_time", $9::timestamptz as "received_at", $10::text as "via", $11::text as "topic", $12::int as "partition", $13::bigint as "offset", $14::uuid as "token_id", $15::uuid as "replay_of", $16::jsonb as "headers", $17::bytea as "body") as r
;

-- src/scheduler/accept/event-write.store.ts (text[], text, bytea, uuid, timestamp with time zone) -> ()
insert into inbox_key ("source", "event_id", "content_hash", "event", "taken_at") select "source", "event_id", "content_hash", "event", "taken_at" from (select unnest($1::text[])::text as "source", $2::text as "event_id", $3::bytea as "content_hash", $4::uuid as "event", $5::timestamptz as "taken_at") as r on conflict do nothing
;

-- src/scheduler/accept/event-write.store.ts (uuid[], uuid, text, jsonb, timestamp with time zone, text, integer, bigint, bytea) -> ()
insert into rejection ("id", "event", "service_id", "reasons", "rejected_at", "topic", "partition", "offset", "body_hash") select "id", "event", "service_id", "reasons", "rejected_at", "topic", "partition", "offset", "body_hash" from (select unnest($1::uuid[])::uuid as "id", $2::uuid as "event", $3::text as "service_id", $4::jsonb as "reasons", $5::timestamptz as "rejected_at", $6::text as "topic", $7::int as "partition", $8::bigint as "offset", $9::bytea as "body_hash") as r
;

-- src/scheduler/accept/event-write.store.ts (uuid[], integer, uuid, jsonb, text, timestamp with time zone) -> ()
insert into revision ("campaign", "revision", "event", "data", "state", "taken_at", request) select "campaign", "revision", "event", "data", "state", "taken_at", jsonb_build_object('messageType', r.data->'messageType', 'message', r.data->'message') from (select unnest($1::uuid[])::uuid as "campaign", $2::int as "revision", $3::uuid as "event", $4::jsonb as "data", $5::text as "state", $6::timestamptz as "taken_at") as r
;

-- src/scheduler/accept/inbox.store.ts (text[], text[], uuid[]) -> ()
delete from inbox_key k using unnest($1::text[], $2::text[], $3::uuid[]) as r (source, event_id, event)
        where k.source = r.source and k.event_id = r.event_id and k.event = r.event
;

-- src/scheduler/accept/inbox.store.ts (text[], text[]) -> (uuid, text, text, text, double precision)
select c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.state,
            (extract(epoch from c.newest_time) * 1000)::float8 as "newestTime" from campaign c
      where (c.service_id, c.campaign_id) in (select * from unnest($1::text[], $2::text[]))
      order by c.id for no key update of c
;

-- src/scheduler/accept/inbox.store.ts (text, text) -> ()
select from inbox_key where source = $1 and event_id = $2
;

-- src/scheduler/accept/inbox.store.ts (text[], text[], uuid[]) -> (text, text, bytea, uuid)
select k.source, k.event_id as id, k.content_hash as "contentHash", k.event
       from unnest($1::text[], $2::text[], $3::uuid[]) as r (source, event_id, event)
       join inbox_key k on k.source = r.source and k.event_id = r.event_id and k.event <> r.event
;

-- src/scheduler/accept/inbox.store.ts (text) -> (void)
select pg_advisory_xact_lock(hashtextextended($1, 0))
;

-- src/scheduler/accept/inbox.store.ts (text[]) -> (text, text[], jsonb, text)
select service_id as id, sources, policy_defaults as "policyDefaults", rejections_topic as "rejectionsTopic"
       from project where service_id = any($1)
;

-- src/scheduler/accept/inbox.store.ts (uuid[], timestamp with time zone[]) -> ()
update campaign c set newest_time = greatest(c.newest_time, r.time)
       from (select campaign, max(time) as time from unnest($1::uuid[], $2::timestamptz[]) as m (campaign, time)
              group by campaign) r
      where c.id = r.campaign
;

-- src/scheduler/accept/inbox.store.ts (text, integer, bigint[], bytea[]) -> (bigint)
with near as materialized (
       select e."offset", e.body from event e
        where e.topic = $1 and e.partition = $2
          and e."offset" between (select min(o) from unnest($3::bigint[]) o) and (select max(o) from unnest($3::bigint[]) o))
     select r."offset" from unnest($3::bigint[], $4::bytea[]) as r ("offset", hash)
       join near on near."offset" = r."offset" and sha256(near.body) = r.hash
;

-- src/scheduler/accept/rejections/rejection.store.ts (uuid) -> (bytea)
select body from event where id = $1
;

-- src/scheduler/accept/rejections/rejection.store.ts (text[], text, text, jsonb, timestamp with time zone, timestamp with time zone, uuid, bigint) -> (uuid, uuid, text, text, jsonb, timestamp with time zone, jsonb, text, text, integer, text, integer, uuid, jsonb, timestamp with time zone, text, text)
select j.id, j.event as "eventId", j.service_id as "serviceId", j.state, j.reasons as problems,
    j.rejected_at as "rejectedAt",
    jsonb_build_object('source', e.source, 'id', e.event_id, 'type', e.type, 'subject', e.subject,
      'time', to_char(e.event_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as seen,
    e.via, e.topic, e.partition, e."offset"::text as "offset", octet_length(e.body) as bytes, e.replay_of as "replayOf",
    case when j.replay is not null then jsonb_build_object('eventId', j.replay, 'campaignId', coalesce(
      (select c.id from campaign c where c.event = j.replay), (select m.campaign from command m where m.event = j.replay))) end as replay,
    j.settled_at as "settledAt", j.settled_by as "settledBy", j.settled_reason as reason from rejection j join event e on e.id = j.event
      where ($1::text[] is null or j.service_id = any($1)) and ($2::text is null or j.service_id = $2)
        and ($3::text is null or j.state = $3) and ($4::jsonb is null or j.reasons @> $4)
        and ($5::timestamptz is null or j.id >= uuid_floor($5)) and ($6::timestamptz is null or j.id < uuid_floor($6))
        and ($7::uuid is null or j.id < $7)
      order by j.id desc limit $8
;

-- src/scheduler/accept/rejections/rejection.store.ts (uuid) -> (uuid, uuid, text, text, jsonb, timestamp with time zone, jsonb, text, text, integer, text, integer, uuid, jsonb, timestamp with time zone, text, text, jsonb, bytea)
select j.id, j.event as "eventId", j.service_id as "serviceId", j.state, j.reasons as problems,
    j.rejected_at as "rejectedAt",
    jsonb_build_object('source', e.source, 'id', e.event_id, 'type', e.type, 'subject', e.subject,
      'time', to_char(e.event_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as seen,
    e.via, e.topic, e.partition, e."offset"::text as "offset", octet_length(e.body) as bytes, e.replay_of as "replayOf",
    case when j.replay is not null then jsonb_build_object('eventId', j.replay, 'campaignId', coalesce(
      (select c.id from campaign c where c.event = j.replay), (select m.campaign from command m where m.event = j.replay))) end as replay,
    j.settled_at as "settledAt", j.settled_by as "settledBy", j.settled_reason as reason, e.headers, e.body from rejection j join event e on e.id = j.event where j.id = $1
;

-- src/scheduler/accept/rejections/rejection.store.ts (uuid) -> (text)
select state from rejection where id = $1 for update
;

-- src/scheduler/accept/rejections/rejection.store.ts (uuid, text, timestamp with time zone, text, text, uuid) -> ()
update rejection set state = $2, settled_at = $3, settled_by = $4, settled_reason = $5, replay = $6
      where id = $1 and state = 'open'
;

-- src/scheduler/accept/write-batch.ts () -> (void)
select pg_notify('carillon_plan', '')
;

-- src/scheduler/admin/call-state.store.ts (timestamp with time zone) -> (text, integer, double precision, text, jsonb)
select p.service_id as "serviceId", p.rate_per_second as "ratePerSecond",
            coalesce((select least(p.rate_per_second, a.rate + p.rate_per_second
  * greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 / 60) from project_pace a where a.service_id = p.service_id),
                     p.rate_per_second)::float8 as rate,
            case when p.blocked_until > $1 then p.blocked_code end as "blockedCode",
            coalesce((select jsonb_object_agg(t.code, t.processes)
               from (select code, count(*) as processes from project_trouble
                      where service_id = p.service_id and seen_at > clock_timestamp() - interval '2 minutes'
                      group by code) t), '{}') as troubles
       from project p order by p.service_id
;

-- src/scheduler/admin/day-drop.store.ts () -> ()
delete from day_carried
;

-- src/scheduler/admin/day-drop.store.ts (date, text) -> ()
delete from day_drop where day = $1 and step = $2
;

-- src/scheduler/admin/day-drop.store.ts () -> ()
delete from event_sum where day >= (select kept_from('event') at time zone 'UTC')
;

-- src/scheduler/admin/day-drop.store.ts (date, timestamp with time zone) -> (text, timestamp with time zone, text, uuid, timestamp with time zone, text)
insert into day_drop (day, cutoff, after) values ($1::date, $2, uuid_floor($1::date::timestamp at time zone 'UTC'))
       returning to_char(day, 'YYYY-MM-DD') as day, cutoff, step, after, next_at as "nextAt", detail
;

-- src/scheduler/admin/day-drop.store.ts (date, timestamp with time zone, timestamp with time zone, text) -> ()
insert into day_drop (day, cutoff, step, after, next_at, detail) values ($1, $2, 'waits', uuid_floor($3), $3, $4)
;

-- src/scheduler/admin/day-drop.store.ts (text, date) -> (void)
select bound_old($1, ($2::date + 1)::timestamp at time zone 'UTC')
;

-- src/scheduler/admin/day-drop.store.ts (text, text) -> (double precision, double precision)
select carried::float8 as rows, bytes::float8 as bytes from carried_of($1, $2)
;

-- src/scheduler/admin/day-drop.store.ts (text, date, text) -> (integer)
select carry_day($1, $3, ($2::date + 1)::timestamp at time zone 'UTC')
;

-- src/scheduler/admin/day-drop.store.ts () -> (integer)
select count(*)::int as carried from day_carried
;

-- src/scheduler/admin/day-drop.store.ts (date, text, uuid) -> ()
select from day_drop where day = $1 and step = $2 and after = $3 for update
;

-- src/scheduler/admin/day-drop.store.ts (text) -> ()
select from day_partition where name = $1 and not is_going
;

-- src/scheduler/admin/day-drop.store.ts (text) -> (void)
select pg_advisory_xact_lock(hashtext($1))
;

-- src/scheduler/admin/day-drop.store.ts () -> (text, timestamp with time zone, text, uuid, timestamp with time zone, text)
select to_char(day, 'YYYY-MM-DD') as day, cutoff, step, after, next_at as "nextAt", detail from day_drop
;

-- src/scheduler/admin/day-drop.store.ts (text[], timestamp with time zone) -> (text)
select to_char(low, 'YYYY-MM-DD') as day from day_partition
      where parent = any($1) and low > '-infinity' and not is_going and high <= $2 order by low limit 1
;

-- src/scheduler/admin/day-drop.store.ts (date, uuid) -> ()
update day_drop set after = coalesce($2, after) where day = $1
;

-- src/scheduler/admin/day-drop.store.ts (date, timestamp with time zone, text) -> ()
update day_drop set next_at = $2, detail = $3 where day = $1
;

-- src/scheduler/admin/day-drop.store.ts (date, text, text, boolean) -> ()
update day_drop set step = $3, next_at = null, detail = null,
              after = case when $4::boolean then uuid_floor(day::timestamp at time zone 'UTC') else '00000000-0000-0000-0000-000000000000' end
        where day = $1 and step = $2
;

-- src/scheduler/admin/day-drop.store.ts (date, bigint, text, uuid) -> (integer)
with drop as materialized (
  select * from day_drop where day = $1 and step = $3 and after = $4 for update),
     page as materialized (
       
select e.id, e.service_id, e.verdict,
       num_nonnulls(case e.verdict when 'campaign' then c.id when 'revision' then r.campaign when 'command' then m.id
                                   when 'rejected' then j.id when 'duplicate' then u.event end) as counterpart,
       coalesce((select bool_or(k.state not in ('completed', 'expired', 'canceled', 'rejected') or k.state_at > e.cutoff)
                   from campaign k where k.id in (c.id, r.campaign, m.campaign)), false) as lives
  from (select e.*, d.cutoff from drop d
                          cross join lateral (select id, service_id, verdict from event_old e where e.id > d.after order by e.id limit $2) e) e
  left join campaign c on c.event = e.id
  left join revision r on r.event = e.id and r.revision > 1
  left join command m on m.event = e.id
  left join lateral (select j.id from rejection j where j.event = e.id limit 1) j on true
  left join duplicate u on u.event = e.id),
     stays as (insert into day_carried select id from page where lives),
     sums as (
insert into event_sum (day, service_id, verdict, events, counterparts)
select (bound_at(g.id::text) at time zone 'UTC')::date, g.service_id, g.verdict, count(*), sum(g.counterpart)
  from (select * from page where not lives) g group by 1, 2, 3),
     read as (update day_drop d set after = l.id from (select id from page order by id desc limit 1) l where d.day = $1)
     select count(*)::int as seen from page having exists (select from drop)
;

-- src/scheduler/admin/day-drop.store.ts (date, bigint, text, uuid) -> (integer)
with drop as materialized (
  select * from day_drop where day = $1 and step = $3 and after = $4 for update),
     page as materialized (
       select s.id, s.next_send, s.mode, s.state, s.state in ('sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded') and s.state_at <= d.cutoff as goes
         from drop d cross join lateral (select * from send_old s where s.id > d.after order by s.id limit $2) s),
     stays as (insert into day_carried select id from page where not goes),
     sums as (
insert into send_sum (day, service_id, campaign, occurrence, cell, state, mode, handed_off, immediate_late, reserved_late, deferred, recovered, sends, target, sent, failed)
select (bound_at(m.id::text) at time zone 'UTC')::date, m.service_id, m.campaign, m.occurrence, m.cell, m.state, m.mode, m.handed_off,
       two_digits(m.immediate_late), two_digits(m.reserved_late), two_digits(m.deferred), two_digits(m.recovered), count(*), sum(m.target), sum(m.sent), sum(m.failed)
  from (select m.* from page p join (
select s.id, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.mode, s.handed_off_at is not null as handed_off,
       case when s.mode = 'immediate' and s.retry_of is null and s.request_id is not null
            then round(extract(epoch from s.answered_at - s.due) * 1000)::float8 end as immediate_late,
       case when s.mode = 'reserved' and s.retry_of is null then round(extract(epoch from s.complete_time - s.due) * 1000)::float8 end as reserved_late,
       case when s.due > s.intended_at then round(extract(epoch from s.due - s.intended_at) * 1000)::float8 end as deferred,
       case when s.retry_of is not null and s.state = 'sent'
            then round(extract(epoch from case s.mode when 'reserved' then s.complete_time else s.answered_at end - s.due) * 1000)::float8 end as recovered,
       1 as sends, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent,
       greatest(coalesce(s.target_count, 0) - coalesce(s.sent_count, 0), 0) as failed
  from (select n.*, coalesce(n.first_due, n.due_at) as due
          from send_old n where n.next_send is null and n.state not in ('superseded')) s) m on m.id = p.id where p.goes) m
 group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
     counts as (
update standing_count k set replaced = true from (select * from page where goes) g
 where k.send = g.id and g.mode = 'scheduled' and (g.next_send is not null or g.state = 'superseded')),
     read as (update day_drop d set after = l.id from (select id from page order by id desc limit 1) l where d.day = $1)
     select count(*)::int as seen from page having exists (select from drop)
;

-- src/scheduler/admin/day-drop.store.ts () -> ()
with gone as (delete from day_drop returning day) delete from send_sum using gone where send_sum.day = gone.day
;

-- src/scheduler/admin/health-checks.ts (timestamp with time zone) -> (name, timestamp with time zone)
select c.relname as parent, d.day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select $1::timestamptz + n * interval '24 hours' as day from generate_series(-1, 3) n) d
 where c.relnamespace = current_schema()::regnamespace
   and not exists (select from pg_class t
                    where t.relname = c.relname || to_char(d.day at time zone 'UTC', '_YYYY_MM_DD')
                      and t.relnamespace = c.relnamespace and t.relispartition) limit 1
;

-- src/scheduler/admin/health-checks.ts () -> (text, text, text[])
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

-- src/scheduler/admin/housekeeping.store.ts (timestamp with time zone, bigint) -> (integer)
with old_inbox as (
       delete from inbox_key where ctid = any (array(
         select ctid from inbox_key where taken_at < $1 order by taken_at limit $2 for update skip locked)) returning 1
     ), old_answer as (
       delete from idempotent_answer where ctid = any (array(
         select ctid from idempotent_answer where created_at < $1 limit $2 for update skip locked)) returning 1
     ), old_unwritten as (
       delete from unwritten_answer where ctid = any (array(
         select u.ctid from unwritten_answer u
          where u.at < $1 and not exists (select from send s where s.id = u.send and s.state in ('sending', 'uncertain'))
          limit $2 for update skip locked)) returning 1
     )
     select ((select count(*) from old_inbox) + (select count(*) from old_answer)
             + (select count(*) from old_unwritten))::integer as count
;

-- src/scheduler/admin/housekeeping.ts (timestamp with time zone) -> (name, timestamp with time zone)
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

-- src/scheduler/admin/housekeeping.ts (text, timestamp with time zone) -> (boolean)
select add_day_partition($1, $2)
;

-- src/scheduler/admin/idempotency.store.ts (uuid, text) -> ()
delete from idempotent_answer where token_id = $1 and key = $2 and status is null
;

-- src/scheduler/admin/idempotency.store.ts (uuid, text, bytea, timestamp with time zone) -> (integer)
insert into idempotent_answer (token_id, key, request_hash, created_at) values ($1, $2, $3, $4)
     on conflict do nothing returning 1 as taken
;

-- src/scheduler/admin/idempotency.store.ts (uuid, text, bytea) -> (boolean, integer, jsonb, timestamp with time zone)
select request_hash = $3 as "sameRequest", status, body, created_at as "createdAt"
       from idempotent_answer where token_id = $1 and key = $2
;

-- src/scheduler/admin/idempotency.store.ts (uuid, text, integer, jsonb) -> ()
update idempotent_answer set status = $3, body = $4 where token_id = $1 and key = $2
;

-- src/scheduler/admin/project-write.store.ts (text, text) -> ()
delete from project_key where service_id = $1 and (access_key = $2
        or (position = 2 and not exists (select from project_key where service_id = $1 and access_key = $2)))
;

-- src/scheduler/admin/project-write.store.ts (text, text) -> ()
delete from project_key where service_id = $1 and access_key = $2
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text) -> (integer)
insert into project (service_id, created_at, updated_at, base_url) values ($1, $2, $2, $3)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, text, integer, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, default_zone, max_to, rate_per_second) values ($1, $2, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, lookup_max) values ($1, $2, $2, $3, $4)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, lookup_max, rate_per_second) values ($1, $2, $2, $3, $4, $5)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, max_to) values ($1, $2, $2, $3, $4)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, max_to, rate_per_second) values ($1, $2, $2, $3, $4, $5)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer, integer, text[]) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, max_to, rate_per_second, extensions) values ($1, $2, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, jsonb, integer, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, principal_zones, max_to, rate_per_second) values ($1, $2, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, rate_per_second) values ($1, $2, $2, $3, $4)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, integer, text[]) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, rate_per_second, extensions) values ($1, $2, $2, $3, $4, $5)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, boolean, integer, integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, reservations, max_to, rate_per_second) values ($1, $2, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, text[]) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, sources) values ($1, $2, $2, $3, $4)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text, text[], integer) -> (integer)
insert into project (service_id, created_at, updated_at, base_url, sources, rate_per_second) values ($1, $2, $2, $3, $4, $5)
     on conflict do nothing returning 1 as made
;

-- src/scheduler/admin/project-write.store.ts (uuid, text, text, text, timestamp with time zone) -> ()
insert into project_key (id, service_id, access_key, secret_sealed, position, created_at) values ($1, $2, $3, $4, 1, $5)
;

-- src/scheduler/admin/project-write.store.ts (text) -> (integer)
select 1 as there from project where service_id = $1 for update
;

-- src/scheduler/admin/project-write.store.ts (text) -> (text)
select access_key as "accessKey" from project_key where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts () -> (void)
select pg_notify('carillon_access', '')
;

-- src/scheduler/admin/project-write.store.ts () -> (void)
select pg_notify('carillon_dispatch', '')
;

-- src/scheduler/admin/project-write.store.ts (timestamp with time zone, text[], text, bigint) -> (text, text, text[], text, text, text, jsonb, jsonb, boolean, double precision, double precision, integer, integer, integer, integer, integer, text[], text, integer, boolean, text, text, jsonb, jsonb, jsonb)
select service_id as "serviceId", base_url as "baseUrl", sources,
  rejections_topic as "rejectionsTopic", default_zone as "defaultZone",
  gateway_zone as "gatewayZone", principal_zones as "principalZones", policy_defaults as "policyDefaults",
  reservations, min_reserve_lead_ms::float8 as "minReserveLeadMs", reserve_horizon_ms::float8 as "reserveHorizonMs",
  max_to as "maxTo", lookup_max as "lookupMax", rate_per_second as "ratePerSecond", in_flight as "inFlight",
  max_retries as "maxRetries", extensions, on_uncertain as "onUncertain", weight, api_key_sealed is not null as "hasApiKey",
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt", to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt",
  case when blocked_until > $1 then jsonb_build_object('code', blocked_code, 'detail', blocked_detail,
    'until', to_char(nullif(blocked_until, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as blocked,
  jsonb_build_object('rate', (round(coalesce((select least(p.rate_per_second, a.rate + p.rate_per_second
  * greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 / 60) from project_pace a where a.service_id = p.service_id),
    p.rate_per_second)::numeric, 3))::float8,
    'slowedAt', (select to_char(a.slowed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from project_pace a where a.service_id = p.service_id),
    'troubles', coalesce((select jsonb_agg(jsonb_build_object('code', t.code, 'detail', t.detail, 'processes', t.processes,
          'since', to_char(t.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by t.code)
        from (select code, max(detail) as detail, count(*) as processes, min(since) as since from project_trouble
               where service_id = p.service_id and seen_at > clock_timestamp() - interval '2 minutes' group by code) t),
      '[]')) as dispatch,
  coalesce((select jsonb_agg(jsonb_build_object('accessKey', k.access_key, 'position', k.position,
      'createdAt', to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by k.position)
    from project_key k where k.service_id = p.service_id), '[]') as keys from project p
      where ($2::text[] is null or service_id = any($2)) and ($3::text is null or service_id > $3)
      order by service_id limit $4
;

-- src/scheduler/admin/project-write.store.ts (timestamp with time zone, text) -> (text, text, text[], text, text, text, jsonb, jsonb, boolean, double precision, double precision, integer, integer, integer, integer, integer, text[], text, integer, boolean, text, text, jsonb, jsonb, jsonb)
select service_id as "serviceId", base_url as "baseUrl", sources,
  rejections_topic as "rejectionsTopic", default_zone as "defaultZone",
  gateway_zone as "gatewayZone", principal_zones as "principalZones", policy_defaults as "policyDefaults",
  reservations, min_reserve_lead_ms::float8 as "minReserveLeadMs", reserve_horizon_ms::float8 as "reserveHorizonMs",
  max_to as "maxTo", lookup_max as "lookupMax", rate_per_second as "ratePerSecond", in_flight as "inFlight",
  max_retries as "maxRetries", extensions, on_uncertain as "onUncertain", weight, api_key_sealed is not null as "hasApiKey",
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt", to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt",
  case when blocked_until > $1 then jsonb_build_object('code', blocked_code, 'detail', blocked_detail,
    'until', to_char(nullif(blocked_until, 'infinity') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as blocked,
  jsonb_build_object('rate', (round(coalesce((select least(p.rate_per_second, a.rate + p.rate_per_second
  * greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 / 60) from project_pace a where a.service_id = p.service_id),
    p.rate_per_second)::numeric, 3))::float8,
    'slowedAt', (select to_char(a.slowed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from project_pace a where a.service_id = p.service_id),
    'troubles', coalesce((select jsonb_agg(jsonb_build_object('code', t.code, 'detail', t.detail, 'processes', t.processes,
          'since', to_char(t.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by t.code)
        from (select code, max(detail) as detail, count(*) as processes, min(since) as since from project_trouble
               where service_id = p.service_id and seen_at > clock_timestamp() - interval '2 minutes' group by code) t),
      '[]')) as dispatch,
  coalesce((select jsonb_agg(jsonb_build_object('accessKey', k.access_key, 'position', k.position,
      'createdAt', to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by k.position)
    from project_key k where k.service_id = p.service_id), '[]') as keys from project p where service_id = $2
;

-- src/scheduler/admin/project-write.store.ts (text, text) -> ()
update project set api_key_sealed = $2 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, boolean, timestamp with time zone) -> ()
update project set blocked_until = case when $2::boolean then 'infinity'::timestamptz end,
            blocked_code = case when $2::boolean then 'STOPPED' end, blocked_detail = null, updated_at = $3 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, text[]) -> (integer)
update project set blocked_until = null, blocked_code = null, blocked_detail = null
      where service_id = $1 and blocked_code = any($2::text[]) returning 1 as ended
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text) -> ()
update project set updated_at = $2, base_url = $3 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, jsonb) -> ()
update project set updated_at = $2, policy_defaults = $3 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, integer) -> ()
update project set updated_at = $2, rate_per_second = $3 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text) -> ()
update project set updated_at = $2, rejections_topic = $3 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text, timestamp with time zone, text[], jsonb, bigint) -> ()
update project set updated_at = $2, sources = $3, policy_defaults = $4, min_reserve_lead_ms = $5 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text) -> ()
update project_key set position = 1 where service_id = $1
;

-- src/scheduler/admin/project-write.store.ts (text) -> ()
update project_key set position = 2 where service_id = $1 and position = 1
;

-- src/scheduler/admin/retention.store.ts (uuid[], bigint) -> (integer)
delete from command where ctid = any (array(select t.ctid from command t where t.campaign = any($1::uuid[]) limit $2)) returning 1
;

-- src/scheduler/admin/retention.store.ts (uuid[], bigint) -> (integer)
delete from occurrence where ctid = any (array(select t.ctid from occurrence t where t.campaign = any($1::uuid[]) limit $2)) returning 1
;

-- src/scheduler/admin/retention.store.ts (uuid[], bigint) -> (integer)
delete from standing_count where ctid = any (array(select t.ctid from standing_count t where t.campaign = any($1::uuid[]) limit $2)) returning 1
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, bigint) -> (uuid)
select c.id from campaign c
 where c.id < uuid_floor($1) and c.state in ('completed', 'expired', 'canceled', 'rejected') and c.state_at <= $1
   and not exists (select from revision r where r.campaign = c.id)
   and not exists (select from send s where s.campaign = c.id)
   and not exists (select from command m where m.campaign = c.id
                      and (m.event >= (select uuid_floor(kept_from('event'))) or exists (select from event_old o where o.id = m.event)))
 order by c.id limit $2
;

-- src/scheduler/admin/retention.store.ts (uuid[], bigint) -> (integer)
with gone as materialized (select unnest($1::uuid[]) as id limit $2),
of_campaign_history as (delete from campaign_history t using gone g where t.campaign = g.id),
of_campaign_cancel as (delete from campaign_cancel t using gone g where t.campaign = g.id)
delete from campaign c using gone g where c.id = g.id returning 1
;

-- src/scheduler/admin/retention.store.ts (uuid[], bigint) -> (integer)
with page as materialized (
  select campaign, occurrence, cell from cell where campaign = any($1::uuid[]) order by campaign, occurrence, cell limit $2),
sums as (
  delete from send_sum t using page p
   where t.campaign = p.campaign and t.occurrence = p.occurrence and t.cell = p.cell)
delete from cell k using page p
 where k.campaign = p.campaign and k.occurrence = p.occurrence and k.cell = p.cell returning 1
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, uuid, bigint) -> (integer, text, integer)
with page as materialized (select campaign as id from revision where campaign > $2 and campaign < (select uuid_floor(kept_from('send'))) order by campaign limit $3),
gone as (
  delete from revision r using page p, campaign c
   where r.campaign = p.id and c.id = p.id and c.state in ('completed', 'expired', 'canceled', 'rejected') and c.state_at <= $1
     and not exists (select from send s where s.campaign = c.id)
     and r.event < (select uuid_floor(kept_from('event')))
     and not exists (select from event_old o where o.id in (c.event, r.event)) returning 1)
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, uuid, bigint) -> (integer, text, integer)
with page as materialized (select id, service_id, verdict, $1::timestamptz as cutoff from event_old where id > $2 order by id limit $3),
ended as materialized (select * from (
select e.id, e.service_id, e.verdict,
       num_nonnulls(case e.verdict when 'campaign' then c.id when 'revision' then r.campaign when 'command' then m.id
                                   when 'rejected' then j.id when 'duplicate' then u.event end) as counterpart,
       coalesce((select bool_or(k.state not in ('completed', 'expired', 'canceled', 'rejected') or k.state_at > e.cutoff)
                   from campaign k where k.id in (c.id, r.campaign, m.campaign)), false) as lives
  from page e
  left join campaign c on c.event = e.id
  left join revision r on r.event = e.id and r.revision > 1
  left join command m on m.event = e.id
  left join lateral (select j.id from rejection j where j.event = e.id limit 1) j on true
  left join duplicate u on u.event = e.id) e where not e.lives),
gone as (delete from event_old o using ended e where o.id = e.id returning e.*),
sums as (
insert into event_sum (day, service_id, verdict, events, counterparts)
select (bound_at(g.id::text) at time zone 'UTC')::date, g.service_id, g.verdict, count(*), sum(g.counterpart)
  from (select * from gone) g group by 1, 2, 3)
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, uuid, bigint) -> (integer, text, integer)
with page as materialized (select id, state, state_at, next_send, mode from send_old where id > $2 order by id limit $3),
ended as materialized (
  select s.id, s.next_send, s.mode, s.state from send_old s
   where s.id in (select id from page) and s.state in ('sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded') and s.state_at <= $1
   order by s.id for update skip locked),
sums as (
insert into send_sum (day, service_id, campaign, occurrence, cell, state, mode, handed_off, immediate_late, reserved_late, deferred, recovered, sends, target, sent, failed)
select (bound_at(m.id::text) at time zone 'UTC')::date, m.service_id, m.campaign, m.occurrence, m.cell, m.state, m.mode, m.handed_off,
       two_digits(m.immediate_late), two_digits(m.reserved_late), two_digits(m.deferred), two_digits(m.recovered), count(*), sum(m.target), sum(m.sent), sum(m.failed)
  from (select m.* from ended e join (
select s.id, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.mode, s.handed_off_at is not null as handed_off,
       case when s.mode = 'immediate' and s.retry_of is null and s.request_id is not null
            then round(extract(epoch from s.answered_at - s.due) * 1000)::float8 end as immediate_late,
       case when s.mode = 'reserved' and s.retry_of is null then round(extract(epoch from s.complete_time - s.due) * 1000)::float8 end as reserved_late,
       case when s.due > s.intended_at then round(extract(epoch from s.due - s.intended_at) * 1000)::float8 end as deferred,
       case when s.retry_of is not null and s.state = 'sent'
            then round(extract(epoch from case s.mode when 'reserved' then s.complete_time else s.answered_at end - s.due) * 1000)::float8 end as recovered,
       1 as sends, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent,
       greatest(coalesce(s.target_count, 0) - coalesce(s.sent_count, 0), 0) as failed
  from (select n.*, coalesce(n.first_due, n.due_at) as due
          from send_old n where n.next_send is null and n.state not in ('superseded')) s) m on m.id = e.id) m
 group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
counts as (
update standing_count k set replaced = true from (select * from ended) g
 where k.send = g.id and g.mode = 'scheduled' and (g.next_send is not null or g.state = 'superseded')),
recipients as (delete from send_recipients_old r using ended e where r.send = e.id),
notes as (delete from send_note_old n using ended e where n.send = e.id),
attempts as (delete from attempt_old a using ended e where a.send = e.id),
gone as (delete from send_old s using ended e where s.id = e.id returning 1)
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, uuid, bigint) -> (integer, text, integer)
with page as materialized (select t.event as id from duplicate t
        where t.event > $2 and t.event < (select uuid_floor(kept_from('event'))) and $1::timestamptz is not null order by t.event limit $3),
gone as (
  delete from duplicate t using page p
   where t.event = p.id and not exists (select from event_old o where o.id = t.event) returning 1)
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, uuid, bigint) -> (integer, text, integer)
with page as materialized (select t.event as id from rejection t
        where t.event > $2 and t.event < (select uuid_floor(kept_from('event'))) and $1::timestamptz is not null order by t.event limit $3),
gone as (
  delete from rejection t using page p
   where t.event = p.id and not exists (select from event_old o where o.id = t.event) returning 1)
select count(*)::int as seen, max(p.id::text) as last, (select count(*)::int from gone) as gone from page p
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone) -> ()
delete from event_sum where day < $1::timestamptz at time zone 'UTC'
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone, bigint) -> (integer)
delete from send_event_old where ctid = any (array(
       select e.ctid from send_event_old e join publish_cursor c on c.shard = e.shard
        where e.at < $1 and e.position <@ c.published limit $2))
     returning 1
;

-- src/scheduler/admin/retention.store.ts () -> ()
select from publish_cursor c cross join lateral cursor_gaps(c.published) as gap
        where exists (select from send_event_old e where e.shard = c.shard and e.position >= gap.low and e.position < gap.high) limit 1
;

-- src/scheduler/admin/retention.store.ts (timestamp with time zone) -> (text)
select name from day_partition where parent = 'send_event' and low > '-infinity' and high <= $1 order by low
;

-- src/scheduler/admin/retention.ts () -> (name)
select c.relname as name from pg_class c
 where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
   and substring(c.relname from '^(.*)_(?:\d{4}_\d\d_\d\d|old)$')
       in (select p.relname from pg_partitioned_table t join pg_class p on p.oid = t.partrelid)
;

-- src/scheduler/admin/retention.ts () -> (boolean)
select pg_try_advisory_xact_lock(hashtext('carillon retention ' || current_schema())) as held
;

-- src/scheduler/dispatch/recover-lost.ts () -> (text)
select service_id from project order by 1
;

-- src/scheduler/dispatch/replica.store.ts (uuid) -> (uuid, text)
with beat as (
  insert into replica (id, beat_at) values ($1, clock_timestamp())
  on conflict (id) do update set beat_at = excluded.beat_at)
select id, beat_at::text as beat from replica
;

-- src/scheduler/dispatch/replica.store.ts (uuid[], timestamp with time zone[]) -> ()
delete from replica r using unnest($1::uuid[], $2::timestamptz[]) as d(id, beat_at)
      where r.id = d.id and r.beat_at = d.beat_at
;

-- src/scheduler/dispatch/replica.store.ts (uuid) -> ()
delete from replica where id = $1
;

-- src/scheduler/operate/command.store.ts (uuid, uuid, text, text, text, timestamp with time zone, text) -> ()
insert into command (id, campaign, kind, occurrence, reason, given_at, given_by)
     values ($1, $2, $3, $4, $5, $6, $7)
;

-- src/scheduler/operate/command.store.ts (uuid) -> (text, text, text)
select service_id as "serviceId", campaign_id as "campaignId", state from campaign where id = $1 for update
;

-- src/scheduler/plan/plan-due.ts (text, text, text) -> (void, void)
select pg_notify($1, $3), pg_notify($2, $3)
;

-- src/scheduler/plan/plan-preview.store.ts (double precision, bigint) -> ()
delete from plan_preview where ctid = any (array(
       select ctid from plan_preview where expires_at < to_timestamp($1::float8 / 1000)
        order by expires_at limit $2 for update skip locked))
;

-- src/scheduler/plan/plan-preview.store.ts (text, text) -> ()
delete from plan_preview_cell where service_id = $1 and hash = $2
;

-- src/scheduler/plan/plan-preview.store.ts (text, text, jsonb, double precision, double precision) -> ()
insert into plan_preview (service_id, hash, plan, made_at, expires_at)
     values ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))
     on conflict (service_id, hash)
     do update set plan = excluded.plan, made_at = excluded.made_at, expires_at = excluded.expires_at
;

-- src/scheduler/plan/plan-preview.store.ts (text, text, text[]) -> ()
insert into plan_preview_cell (service_id, hash, position, cell)
     select $1, $2, position, cell::jsonb from unnest($3::text[]) with ordinality as u(cell, position)
;

-- src/scheduler/plan/plan-preview.store.ts (text, text, integer, bigint) -> (integer, jsonb)
select position, cell from plan_preview_cell
      where service_id = $1 and hash = $2 and position > $3 order by position limit $4
;

-- src/scheduler/plan/plan-preview.store.ts (text, text[], double precision) -> (text, jsonb, timestamp with time zone, timestamp with time zone)
select service_id as "serviceId", plan, made_at as "madeAt", expires_at as "expiresAt" from plan_preview
      where hash = $1 and ($2::text[] is null or service_id = any($2)) and expires_at > to_timestamp($3::float8 / 1000)
      order by service_id limit 1
;

-- src/scheduler/plan/plan.store.ts (uuid) -> ()
insert into campaign_touched (campaign) values ($1)
;

-- src/scheduler/plan/plan.store.ts (uuid, text, integer, timestamp with time zone) -> ()
insert into occurrence (campaign, occurrence, revision, state, code, state_at)
     values ($1, $2, $3, 'skipped', 'PLANNING_FAILED', $4)
;

-- src/scheduler/plan/plan.store.ts (uuid[]) -> (uuid, text, integer, text, jsonb, jsonb, jsonb, text, text[])
select c.id, c.service_id as "serviceId", c.revision, c.state, r.data, r.data->'trace' as trace, r.plan,
            (select max(o.occurrence) from occurrence o
  where o.campaign = c.id and o.occurrence not like 'test-%'
    and (o.state <> 'canceled' or exists (
      select from cell k where k.campaign = o.campaign and k.occurrence = o.occurrence))) as after,
            array(select o.occurrence from occurrence o where o.campaign = c.id and o.state = 'canceled') as canceled
       from campaign c left join revision r on r.campaign = c.id and r.revision = c.revision
      where c.id = any($1::uuid[]) order by c.id
;

-- src/scheduler/plan/plan.store.ts (uuid[]) -> (uuid)
select id from campaign
      where id = any($1::uuid[]) and state in ('planning', 'planned', 'running') and plan_at is not null
      order by id for no key update
;

-- src/scheduler/plan/plan.store.ts (uuid, text, timestamp with time zone) -> (void)
select tell_campaign($1, 'occurrence.skipped', 'skipped', $2, $3)
;

-- src/scheduler/plan/plan.store.ts (uuid, text) -> ()
update campaign set code = 'PLANNING_FAILED', detail = $2
      where id = $1 and state in ('planning', 'planned', 'running') and plan_tries > 0
;

-- src/scheduler/plan/plan.store.ts (uuid, text, timestamp with time zone) -> ()
update campaign set code = 'PLANNING_FAILED', detail = $2, plan_tries = 0, plan_at = $3 where id = $1
;

-- src/scheduler/plan/plan.store.ts (uuid[], double precision) -> ()
update campaign set plan_tries = plan_tries - 1, plan_at = to_timestamp($2::float8 / 1000)
      where id = any($1::uuid[]) and state in ('planning', 'planned', 'running') and plan_at is not null and plan_tries > 0
;

-- src/scheduler/plan/plan.store.ts (double precision, bigint, text, uuid, timestamp with time zone) -> (uuid, integer, double precision)
with born as (
       select id, null::timestamptz as due from campaign
        where (plan_at, id) > ('-infinity', $4::uuid) and plan_at <= '-infinity' and state in ('accepted', 'planning', 'planned', 'running')
        order by plan_at, id limit $2 for no key update skip locked
     ), again as (
       select id, plan_at as due from campaign
        where plan_at > '-infinity' and plan_at >= $5::timestamptz and plan_at <= to_timestamp($1::float8 / 1000) and state in ('accepted', 'planning', 'planned', 'running')
        order by plan_at, id limit $2 - (select count(*) from born) for no key update skip locked
     )
     update campaign c set
       state = case c.state when 'accepted' then 'planning' else c.state end, plan_tries = c.plan_tries + 1,
       plan_at = to_timestamp($1::float8 / 1000)
               + interval '1 millisecond' * 3522.504892367906 * power(2, least(c.plan_tries, 8)),
       state_at = case c.state when 'accepted' then to_timestamp($1::float8 / 1000) else c.state_at end,
       state_by = case c.state when 'accepted' then $3 else c.state_by end
       from (select * from born union all select * from again) as found where c.id = found.id
     returning c.id, c.plan_tries as tries, (extract(epoch from found.due) * 1000)::float8 as "dueAt"
;

-- src/scheduler/plan/plan.store.ts (uuid[], integer[], jsonb[], timestamp with time zone[], double precision, text) -> ()
with done as (
       select * from (select unnest($1::uuid[]) as "id", unnest($2::int[]) as "revision", unnest($3::jsonb[]) as "plan", unnest($4::timestamptz[]) as "plan_at") as u
     ), in_force as (
       update revision r set state = 'in-force', plan = u.plan from done u
        where r.campaign = u.id and r.revision = u.revision
     ), touched as (
       insert into campaign_touched (campaign) select id from done
     )
     update campaign c set
       state = case c.state when 'planning' then 'planned' else c.state end, code = null, detail = null,
       plan_at = u.plan_at, plan_tries = 0,
       state_at = case c.state when 'planning' then to_timestamp($5::float8 / 1000) else c.state_at end,
       state_by = case c.state when 'planning' then $6 else c.state_by end
       from done u where c.id = u.id
;

-- src/scheduler/plan/plan.store.ts (uuid[], integer[], jsonb[], double precision, text) -> ()
with refused as (
       select * from (select unnest($1::uuid[]) as "id", unnest($2::int[]) as "revision", unnest($3::jsonb[]) as "reasons") as u
     ), rejected as (
       update revision r set state = 'rejected', reasons = u.reasons from refused u
        where r.campaign = u.id and r.revision = u.revision
     )
     update campaign c set state = 'rejected', code = u.reasons #>> '{0,code}', detail = u.reasons #>> '{0,text}',
            plan_at = null, plan_tries = 0, state_at = to_timestamp($4::float8 / 1000), state_by = $5
       from refused u where c.id = u.id
;

-- src/scheduler/push-client/pace.store.ts (text[], integer[], boolean) -> (text, integer, double precision, double precision)
with wish as (select * from unnest($1::text[], $2::int[]) as w(service_id, wanted)),
born as (
  insert into project_pace (service_id, rate, tokens, at)
  select p.service_id, p.rate_per_second, greatest(1, p.rate_per_second / 4.0), clock_timestamp()
    from project p join wish w on w.service_id = p.service_id
   order by 1 on conflict do nothing returning service_id),
held as materialized (
  select a.service_id, a.rate, a.tokens, p.rate_per_second as most, w.wanted, clock_timestamp() as now,
         greatest(0, extract(epoch from clock_timestamp() - a.at))::float8 as passed,
         coalesce(a.pressed_until > clock_timestamp(), false) as pressed, a.polled_at
    from project_pace a join project p on p.service_id = a.service_id join wish w on w.service_id = a.service_id
   order by a.service_id for no key update of a),
climbed as (
  select *, least(most, rate + most * passed / 60) as new_rate from held),
filled as (
  select f.*, least(greatest(1, f.new_rate / 4), f.tokens + f.passed * f.new_rate) as has from climbed f),
owned as (
  select f.*, 8 / f.new_rate as own_gap, greatest(coalesce(f.polled_at, '-infinity'),
           f.now - greatest(0.25, 8 / f.new_rate) * interval '1 second') as own_from
    from filled f),
given as (
  select o.*, least(o.wanted, greatest(0, floor(case
      when not $3::boolean then o.has
      -- A rounding of the last digits is not to cost a whole call.
      else greatest(extract(epoch from o.now - o.own_from)::float8 / o.own_gap + 1e-6,
                    case when o.pressed then 0 else o.has - (greatest(1, o.new_rate / 4) - 1) / 2 end)
      end))) as granted from owned o)
update project_pace a set rate = g.new_rate, tokens = g.has - g.granted, at = g.now,
       pressed_until = case when not $3::boolean and 2 * g.granted < g.wanted then g.now + interval '1 second' else a.pressed_until end,
       polled_at = case when $3::boolean then least(g.now, g.own_from + g.granted * g.own_gap * interval '1 second')
                        else a.polled_at end
  from given g where a.service_id = g.service_id
returning a.service_id as "serviceId", g.granted::int as granted, a.rate,
          greatest(0, ceil(1000 * case when $3::boolean
            then least((1 - a.tokens) / a.rate, extract(epoch from a.polled_at - g.now)::float8 + g.own_gap)
            else (1 - a.tokens) / a.rate end))::float8 as "waitMs"
;

-- src/scheduler/push-client/pace.store.ts (text) -> (double precision)
update project_pace set rate = greatest(1, rate / 2), tokens = 0, slowed_at = clock_timestamp()
      where service_id = $1 and (slowed_at is null or slowed_at < clock_timestamp() - interval '1 second')
     returning rate
;

-- src/scheduler/push-client/project-block.store.ts (text, timestamp with time zone, text, text) -> (text)
update project set blocked_until = $2, blocked_code = $3, blocked_detail = $4
      where service_id = $1 and (blocked_until is null or blocked_until < $2) returning service_id
;

-- src/scheduler/push-client/project-block.store.ts (timestamp with time zone) -> (text)
update project set blocked_until = null, blocked_code = null, blocked_detail = null where blocked_until <= $1 returning service_id
;

-- src/scheduler/push-client/project-trouble.store.ts (uuid) -> ()
delete from project_trouble where process = $1
;

-- src/scheduler/push-client/project-trouble.store.ts (uuid, text, text) -> ()
delete from project_trouble where process = $1 and service_id = $2 and code = $3
;

-- src/scheduler/push-client/project-trouble.store.ts () -> (integer)
delete from project_trouble where seen_at < clock_timestamp() - interval '1 day' returning 1 as gone
;

-- src/scheduler/push-client/project-trouble.store.ts (text, uuid, text, text) -> ()
insert into project_trouble (service_id, process, code, detail, since, seen_at)
       select service_id, $2, $3, $4, clock_timestamp(), clock_timestamp() from project where service_id = $1
       on conflict (service_id, code, process) do update set seen_at = excluded.seen_at, detail = excluded.detail
;

-- src/scheduler/report/reports.controller.ts () -> (double precision)
select case when not pg_is_in_recovery() then 0
            when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
            else greatest(0, 1000 * extract(epoch from clock_timestamp() - coalesce(
                   pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint()))))
       end::float8 as ms
;

-- src/scheduler/store/audience-lookup.store.ts (double precision) -> (uuid, text, integer, integer, boolean, double precision, double precision)
update audience_lookup l set lease_until = clock_timestamp() + interval '180 seconds'
   where campaign = (
     select campaign from audience_lookup
      where done_at is null and next_at <= to_timestamp($1::float8 / 1000)
        and (lease_until is null or lease_until < clock_timestamp())
      order by next_at, campaign limit 1 for update skip locked)
  returning l.campaign, l.service_id as "serviceId", l.asked, l.failures, l.done_at is not null as done,
  extract(epoch from l.opened_at)::float8 * 1000 as "openedAt", extract(epoch from l.give_up_at)::float8 * 1000 as "giveUpAt"
;

-- src/scheduler/store/audience-lookup.store.ts (uuid[]) -> ()
delete from audience_lookup where campaign = any($1::uuid[])
;

-- src/scheduler/store/audience-lookup.store.ts (uuid[]) -> (uuid, text, integer, integer, boolean, double precision, double precision)
select l.campaign, l.service_id as "serviceId", l.asked, l.failures, l.done_at is not null as done,
  extract(epoch from l.opened_at)::float8 * 1000 as "openedAt", extract(epoch from l.give_up_at)::float8 * 1000 as "giveUpAt" from audience_lookup l where campaign = any($1::uuid[])
;

-- src/scheduler/store/audience-lookup.store.ts (uuid) -> (jsonb)
select r.data from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
      where c.id = $1 and c.state in ('planning', 'planned', 'running') and c.plan_at is not null
;

-- src/scheduler/store/audience-lookup.store.ts (uuid) -> (jsonb, text[], integer, uuid, text, integer, integer, boolean, double precision, double precision)
select r.data, p.extensions, p.lookup_max as "lookupMax", l.campaign, l.service_id as "serviceId", l.asked, l.failures, l.done_at is not null as done,
  extract(epoch from l.opened_at)::float8 * 1000 as "openedAt", extract(epoch from l.give_up_at)::float8 * 1000 as "giveUpAt"
       from audience_lookup l
       join campaign c on c.id = l.campaign
       join revision r on r.campaign = c.id and r.revision = c.revision
       join project p on p.service_id = l.service_id
      where l.campaign = $1 and c.state in ('planning', 'planned', 'running') and c.plan_at is not null
;

-- src/scheduler/store/audience-lookup.store.ts (uuid, integer) -> (uuid)
update audience_lookup
        set asked = asked + $2, lease_until = clock_timestamp() + interval '180 seconds'
      where campaign = $1 returning campaign
;

-- src/scheduler/store/audience-lookup.store.ts (uuid, double precision, integer) -> ()
update audience_lookup set next_at = to_timestamp($2::float8 / 1000), failures = $3, lease_until = null
      where campaign = $1
;

-- src/scheduler/store/audience-lookup.store.ts (uuid, double precision) -> (void)
with held as (
       select id from campaign where id = $1 for no key update
     ), ended as (
       update audience_lookup l set done_at = to_timestamp($2::float8 / 1000), lease_until = null from held
        where l.campaign = held.id and l.done_at is null returning l.campaign
     ), due as (
       update campaign c set plan_at = least(c.plan_at, to_timestamp($2::float8 / 1000)) from ended
        where c.id = ended.campaign and c.plan_at is not null
     )
     select pg_notify('carillon_plan', '')
;

-- src/scheduler/store/audience-lookup.store.ts (uuid[], text[], timestamp with time zone[], double precision) -> (void)
with wait as (
       select * from (select unnest($1::uuid[]) as "campaign", unnest($2::text[]) as "service_id", unnest($3::timestamptz[]) as "give_up_at") as w
     ), born as (
       insert into audience_lookup (campaign, service_id, opened_at, give_up_at, next_at)
       select campaign, service_id, to_timestamp($4::float8 / 1000), give_up_at,
              to_timestamp($4::float8 / 1000) from wait
       on conflict (campaign) do nothing
     ), waiting as (
       update campaign c set plan_at = w.give_up_at, plan_tries = 0
         from wait w where c.id = w.campaign
     )
     select pg_notify('carillon_lookup', '')
;

-- src/scheduler/store/audit.store.ts (uuid[], timestamp with time zone, text, text, text, text, jsonb, jsonb) -> ()
insert into audit ("id", "at", "who", "action", "target", "service_id", "before", "after") select "id", "at", "who", "action", "target", "service_id", "before", "after" from (select unnest($1::uuid[])::uuid as "id", $2::timestamptz as "at", $3::text as "who", $4::text as "action", $5::text as "target", $6::text as "service_id", $7::jsonb as "before", $8::jsonb as "after") as r
;

-- src/scheduler/store/audit.store.ts (text, uuid, bigint, text[]) -> (uuid, timestamp with time zone, text, text, text, text, jsonb, jsonb)
select id, at, who, action, target, service_id as "serviceId", before, after from audit
      where ($1::text is null or target = $1) and ($2::uuid is null or id < $2)
        and ($4::text[] is null or service_id = any($4))
      order by id desc limit $3
;

-- src/scheduler/store/gateway-name.store.ts (timestamp with time zone, bigint) -> (integer)
delete from gateway_name where ctid = any (array(
       select ctid from gateway_name where looked_up_at < $1 limit $2 for update skip locked)) returning 1
;

-- src/scheduler/store/gateway-name.store.ts (text, text, text, boolean, double precision) -> ()
insert into gateway_name (service_id, kind, name, known, looked_up_at)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
     on conflict (service_id, kind, name) do update set known = excluded.known, looked_up_at = excluded.looked_up_at
;

-- src/scheduler/store/gateway-name.store.ts (text[], text[], text[]) -> (text, text, text, boolean, double precision)
select g.service_id as "serviceId", g.kind, g.name, g.known, extract(epoch from g.looked_up_at)::float8 * 1000 as at
       from (select distinct * from unnest($1::text[], $2::text[], $3::text[]) as n(service_id, kind, name)) n
       join gateway_name g on g.service_id = n.service_id and g.kind = n.kind and g.name = n.name
;

-- src/scheduler/store/hold-shards.ts (integer, integer[]) -> (integer)
select shard from unnest($2::int[]) as shard where pg_try_advisory_xact_lock($1, shard)
;

-- src/scheduler/store/kept-bytes.store.ts (timestamp with time zone) -> (text, text, integer, double precision, double precision)
with part as (
  select p.parent, p.low, p.high, pg_total_relation_size(to_regclass(format('%I', p.name))) as bytes from day_partition p),
over as (
  select parent, bytes, row_number() over (partition by parent order by low desc) as place
    from part where low > '-infinity' and high <= $1)
select parent as kind, to_char(min(low) filter (where low > '-infinity'), 'YYYY-MM-DD') as "oldestDay",
       (count(*) filter (where low > '-infinity' and low <= $1))::int as days, sum(bytes)::float8 as bytes,
       coalesce((select avg(o.bytes) from over o where o.parent = part.parent and o.place <= 7), 0)::float8 as "bytesADay"
  from part group by parent
union all
select '', null, 0, coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8, 0
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
 order by 1
;

-- src/scheduler/store/kept-bytes.store.ts () -> (double precision)
select pg_database_size(current_database())::float8 as taken
;

-- src/scheduler/store/occurrence.store.ts (uuid, text) -> (text, text, timestamp with time zone)
select * from (
       select occurrence, code, state_at as at from occurrence
        where campaign = $1 and ($2::text is null or occurrence = $2) and state = 'skipped'
        order by occurrence desc limit 366) newest
      order by occurrence
;

-- src/scheduler/store/occurrence.store.ts (uuid[], text[]) -> (uuid, text, text, jsonb, jsonb, text)
select n.campaign, n.occurrence, o.state, r.data->'delivery' as delivery,
            r.data->'policy'->'dst' as dst, (select max(o.occurrence) from occurrence o
  where o.campaign = c.id and o.occurrence not like 'test-%'
    and (o.state <> 'canceled' or exists (
      select from cell k where k.campaign = o.campaign and k.occurrence = o.occurrence))) as "plannedUntil"
       from unnest($1::uuid[], $2::text[]) with ordinality as n(campaign, occurrence, position)
       join campaign c on c.id = n.campaign
       join revision r on r.campaign = c.id and r.revision = c.revision
       left join occurrence o on o.campaign = n.campaign and o.occurrence = n.occurrence
      order by n.position
;

-- src/scheduler/store/outbox.store.ts (bigint, bigint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint, smallint) -> (uuid, text, text, jsonb, bytea)
with ahead as (select * from ((select id, position, octet_length(value) as length
        from outbox where shard = $3::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $4::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $5::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $6::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $7::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $8::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $9::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $10::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $11::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $12::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $13::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $14::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $15::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $16::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $17::smallint and published_at is null order by position limit $1) union all (select id, position, octet_length(value) as length
        from outbox where shard = $18::smallint and published_at is null order by position limit $1)) o order by position limit $1),
counted as (select id, position, sum(length) over (order by position) - length as before from ahead)
select o.id, o.topic, o.key, o.headers, o.value
  from counted n join outbox o on o.id = n.id
 where n.before < $2 order by n.position
;

-- src/scheduler/store/outbox.store.ts (timestamp with time zone, bigint) -> (uuid)
delete from outbox where id in (
       select id from outbox where published_at < $1 order by published_at limit $2 for update skip locked)
     returning id
;

-- src/scheduler/store/outbox.store.ts (uuid[], text, text, jsonb, bytea, timestamp with time zone) -> ()
insert into outbox ("id", "topic", "key", "headers", "value", "created_at", shard) select "id", "topic", "key", "headers", "value", "created_at", (hashtext(coalesce(r.key, '')) & 15) from (select unnest($1::uuid[])::uuid as "id", $2::text as "topic", $3::text as "key", $4::jsonb as "headers", $5::bytea as "value", $6::timestamptz as "created_at") as r
;

-- src/scheduler/store/outbox.store.ts () -> (void)
select pg_notify('carillon_outbox', '')
;

-- src/scheduler/store/outbox.store.ts (uuid[], timestamp with time zone) -> ()
update outbox set published_at = $2 where id = any($1::uuid[])
;

-- src/scheduler/store/project.store.ts (text[]) -> (text, text, text[], text, text, text, jsonb, jsonb, boolean, double precision, double precision, integer, integer, integer, integer, integer, text[], text, integer, text, text, text, double precision, jsonb)
select service_id as "serviceId", base_url as "baseUrl", sources,
  rejections_topic as "rejectionsTopic", default_zone as "defaultZone",
  gateway_zone as "gatewayZone", principal_zones as "principalZones", policy_defaults as "policyDefaults",
  reservations, min_reserve_lead_ms::float8 as "minReserveLeadMs", reserve_horizon_ms::float8 as "reserveHorizonMs",
  max_to as "maxTo", lookup_max as "lookupMax", rate_per_second as "ratePerSecond", in_flight as "inFlight",
  max_retries as "maxRetries", extensions, on_uncertain as "onUncertain", weight, api_key_sealed as "apiKeySealed", blocked_code as "blockedCode",
              blocked_detail as "blockedDetail",
              extract(epoch from blocked_until)::float8 * 1000 as "blockedUntilMs",
              coalesce((select jsonb_agg(jsonb_build_object('accessKey', access_key, 'sealed', secret_sealed) order by position)
                          from project_key k where k.service_id = p.service_id), '[]') as keys
         from project p where service_id = any($1::text[])
;

-- src/scheduler/store/registered-offset.store.ts (text, text, jsonb, double precision) -> ()
insert into offset_census (service_id, channel_name, offsets, looked_up_at)
     values ($1, $2, $3, to_timestamp($4::float8 / 1000))
     on conflict (service_id, channel_name)
     do update set offsets = excluded.offsets, looked_up_at = excluded.looked_up_at
;

-- src/scheduler/store/registered-offset.store.ts (text[], text[], integer[], timestamp with time zone) -> ()
insert into registered_offset ("service_id", "user_id", "offset_seconds", "looked_up_at") select "service_id", "user_id", "offset_seconds", "looked_up_at" from (select unnest($1::text[])::text as "service_id", unnest($2::text[])::text as "user_id", unnest($3::int[])::int as "offset_seconds", $4::timestamptz as "looked_up_at") as r on conflict (service_id, user_id)
             do update set offset_seconds = excluded.offset_seconds, looked_up_at = excluded.looked_up_at
;

-- src/scheduler/store/registered-offset.store.ts (text, text[], double precision) -> (integer)
select count(*)::integer as count from registered_offset
      where service_id = $1 and user_id = any($2::text[]) and looked_up_at >= to_timestamp($3::float8 / 1000)
;

-- src/scheduler/store/registered-offset.store.ts (text, text, double precision) -> (jsonb, double precision)
select offsets, extract(epoch from looked_up_at)::float8 * 1000 as "lookedUpAt" from offset_census
      where service_id = $1 and channel_name is not distinct from $2 and looked_up_at >= to_timestamp($3::float8 / 1000)
;

-- src/scheduler/store/registered-offset.store.ts (text, text[], double precision) -> (text, integer)
select user_id as "userId", offset_seconds as "offsetSeconds" from registered_offset
        where service_id = $1 and user_id = any($2::text[]) and looked_up_at >= to_timestamp($3::float8 / 1000)
;

-- src/scheduler/store/registered-offset.store.ts (timestamp with time zone, bigint) -> (integer)
with old_offset as (
       delete from registered_offset where ctid = any (array(
         select ctid from registered_offset where looked_up_at < $1 order by looked_up_at limit $2
            for update skip locked)) returning 1
     ), old_census as (
       delete from offset_census where looked_up_at < $1 returning 1
     )
     select ((select count(*) from old_offset) + (select count(*) from old_census))::integer as count
;

-- src/scheduler/store/send/answer.store.ts (uuid[], integer[], timestamp with time zone[], boolean[], integer[], text[], text[], text[], timestamp with time zone[]) -> (void)
select end_attempts($1::uuid[], $2::int[], $3::timestamptz[], $4::boolean[], $5::int[], $6::text[], $7::text[], $8::text[], $9::timestamptz[])
;

-- src/scheduler/store/send/answer.store.ts (uuid[], integer[], text[], text[], text[], timestamp with time zone[], text[], text[], timestamp with time zone[], boolean[], integer[], text[], text[], text[], text, timestamp with time zone) -> (integer)
select record_answers($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::timestamptz[], $10::boolean[], $11::int[], $12::text[], $13::text[], $14::text[], $15, $16) as written
;

-- src/scheduler/store/send/cancel.store.ts (uuid, text, text, text, timestamp with time zone, text) -> ()
insert into campaign_cancel (campaign, occurrence, code, detail, asked_at, asked_by) values ($1, $2, $3, $4, $5, $6)
;

-- src/scheduler/store/send/cancel.store.ts (uuid, timestamp with time zone, text, text) -> (text)
insert into occurrence as o (campaign, occurrence, revision, state, code, state_at)
select id, $4, revision, 'canceled', $3, $2 from campaign where id = $1
on conflict on constraint occurrence_pkey do update set state = 'canceling', code = excluded.code, state_at = excluded.state_at
 where o.state in ('planned', 'running')
returning o.state
;

-- src/scheduler/store/send/cancel.store.ts (uuid) -> (double precision, double precision)
select coalesce(sum(k.moved), 0)::float8 as moved,
       coalesce(sum(greatest(0, k.chunks - k.looked)) filter (where k.pass = 1 and k.done_at is null), 0)::float8 as left
  from (select k.*, (select coalesce(sum(c.chunks), 0) from cell c
                      where c.campaign = k.campaign and (k.occurrence is null or c.occurrence = k.occurrence)) as chunks
          from campaign_cancel k where k.campaign = $1) k
having count(*) > 0
;

-- src/scheduler/store/send/cancel.store.ts (uuid, timestamp with time zone, text, text, text) -> ()
update campaign set state = 'canceling', code = $4, detail = $5, state_at = $2, state_by = $3 where id = $1
;

-- src/scheduler/store/send/cancel.store.ts (uuid, timestamp with time zone, text) -> ()
update occurrence set state = 'canceling', code = $3, state_at = $2
 where campaign = $1 and state in ('planned', 'running')
;

-- src/scheduler/store/send/cancel.store.ts () -> ()
with turn as materialized (
select campaign, occurrence, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_moved
  from campaign_cancel where done_at is null order by paged_at limit 1 for no key update skip locked)
update campaign_cancel k set paged_at = clock_timestamp() from turn t
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence
;

-- src/scheduler/store/send/cancel.store.ts (integer, timestamp with time zone) -> (uuid, integer, boolean)
with turn as materialized (
select campaign, occurrence, code, detail, asked_by, after_occurrence, after_cell, after_chunk, pass_moved
  from campaign_cancel where done_at is null order by paged_at limit 1 for no key update skip locked),
page as materialized (
  select p.* from turn t cross join lateral take_back_page(t.campaign, t.occurrence, t.after_occurrence, t.after_cell, t.after_chunk,
                                                         $1, $2, t.asked_by, t.code, t.detail) p)
update campaign_cancel k set
  after_occurrence = case when p.seen = $1 then p.last_occurrence end, after_cell = case when p.seen = $1 then p.last_cell end,
  after_chunk = case when p.seen = $1 then p.last_chunk end,
  looked = k.looked + case k.pass when 1 then p.seen else 0 end, moved = k.moved + p.moved,
  pass = k.pass + case when p.seen = $1 then 0 else 1 end,
  pass_moved = case when p.seen = $1 then k.pass_moved + p.moved else 0 end,
  done_at = case when p.seen < $1 and k.pass_moved + p.moved = 0 then $2::timestamptz end,
  paged_at = clock_timestamp()
  from turn t, page p
 where k.campaign = t.campaign and k.occurrence is not distinct from t.occurrence
returning k.campaign, p.moved, k.done_at is not null as done
;

-- src/scheduler/store/send/cancel.store.ts (text, text) -> (void)
select pg_notify($1, $2)
;

-- src/scheduler/store/send/cancel.store.ts (uuid) -> (text)
select state from campaign where id = $1 for update
;

-- src/scheduler/store/send/cancel.store.ts (uuid, text) -> (text)
select state from occurrence where campaign = $1 and occurrence = $2
;

-- src/scheduler/store/send/close.store.ts (bigint[]) -> ()
delete from campaign_touched where id = any($1::bigint[])
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[], text[], integer[], integer, text[]) -> (integer, integer, uuid, boolean, boolean, boolean, double precision, double precision, integer, text, integer)
select * from look_through($1::uuid[], $2::text[], $3::text[], $4::int[], $5, $6) order by place
;

-- src/scheduler/store/send/close.store.ts (uuid[]) -> (uuid, boolean, boolean, boolean, text, text)
select c.id as campaign, c.state = 'canceling' as canceled, o.expired, o.taken, c.code, c.detail
       from campaign c join (
         select u.id, coalesce(bool_or(o.state = 'expired') and not bool_or(o.state = 'completed'), false) as expired,
                coalesce(bool_or(o.state in ('planned', 'running', 'canceling')), false) as open, coalesce(sum(o.sent_count), 0) > 0 as taken
           from unnest($1::uuid[]) as u(id) left join occurrence o on o.campaign = u.id group by u.id) o on c.id = o.id
      where not o.open
        and (c.state = 'canceling' or (c.state in ('planned', 'running') and c.plan_at is null))
        and not exists (select from campaign_cancel k where k.campaign = c.id and k.done_at is null)
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[]) -> (uuid, boolean)
select c.id as campaign, coalesce(sum(o.sent_count), 0) > 0 as taken
       from campaign c left join occurrence o on o.campaign = c.id
      where c.id = any($1::uuid[]) and c.state in ('completed', 'expired') and c.code = any($2::text[]) group by c.id
;

-- src/scheduler/store/send/close.store.ts (bigint) -> (smallint, text, text)
select campaign_shard(campaign) as shard, min(id)::text as first, max(id)::text as last from campaign_touched where id > $1
      group by 1 order by 1
;

-- src/scheduler/store/send/close.store.ts (uuid[], bigint[]) -> (uuid, text)
select distinct campaign, occurrence from campaign_touched
      where campaign = any($1::uuid[]) and id <> all($2::bigint[])
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[], boolean[]) -> (uuid, text, boolean)
select distinct o.campaign, o.occurrence, o.state in ('planned', 'running', 'canceling') as open
       from (select unnest($1::uuid[]) as "campaign", unnest($2::text[]) as "occurrence", unnest($3::boolean[]) as "published") as t
       join occurrence o on o.campaign = t.campaign and (t.occurrence is null or o.occurrence = t.occurrence)
      where o.state in ('planned', 'running', 'canceling') or t.published
;

-- src/scheduler/store/send/close.store.ts (uuid[]) -> (uuid, boolean)
select id, state in ('completed', 'expired', 'canceled', 'rejected') as closed from campaign where id = any($1::uuid[]) order by id
        for no key update skip locked
;

-- src/scheduler/store/send/close.store.ts (smallint, bigint, bigint) -> (text, uuid, text, boolean, boolean)
select id::text, campaign, occurrence, published, began from campaign_touched
      where campaign_shard(campaign) = $1 and id > $2 order by id limit $3
;

-- src/scheduler/store/send/close.store.ts (uuid, timestamp with time zone) -> (void)
select tell_campaign($1, 'campaign.corrected', null, null, $2)
;

-- src/scheduler/store/send/close.store.ts (uuid[]) -> (uuid, text, text, integer)
select u.campaign, s.state, s.code, sum(s.sends)::int as sends
       from unnest($1::uuid[]) as u(campaign)
       cross join lateral (
         (select state, code, 1 as sends from send where campaign = u.campaign and next_send is null limit 10000)
         union all select state, null, sends from send_gone where campaign = u.campaign) s
      group by 1, 2, 3
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[], text[]) -> ()
update campaign c set code = r.code, detail = r.detail from (select unnest($1::uuid[]) as "campaign", unnest($2::text[]) as "code", unnest($3::text[]) as "detail") as r where c.id = r.campaign
;

-- src/scheduler/store/send/close.store.ts (uuid[], double precision, text) -> (uuid)
update campaign c set state = 'running', code = null, detail = null, state_at = to_timestamp($2::float8 / 1000), state_by = $3
      where c.id = any($1::uuid[]) and c.state = 'planned'
        and exists (select from occurrence o where o.campaign = c.id and o.state = 'running')
     returning c.id
;

-- src/scheduler/store/send/close.store.ts (uuid[], boolean[], text[], text[], double precision, text) -> ()
update campaign c set state_at = to_timestamp($5::float8 / 1000), state_by = $6, plan_at = null, code = e.code, detail = e.detail,
            state = case when c.state = 'canceling' then 'canceled' when e.expired then 'expired' else 'completed' end
       from (select unnest($1::uuid[]) as "campaign", unnest($2::boolean[]) as "expired", unnest($3::text[]) as "code", unnest($4::text[]) as "detail") as e where c.id = e.campaign
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[], timestamp with time zone) -> ()
update occurrence o set state = 'running', state_at = $3 from (select unnest($1::uuid[]) as "campaign", unnest($2::text[]) as "occurrence") as b
      where o.campaign = b.campaign and o.occurrence = b.occurrence and o.state = 'planned'
;

-- src/scheduler/store/send/close.store.ts (uuid[], text[], boolean[], bigint[], bigint[], timestamp with time zone) -> ()
update occurrence o set target_count = e.target, sent_count = e.sent,
       state_at = case when o.state in ('planned', 'running', 'canceling') then $6 else o.state_at end,
       state = case when o.state not in ('planned', 'running', 'canceling') then o.state when o.state = 'canceling' then 'canceled'
                    when e.expired then 'expired' else 'completed' end
       from (select unnest($1::uuid[]) as "campaign", unnest($2::text[]) as "occurrence", unnest($3::boolean[]) as "expired", unnest($4::bigint[]) as "target", unnest($5::bigint[]) as "sent") as e
      where o.campaign = e.campaign and o.occurrence = e.occurrence and o.state <> 'skipped'
        and not exists (select from campaign_cancel k where k.campaign = o.campaign and k.done_at is null
                          and (k.occurrence is null or k.occurrence = o.occurrence))
;

-- src/scheduler/store/send/fire.store.ts (uuid[], integer[]) -> (uuid, integer, jsonb, text, jsonb, double precision, jsonb, integer)
select r.campaign, r.revision, r.request, coalesce(r.request->>'messageType', 'NOTIF') as "messageType",
       r.data->'policy' as policy, (r.data->'delivery'->>'until')::float8 as until,
       r.data->'trace' as trace, octet_length(r.request::text) + octet_length((r.data->'policy')::text) as bytes
  from (select unnest($1::uuid[]) as "campaign", unnest($2::int[]) as "revision") as g
  join revision r on r.campaign = g.campaign and r.revision = g.revision
;

-- src/scheduler/store/send/fire.store.ts (uuid[], uuid) -> (uuid, integer, text, boolean, boolean, text[], jsonb)
select s.id, s.attempts as attempt, s.state, s.fired_by is not distinct from $2 as "isOurs",
       s.goal is null and not exists (select from campaign_cancel k
  where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence)) as "isWanted", r.recipients, c.target
  from send s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell
  left join send_recipients r on r.send = s.id
 where s.id = any($1::uuid[])
;

-- src/scheduler/store/send/fire.store.ts (uuid[], integer[], integer[], text[], text[], timestamp with time zone[], timestamp with time zone[], timestamp with time zone, text, uuid) -> (uuid, integer, text[], jsonb)
select * from fire_sends($1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8, $9, $10)
;

-- src/scheduler/store/send/look-ahead.store.ts (timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, jsonb, integer, jsonb, timestamp with time zone, bigint, integer, integer, uuid[], uuid[], uuid[], boolean) -> (uuid, text, uuid, integer, integer, text, text, text, double precision, double precision, double precision, integer, integer, boolean, text, text)
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, changes, by_hand as "byHand", zone, part
  from look_ahead($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
;

-- src/scheduler/store/send/look-ahead.store.ts (timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, text[], integer[], boolean[], double precision[], integer[], uuid[], bigint, integer, integer, uuid[], uuid[], boolean) -> (uuid, text, uuid, integer, integer, text, text, text, double precision, double precision, double precision, integer, integer, boolean, text, text)
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, changes, by_hand as "byHand", zone, part
  from look_further($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
;

-- src/scheduler/store/send/move.store.ts (uuid[], integer[], text, text, text, text, text, timestamp with time zone, timestamp with time zone, text) -> (integer)
select move_sends($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as moved
;

-- src/scheduler/store/send/outcome.store.ts (smallint[], bigint[], boolean[], int8multirange[]) -> ()
with done as (
  select k.shard, k.hole_top, f.fill, f.restored,
         k.published + f.read + case when f.fill is null then '{}' else int8multirange(int8range(null, f.fill, '[]')) end as published
    from (select unnest($1::smallint[]) as "shard", unnest($2::bigint[]) as "fill", unnest($3::boolean[]) as "restored", unnest($4::int8multirange[]) as "read") as f
    join publish_cursor k on k.shard = f.shard),
judged as (
  select d.*, d.published <> int8multirange(range_merge(d.published)) as holes,
         d.hole_top is null or d.restored or coalesce(d.hole_top <= d.fill, false) as anew
    from done d)
update publish_cursor c
   set published = j.published,
       hole_top = case when not j.holes then null when j.anew then upper(range_merge(j.published)) - 1 else c.hole_top end,
       hole_xmax = case when not j.holes then null when j.anew then pg_current_xact_id() else c.hole_xmax end
  from judged j where c.shard = j.shard
;

-- src/scheduler/store/send/outcome.store.ts (smallint[], integer, integer, bigint, integer) -> (smallint, boolean, bigint, boolean, bigint, bigint, text, text, timestamp with time zone, integer, text, text, text, text, uuid, text, integer, uuid, text, text, integer, timestamp with time zone, text, uuid, text, text, jsonb, bigint, bigint)
select * from read_outcomes($1, $2, $3, $4, $5)
;

-- src/scheduler/store/send/outcome.store.ts (uuid[], integer[]) -> (uuid, jsonb)
select r.campaign, r.plan -> 'warnings' as warnings
       from unnest($1::uuid[], $2::int[]) as u(campaign, revision)
       join revision r on r.campaign = u.campaign and r.revision = u.revision
;

-- src/scheduler/store/send/planned-rows.store.ts (uuid[], text, text, integer, text, text, integer, text, text, jsonb, jsonb, timestamp with time zone, timestamp with time zone, timestamp with time zone, text, text, jsonb, text, integer, integer) -> ()
insert into cell ("campaign", "occurrence", "cell", "revision", "zone", "zone_source", "segment", "device_type", "country", "target", "local_reading", "intended_at", "due_at", "hand_off_at", "mode", "mode_rule", "verdicts", "skipped_code", "chunks", "recipients") select "campaign", "occurrence", "cell", "revision", "zone", "zone_source", "segment", "device_type", "country", "target", "local_reading", "intended_at", "due_at", "hand_off_at", "mode", "mode_rule", "verdicts", "skipped_code", "chunks", "recipients" from (select unnest($1::uuid[])::uuid as "campaign", $2::text as "occurrence", $3::text as "cell", $4::int as "revision", $5::text as "zone", $6::text as "zone_source", $7::int as "segment", $8::text as "device_type", $9::text as "country", $10::jsonb as "target", $11::jsonb as "local_reading", $12::timestamptz as "intended_at", $13::timestamptz as "due_at", $14::timestamptz as "hand_off_at", $15::text as "mode", $16::text as "mode_rule", $17::jsonb as "verdicts", $18::text as "skipped_code", $19::int as "chunks", $20::int as "recipients") as r
;

-- src/scheduler/store/send/planned-rows.store.ts (uuid[], text, integer, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone) -> ()
insert into occurrence ("campaign", "occurrence", "revision", "state", "code", "first_due", "last_due", "state_at") select "campaign", "occurrence", "revision", "state", "code", "first_due", "last_due", "state_at" from (select unnest($1::uuid[])::uuid as "campaign", $2::text as "occurrence", $3::int as "revision", $4::text as "state", $5::text as "code", $6::timestamptz as "first_due", $7::timestamptz as "last_due", $8::timestamptz as "state_at") as r
;

-- src/scheduler/store/send/planned-rows.store.ts (uuid[], text, uuid, integer, text, text, integer[], text, text, text, text, text[], text, timestamp with time zone, timestamp with time zone[], timestamp with time zone[], timestamp with time zone, text, timestamp with time zone) -> ()
insert into send ("id", "service_id", "campaign", "revision", "occurrence", "cell", "chunk", "state", "code", "detail", "mode", "mode_rule", "schedule_code", "intended_at", "due_at", "next_at", "state_at", "state_by", "created_at") select "id", "service_id", "campaign", "revision", "occurrence", "cell", "chunk", "state", "code", "detail", "mode", "mode_rule", "schedule_code", "intended_at", "due_at", "next_at", "state_at", "state_by", "created_at" from (select unnest($1::uuid[])::uuid as "id", $2::text as "service_id", $3::uuid as "campaign", $4::int as "revision", $5::text as "occurrence", $6::text as "cell", unnest($7::int[])::int as "chunk", $8::text as "state", $9::text as "code", $10::text as "detail", $11::text as "mode", unnest($12::text[])::text as "mode_rule", $13::text as "schedule_code", $14::timestamptz as "intended_at", unnest($15::timestamptz[])::timestamptz as "due_at", unnest($16::timestamptz[])::timestamptz as "next_at", $17::timestamptz as "state_at", $18::text as "state_by", $19::timestamptz as "created_at") as r
;

-- src/scheduler/store/send/planned-rows.store.ts (uuid[], text[]) -> ()
insert into send_recipients ("send", "recipients") select "send", "recipients" from (select unnest($1::uuid[])::uuid as "send", unnest($2::text[])::text[] as "recipients") as r
;

-- src/scheduler/store/send/poll.store.ts (timestamp with time zone, "char"[], integer, integer, jsonb, jsonb, timestamp with time zone, uuid[], bigint, integer, integer, uuid[], uuid[], boolean) -> (uuid, text, text, text, integer, text, text, text, text, double precision, double precision, double precision, integer, double precision, integer, double precision)
select id, service_id as "serviceId", state, goal, changes, mode, detail, schedule_code as "scheduleCode",
       request_id as "requestId", due_ms as "dueAt", handed_off_ms as "handedOffAt", state_ms as "stateAt", polls,
       next_ms as "nextAt", chunk, until_ms as until
  from due_polls($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
;

-- src/scheduler/store/send/poll.store.ts (timestamp with time zone, "char"[], integer, integer, uuid[], uuid[], boolean) -> (double precision)
select next_poll($1, $2, $3, $4, $5, $6, $7) as next
;

-- src/scheduler/store/send/poll.store.ts (uuid[], integer[], integer[], text[], text[], text[], text[], timestamp with time zone[], timestamp with time zone[], integer[], text[], integer[], integer[], timestamp with time zone[], boolean[], text[], jsonb, boolean, text) -> (integer)
select record_polls($1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[], $10::int[], $11::text[], $12::int[], $13::int[], $14::timestamptz[], $15::boolean[], $16::text[], $17, $18, $19) as count
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid, bigint) -> (text, integer, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select * from (
       select occurrence, revision, state, code, first_due as "firstDueAt", last_due as "lastDueAt", state_at as "stateAt"
         from occurrence where campaign = $1 order by occurrence desc limit $2) o
      order by occurrence
;

-- src/scheduler/store/send/read/campaign.store.ts (text[], text, text, text, uuid, bigint) -> (uuid, text, text, text, text, boolean, integer, text, text, timestamp with time zone, text, timestamp with time zone)
select c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.name, c.state, c.paused,
  c.revision, c.code, c.detail, c.state_at as "stateAt", c.state_by as "stateBy", c.created_at as "createdAt" from campaign c
      where ($1::text[] is null or c.service_id = any($1)) and ($2::text is null or c.service_id = $2)
        and ($3::text is null or c.campaign_id = $3) and ($4::text is null or c.state = $4)
        and ($5::uuid is null or c.id < $5)
      order by c.id desc limit $6
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid) -> (uuid, text, text, text, text, boolean, integer, text, text, timestamp with time zone, text, timestamp with time zone)
select c.id, c.service_id as "serviceId", c.campaign_id as "campaignId", c.name, c.state, c.paused,
  c.revision, c.code, c.detail, c.state_at as "stateAt", c.state_by as "stateBy", c.created_at as "createdAt" from campaign c where c.id = $1
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid, text, text, bigint) -> (text, text, integer, text, text, integer, text, text, jsonb, jsonb, timestamp with time zone, timestamp with time zone, timestamp with time zone, text, text, jsonb, text, integer, integer)
select occurrence, cell, revision, zone, zone_source as "zoneSource", segment, device_type as "deviceType", country,
            target, local_reading as "local", intended_at as "intendedAt", due_at as "dueAt",
            hand_off_at as "handOffAt", mode, mode_rule as "rule", verdicts, skipped_code as "skipped",
            chunks as "requests", recipients
       from cell where campaign = $1 and ($2::text is null or (occurrence, cell) > ($2, $3))
      order by occurrence, cell limit $4
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid) -> (text, jsonb, jsonb)
select r.state, r.plan, r.reasons -> 0 as refusal from campaign c
       join revision r on r.campaign = c.id and r.revision = c.revision where c.id = $1
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid) -> (integer, uuid, text, text, timestamp with time zone, jsonb)
select revision, event, state, request->>'messageType' as "messageType", taken_at as "takenAt", reasons
       from revision where campaign = $1 order by revision
;

-- src/scheduler/store/send/read/campaign.store.ts (text[], timestamp with time zone, uuid[]) -> (uuid, text, integer)
select s.campaign, s.state, count(*)::int as count
       from unnest($1::text[]) as p(service_id)
       cross join lateral (
         select campaign, state, next_send from send
          where service_id = p.service_id and needs_attention and id >= uuid_floor($2)
          order by id desc limit 10000) s
      where s.next_send is null and s.campaign = any($3::uuid[]) group by 1, 2
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid, integer, bigint) -> (integer, text, text, text, text, timestamp with time zone, text)
select sequence, from_state as "from", to_state as "to", code, detail, at, by from campaign_history where campaign = $1 and sequence > $2 order by sequence limit $3
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid) -> (integer, text, text, text, text, timestamp with time zone, text)
select sequence, from_state as "from", to_state as "to", code, detail, at, by from send_history where send = $1 order by sequence
;

-- src/scheduler/store/send/read/campaign.store.ts (uuid) -> (text, integer)
select state, sum(sends)::int as count
       from (select state, 1 as sends from send where campaign = $1 and next_send is null
             union all select state, sends from send_gone where campaign = $1) s group by state order by state
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'campaign ' || c.id as row,
           coalesce(h.rows, 0) || ' rows of history for ' || c.history || ' states, the last ' || coalesce(h.last, 'none') as text
      from campaign c left join (
        select campaign, count(*) as rows, max(sequence) as top, (array_agg(to_state order by sequence desc))[1] as last
          from campaign_history group by campaign) h on h.campaign = c.id
     where (h.campaign is null or h.rows <> c.history or h.top <> c.history or h.last <> c.state)
       and ($2::float8 is null or c.id >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or c.id < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'campaign ' || c.id as row, 'its revision ' || c.revision || ' is missing' as text
      from campaign c left join revision r on r.campaign = c.id and r.revision = c.revision
     where r.campaign is null and c.event >= (select uuid_floor(kept_from('event'))) and ($2::float8 is null or c.id >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or c.id < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'campaign ' || c.id as row, coalesce(k.cells, 0) || ' of ' || (r.plan->>'cells') || ' planned cells' as text
      from campaign c
      join revision r on r.campaign = c.id and r.revision = c.revision and r.state = 'in-force'
      left join (select campaign, count(*) as cells from cell group by campaign) k on k.campaign = c.id
     where coalesce(k.cells, 0) <> (r.plan->>'cells')::int and ($2::float8 is null or c.id >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or c.id < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'event ' || e.id as row, 'filed as ' || e.verdict || ', but there is no such row' as text
      from event e
      left join campaign c on e.verdict = 'campaign' and c.event = e.id
      left join revision r on e.verdict = 'revision' and r.event = e.id and r.revision > 1
      left join command m on e.verdict = 'command' and m.event = e.id
      left join rejection j on e.verdict = 'rejected' and j.event = e.id
      left join duplicate d on e.verdict = 'duplicate' and d.event = e.id
     where coalesce(c.id, r.campaign, m.id, j.id, d.event) is null
       and ($2::float8 is null or e.id >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or e.id < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or e.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'send ' || s.id as row,
           coalesce(h.rows, 0) || ' rows of history for ' || s.changes || ' states, the last ' || coalesce(h.last, 'none') as text
      from send s left join (
        select send, count(*) as rows, max(sequence) as top, (array_agg(to_state order by sequence desc))[1] as last
          from send_change group by send) h on h.send = s.id
     where (h.send is null or h.rows <> s.changes or h.top <> s.changes or h.last <> s.state)
       and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'send ' || s.id as row, 'its cell is missing' as text
      from send s left join cell k on k.campaign = s.campaign and k.occurrence = s.occurrence and k.cell = s.cell
     where k.campaign is null and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'send ' || s.id as row, 'the next of its chunk, ' || s.next_send || ', is missing or of another chunk' as text
      from send s left join send n on n.id = s.next_send and n.campaign = s.campaign and n.occurrence = s.occurrence
                                  and n.cell = s.cell and n.chunk = s.chunk
     where s.next_send >= (select uuid_floor(kept_from('send'))) and n.id is null and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'send ' || s.id as row, 'whom it goes to is missing' as text
      from cell k join send s on s.campaign = k.campaign and s.occurrence = k.occurrence and s.cell = k.cell
      left join send_recipients r on r.send = s.id
     where k.target->>'type' = 'USER' and r.send is null and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select 'send ' || s.id as row, coalesce(a.attempts, 0) || ' of ' || s.attempts || ' attempts' as text
      from send s left join (select send, count(*) as attempts from send_attempt group by send) a on a.send = s.id
     where coalesce(a.attempts, 0) < s.attempts and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select concat_ws(' ', 'cell', k.campaign, k.occurrence, k.cell) as row,
           coalesce(n.chunks, 0) || ' of ' || k.chunks || ' requests have a send' as text
      from cell k left join campaign c on c.id = k.campaign
      left join (
        select campaign, occurrence, cell, sum(sends) as chunks
          from (select campaign, occurrence, cell, 1 as sends from send where next_send is null and state <> 'superseded'
                union all select campaign, occurrence, cell, sends from send_gone) s
         group by campaign, occurrence, cell) n
        on n.campaign = k.campaign and n.occurrence = k.occurrence and n.cell = k.cell
     where coalesce(n.chunks, 0) <> k.chunks and ($2::float8 is null or k.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or k.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select concat_ws(' ', 'cell', k.campaign, k.occurrence, k.cell) as row, 'its occurrence is missing' as text
      from cell k left join campaign c on c.id = k.campaign
      left join occurrence o on o.campaign = k.campaign and o.occurrence = k.occurrence
     where o.campaign is null and ($2::float8 is null or k.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or k.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (
    select concat_ws(' ', 'chunk', s.campaign, s.occurrence, s.cell, s.chunk) as row,
           count(*) || ' sends of it are the newest' as text
      from send s
     where s.next_send is null and s.state <> 'superseded' and ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))
     group by s.campaign, s.occurrence, s.cell, s.chunk having count(*) > 1) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (select concat_ws(' ', 'campaign', i.id) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from campaign i left join event e on e.id = i.event and e.verdict = 'campaign'
   where e.id is null and i.event >= (select uuid_floor(kept_from('event'))) and ($1::text[] is null or i.service_id = any($1)) and ($2::float8 is null or i.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or i.event < uuid_floor(to_timestamp($3 / 1000)))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (select concat_ws(' ', 'command', i.id) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from command i left join event e on e.id = i.event and e.verdict = 'command'
   where e.id is null and i.event >= (select uuid_floor(kept_from('event'))) and i.event is not null and ($1::text[] is null or (select c.service_id from campaign c where c.id = i.campaign) = any($1)) and ($2::float8 is null or i.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or i.event < uuid_floor(to_timestamp($3 / 1000)))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (select concat_ws(' ', 'duplicate', i.event) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from duplicate i left join event e on e.id = i.event and e.verdict = 'duplicate'
   where e.id is null and i.event >= (select uuid_floor(kept_from('event'))) and $1::text[] is null and ($2::float8 is null or i.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or i.event < uuid_floor(to_timestamp($3 / 1000)))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (select concat_ws(' ', 'rejection', i.id) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from rejection i left join event e on e.id = i.event and e.verdict = 'rejected'
   where e.id is null and i.event >= (select uuid_floor(kept_from('event'))) and $1::text[] is null and ($2::float8 is null or i.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or i.event < uuid_floor(to_timestamp($3 / 1000)))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger-missing.store.ts (text[], double precision, double precision) -> (text, text, double precision)
select row, text, count(*) over ()::float8 as count from (select concat_ws(' ', 'revision', i.campaign, i.revision) as row, 'its event ' || i.event || ' is missing or filed otherwise' as text
    from revision i left join event e on e.id = i.event and e.verdict = 'revision'
   where e.id is null and i.event >= (select uuid_floor(kept_from('event'))) and i.revision > 1 and ($1::text[] is null or (select c.service_id from campaign c where c.id = i.campaign) = any($1)) and ($2::float8 is null or i.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or i.event < uuid_floor(to_timestamp($3 / 1000)))) found order by row limit 100
;

-- src/scheduler/store/send/read/ledger.store.ts (text[], double precision, double precision) -> (double precision, double precision, double precision, double precision, double precision, double precision, double precision)
select
  ((select count(*) from event e where ($2::float8 is null or e.id >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or e.id < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or e.service_id = any($1))) + (select coalesce(sum(g.events), 0) from event_gone g
    where true and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as events,
  ((select count(*) from campaign c where (c.event >= (select kept.low) or c.event in (select o.id from event_old o)) and ($2::float8 is null or c.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or c.event < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1)))
   + (select coalesce(sum(g.counterparts), 0) from event_gone g
    where g.verdict = 'campaign' and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as campaigns,
  ((select count(*) from revision r left join campaign c on c.id = r.campaign
    where r.revision > 1 and (r.event >= (select kept.low) or r.event in (select o.id from event_old o)) and ($2::float8 is null or r.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or r.event < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1)))
   + (select coalesce(sum(g.counterparts), 0) from event_gone g
    where g.verdict = 'revision' and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as revisions,
  ((select count(*) from command m left join campaign c on c.id = m.campaign
    where m.event is not null and (m.event >= (select kept.low) or m.event in (select o.id from event_old o)) and ($2::float8 is null or m.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or m.event < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1)))
   + (select coalesce(sum(g.counterparts), 0) from event_gone g
    where g.verdict = 'command' and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as commands,
  ((select count(*) from rejection j left join event e on e.id = j.event
    where (j.event >= (select kept.low) or j.event in (select o.id from event_old o)) and ($2::float8 is null or j.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or j.event < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or e.service_id = any($1)))
   + (select coalesce(sum(g.counterparts), 0) from event_gone g
    where g.verdict = 'rejected' and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as rejected,
  ((select count(*) from duplicate d left join event e on e.id = d.event
    where (d.event >= (select kept.low) or d.event in (select o.id from event_old o)) and ($2::float8 is null or d.event >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or d.event < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or e.service_id = any($1)))
   + (select coalesce(sum(g.counterparts), 0) from event_gone g
    where g.verdict = 'duplicate' and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1))))::float8 as duplicates,
  (select coalesce(sum(g.events), 0) from event_gone g
    where true and ($2::float8 is null or g.day + 1 > to_timestamp($2 / 1000) at time zone 'UTC')
    and ($3::float8 is null or g.day < to_timestamp($3 / 1000) at time zone 'UTC') and ($1::text[] is null or g.service_id = any($1)))::float8 as gone
 from (select uuid_floor(kept_from('event')) as low) kept
;

-- src/scheduler/store/send/read/ledger.store.ts (text[], double precision, double precision) -> (double precision, double precision)
select coalesce(sum(k.chunks) filter (where k.occurrence not like 'test-%'), 0)::float8 as planned,
       coalesce(sum(k.chunks) filter (where k.occurrence like 'test-%'), 0)::float8 as tests
  from cell k left join campaign c on c.id = k.campaign
 where ($2::float8 is null or k.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or k.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or c.service_id = any($1))
;

-- src/scheduler/store/send/read/ledger.store.ts (text[], double precision, double precision) -> (boolean, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision)
select s.occurrence like 'test-%' as test, coalesce(sum(s.sends) filter (where s.gone), 0)::float8 as gone,
       coalesce(sum(s.sends) filter (where s.state in ('sent')), 0)::float8 as "sent", coalesce(sum(s.sends) filter (where s.state in ('empty')), 0)::float8 as "empty", coalesce(sum(s.sends) filter (where s.state in ('failed')), 0)::float8 as "failed", coalesce(sum(s.sends) filter (where s.state in ('stale')), 0)::float8 as "stale", coalesce(sum(s.sends) filter (where s.state in ('rejected')), 0)::float8 as "rejected", coalesce(sum(s.sends) filter (where s.state in ('canceled')), 0)::float8 as "canceled", coalesce(sum(s.sends) filter (where s.state in ('expired')), 0)::float8 as "expired", coalesce(sum(s.sends) filter (where s.state in ('skipped')), 0)::float8 as "skipped", coalesce(sum(s.sends) filter (where s.state in ('uncertain')), 0)::float8 as "uncertain", coalesce(sum(s.sends) filter (where s.state in ('scheduled')), 0)::float8 as "standing", coalesce(sum(s.sends) filter (where s.state in ('planned', 'sending', 'accepted', 'reserved', 'canceling', 'held')), 0)::float8 as "open"
  from (select occurrence, state, campaign, service_id, 1 as sends, false as gone from send where next_send is null
        union all select occurrence, state, campaign, service_id, sends, true from send_gone) s
 where ($2::float8 is null or s.campaign >= uuid_floor(to_timestamp($2 / 1000)))
    and ($3::float8 is null or s.campaign < uuid_floor(to_timestamp($3 / 1000))) and ($1::text[] is null or s.service_id = any($1))
 group by 1
;

-- src/scheduler/store/send/read/overdue.store.ts (timestamp with time zone, timestamp with time zone, integer, uuid[], uuid[], boolean) -> (text, integer, double precision)
select service_id as "serviceId", sends, extract(epoch from $1 - oldest)::float8 as "oldestSeconds"
  from overdue_sends($1, $2, $3, $4, $5, $6)
;

-- src/scheduler/store/send/read/report.store.ts (uuid, text) -> (double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision, double precision[], double precision[], double precision[], double precision[], double precision, double precision, double precision, boolean, double precision)
select (select coalesce(sum(k.chunks), 0)::float8 from cell k where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%') as planned, count(*) filter (where m.state in ('sent'))::float8 as sends_sent, count(*) filter (where m.state in ('empty'))::float8 as sends_empty, count(*) filter (where m.state in ('failed'))::float8 as sends_failed, count(*) filter (where m.state in ('stale'))::float8 as sends_stale, count(*) filter (where m.state in ('rejected'))::float8 as sends_rejected, count(*) filter (where m.state in ('canceled'))::float8 as sends_canceled, count(*) filter (where m.state in ('expired'))::float8 as sends_expired, count(*) filter (where m.state in ('skipped'))::float8 as sends_skipped, count(*) filter (where m.state in ('uncertain'))::float8 as sends_uncertain, count(*) filter (where m.state in ('scheduled'))::float8 as sends_standing, count(*) filter (where m.state in ('planned', 'sending', 'accepted', 'reserved', 'canceling', 'held'))::float8 as sends_open, coalesce(sum(m.target), 0)::float8 as devices_target, coalesce(sum(m.sent) filter (where m.kind = 'settled'), 0)::float8 as devices_sent, coalesce(sum(m.failed) filter (where m.kind = 'settled'), 0)::float8 as devices_failed, coalesce(sum(m.target) filter (where m.kind = 'pending'), 0)::float8 as devices_pending, coalesce(sum(m.target) filter (where m.kind = 'unknown'), 0)::float8 as devices_unknown, array[count(m.immediate_late)::float8, max(m.immediate_late)]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.immediate_late) as immediate_late, array[count(m.reserved_late)::float8, max(m.reserved_late)]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.reserved_late) as reserved_late, array[count(m.deferred)::float8, max(m.deferred)]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.deferred) as deferred, array[count(m.recovered)::float8, max(m.recovered)]
      || percentile_disc(array[0.5, 0.95, 0.99]) within group (order by m.recovered) as recovered, count(*) filter (where m.handed_off and m.mode = 'immediate')::float8 as mode_immediate, count(*) filter (where m.handed_off and m.mode = 'reserved')::float8 as mode_reserved, count(*) filter (where m.handed_off and m.mode = 'scheduled')::float8 as mode_scheduled, bool_and(m.state in ('sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded')) as final, count(*) filter (where m.gone)::float8 as gone from (
  select m.*, case when m.state in ('uncertain') then 'unknown'
              when m.mode = 'scheduled' and m.state in ('scheduled', 'canceling') then 'settled'
              when m.state in ('planned', 'sending', 'accepted', 'reserved', 'canceling', 'held') then 'pending'
              else 'settled' end as kind
    from (select campaign, occurrence, cell, state, mode, handed_off, immediate_late, reserved_late, deferred, recovered, target, sent, failed, false as gone from (
select s.id, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.mode, s.handed_off_at is not null as handed_off,
       case when s.mode = 'immediate' and s.retry_of is null and s.request_id is not null
            then round(extract(epoch from s.answered_at - s.due) * 1000)::float8 end as immediate_late,
       case when s.mode = 'reserved' and s.retry_of is null then round(extract(epoch from s.complete_time - s.due) * 1000)::float8 end as reserved_late,
       case when s.due > s.intended_at then round(extract(epoch from s.due - s.intended_at) * 1000)::float8 end as deferred,
       case when s.retry_of is not null and s.state = 'sent'
            then round(extract(epoch from case s.mode when 'reserved' then s.complete_time else s.answered_at end - s.due) * 1000)::float8 end as recovered,
       1 as sends, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent,
       greatest(coalesce(s.target_count, 0) - coalesce(s.sent_count, 0), 0) as failed
  from (select n.*, coalesce(n.first_due, n.due_at) as due
          from send n where n.next_send is null and n.state not in ('superseded')) s) l
          union all select campaign, occurrence, cell, state, mode, handed_off, immediate_late, reserved_late, deferred, recovered, target, sent, failed, true from (
select g.service_id, g.campaign, g.occurrence, g.cell, g.state, g.mode, g.handed_off, g.immediate_late, g.reserved_late, g.deferred, g.recovered,
       case n when 1 then g.target else 0 end as target, case n when 1 then g.sent else 0 end as sent, case n when 1 then g.failed else 0 end as failed
  from send_gone g cross join generate_series(1, g.sends) n) g) m
   where m.campaign = $1 and ($2::text is null or m.occurrence = $2) and m.occurrence not like 'test-%') m
;

-- src/scheduler/store/send/read/send-view.store.ts (uuid) -> (integer, text, timestamp with time zone, timestamp with time zone, boolean, integer, text, text, text)
select attempt, kind, started_at as "startedAt", ended_at as "endedAt", request_sent as "requestSent",
            http_status as "httpStatus", error_code as "errorCode", answer, outcome
       from send_attempt where send = $1 order by attempt
;

-- src/scheduler/store/send/read/send-view.store.ts (text[], text, uuid, text, text[], text, boolean, uuid, bigint, timestamp with time zone, timestamp with time zone) -> (uuid, text, uuid, text, integer, text, text, text, integer, boolean, uuid, integer, text, text, text, text, timestamp with time zone, text, text, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, integer, text, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone)
select s.id, s.service_id as "serviceId", s.campaign, c.campaign_id as "campaignId", s.revision,
    s.occurrence, s.cell, cell.zone, s.chunk, s.next_send is null as newest, s.retry_of as "retryOf", s.retries, s.state,
    s.code, s.detail, s.goal, s.state_at as "stateAt", s.state_by as "stateBy", s.mode, s.mode_rule as "rule",
    s.schedule_code as "scheduleCode", s.intended_at as "intendedAt", s.due_at as "dueAt",
    case when s.work = 'f' then s.next_at else s.handed_off_at end as "handOffAt",
    (select cardinality(r.recipients) from send_recipients r where r.send = s.id) as recipients, s.attempts,
    s.request_id as "requestId",
    s.handed_off_at as "handedOffAt", s.answered_at as "answeredAt", s.gateway_status as "gatewayStatus",
    s.target_count as target, s.sent_count as sent, s.complete_time as "completeTime", s.created_at as "createdAt"
  from send s
  left join campaign c on c.id = s.campaign
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell
     where ($1::text[] is null or s.service_id = any($1)) and ($2::text is null or s.service_id = $2)
       and ($3::uuid is null or s.campaign = $3) and ($4::text is null or s.occurrence = $4)
       and ($5::text[] is null or s.state = any($5)) and ($6::text is null or s.code = $6)
       and (not $7::boolean or s.next_send is null) and ($8::uuid is null or s.id > $8)
       and ($10::timestamptz is null or s.state_at >= $10) and ($11::timestamptz is null or s.state_at < $11)
     order by s.id limit $9
;

-- src/scheduler/store/send/read/send-view.store.ts (uuid) -> (uuid, text, uuid, text, integer, text, text, text, integer, boolean, uuid, integer, text, text, text, text, timestamp with time zone, text, text, text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, integer, text, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone)
select s.id, s.service_id as "serviceId", s.campaign, c.campaign_id as "campaignId", s.revision,
    s.occurrence, s.cell, cell.zone, s.chunk, s.next_send is null as newest, s.retry_of as "retryOf", s.retries, s.state,
    s.code, s.detail, s.goal, s.state_at as "stateAt", s.state_by as "stateBy", s.mode, s.mode_rule as "rule",
    s.schedule_code as "scheduleCode", s.intended_at as "intendedAt", s.due_at as "dueAt",
    case when s.work = 'f' then s.next_at else s.handed_off_at end as "handOffAt",
    (select cardinality(r.recipients) from send_recipients r where r.send = s.id) as recipients, s.attempts,
    s.request_id as "requestId",
    s.handed_off_at as "handedOffAt", s.answered_at as "answeredAt", s.gateway_status as "gatewayStatus",
    s.target_count as target, s.sent_count as sent, s.complete_time as "completeTime", s.created_at as "createdAt"
  from send s
  left join campaign c on c.id = s.campaign
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell where s.id = $1
;

-- src/scheduler/store/send/read/send-view.store.ts (uuid) -> (text)
select to_char(g.day, 'YYYY-MM-DD') as day from (select $1::uuid::text as id) s
       join send_gone g on substr(s.id, 15, 1) = '7' and g.day = (bound_at(s.id) at time zone 'UTC')::date limit 1
;

-- src/scheduler/store/send/read/standing.store.ts (uuid, text) -> (text, double precision, double precision, timestamp with time zone)
with standing as (
  select distinct k.send from standing_count k left join send s on s.id = k.send
   where k.campaign = $1 and ($2::text is null or k.occurrence = $2) and k.occurrence not like 'test-%'
     and not k.replaced and (s.id is null or s.next_send is null and s.state <> 'superseded')),
days as (
  select distinct k.day from standing t join standing_count k on k.send = t.send order by k.day desc limit 366)
select to_char(d.day, 'YYYY-MM-DD') as day, sum(k.target_count)::float8 as target, sum(k.sent_count)::float8 as sent,
       max(k.at) as at
  from days d cross join standing t
 cross join lateral (select target_count, sent_count, at from standing_count
                      where send = t.send and day <= d.day order by day desc limit 1) k
 group by d.day order by d.day
;

-- src/scheduler/store/send/read/standing.store.ts (uuid) -> (text, double precision, double precision, timestamp with time zone)
with standing as (select $1::uuid as send),
days as (
  select distinct k.day from standing t join standing_count k on k.send = t.send order by k.day desc limit 366)
select to_char(d.day, 'YYYY-MM-DD') as day, sum(k.target_count)::float8 as target, sum(k.sent_count)::float8 as sent,
       max(k.at) as at
  from days d cross join standing t
 cross join lateral (select target_count, sent_count, at from standing_count
                      where send = t.send and day <= d.day order by day desc limit 1) k
 group by d.day order by d.day
;

-- src/scheduler/store/send/read/standing.store.ts (timestamp with time zone, bigint) -> (integer)
delete from standing_count where ctid = any (array(
       select k.ctid from standing_count k
        where k.day < ($1::timestamptz at time zone 'UTC')::date
          and (exists (select from standing_count n where n.send = k.send and n.day > k.day
                          and n.day < ($1::timestamptz at time zone 'UTC')::date)
               or not exists (select from campaign c where c.id = k.campaign))
        limit $2 for update skip locked)) returning 1 as gone
;

-- src/scheduler/store/send/read/taken-minutes.store.ts (uuid[], double precision) -> (uuid, double precision[], integer[])
select campaign, array_agg(extract(epoch from minute)::float8 * 1000) as minutes, array_agg(requests) as requests
       from (select campaign, date_trunc('minute', due_at, 'UTC') as minute, count(*)::int as requests from send
              where campaign = any($1::uuid[]) and due_at >= date_trunc('minute', to_timestamp($2::float8 / 1000), 'UTC')
                and state not in ('skipped', 'expired', 'canceled', 'superseded')
              group by 1, 2) as taken
      group by 1
;

-- src/scheduler/store/send/recover.store.ts (text, timestamp with time zone, timestamp with time zone, integer, uuid, bigint, uuid, uuid[], timestamp with time zone[]) -> (json, json)
with page as materialized (
  select s.id, s.next_at, s.chunk, s.state, s.fired_by, s.attempts from send s
   where s.service_id = $1 and s.work = 'f' and s.next_at <= $2 and (s.next_at, s.chunk, s.id) > ($3, $4, $5)
   order by s.next_at, s.chunk, s.id limit $6),
lost as (
  select p.id, p.attempts from page p
   where p.state = 'sending'
     and (p.fired_by is distinct from $7 and not exists (
            select from replica r where r.id = p.fired_by
               and not exists (select from unnest($8::uuid[], $9::timestamptz[]) as d(id, beat_at)
                                where d.id = r.id and d.beat_at = r.beat_at))
          or exists (select from unwritten_answer u where u.send = p.id and u.attempt = p.attempts)))
select coalesce((select json_agg(l) from lost l), '[]') as lost,
       (select json_build_object('nextAt', p.next_at::text, 'chunk', p.chunk, 'id', p.id)
          from page p offset $6 - 1 limit 1) as last
;

-- src/scheduler/store/send/repeat.store.ts (timestamp with time zone, integer, text[], uuid[], uuid[], boolean) -> (uuid, text, uuid, integer, integer)
select id, service_id as "serviceId", campaign, revision, attempts from due_repeats($1, $2, $3, $4, $5, $6)
;

-- src/scheduler/store/send/repeat.store.ts (timestamp with time zone, bigint) -> (uuid, integer)
select s.id, s.attempts from project p join send_repeat s on s.service_id = p.service_id
 where 
 s.work = 'r' and s.next_at <= $1 and may_repeat(s.wanted, s.repeat_until, s.mode, s.due_at, $1)
   and (p.blocked_until is null or p.blocked_until <= $1) and s.wanted and p.on_uncertain = 'resend' and not 'idempotency-key' = any(p.extensions) limit $2
;

-- src/scheduler/store/send/repeat.store.ts (uuid, integer, timestamp with time zone, uuid, timestamp with time zone) -> (integer, text, text, double precision, text[], jsonb)
select attempt, mode, schedule_code as "scheduleCode", due_ms as "dueAt", recipients, target
       from fire_repeat($1, $2, $3, $4, $5)
;

-- src/scheduler/store/send/repeat.store.ts (timestamp with time zone, integer, uuid[], uuid[]) -> (integer)
select rest_repeats($1, $2, $3, $4) as count
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, jsonb, text[], timestamp with time zone, text) -> ()
insert into retry_batch (id, service_id, filter, held, created_at, created_by)
select $1, coalesce(p.service_id, ''), $2, $3, $4, $5
  from (values (1)) one left join (
    select p.service_id
      from project p cross join lateral (select from send s where s.service_id = p.service_id and s.needs_attention limit 1) s
     where $3::text[] is null or p.service_id = any($3)) p on true
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, timestamp with time zone) -> (uuid, jsonb, text[], timestamp with time zone, text, timestamp with time zone, text, timestamp with time zone, timestamp with time zone, text, double precision, double precision, double precision, json, json, double precision, double precision)
select b.id as token, b.filter, b.held, b.created_at as "createdAt", b.created_by as "createdBy",
       b.confirmed_at as "confirmedAt", b.confirmed_by as "confirmedBy",
       case when min(b.step) >= 4 then max(b.expires_at) end as "expiresAt",
       case when min(b.step) = 5 then max(b.done_at) end as "doneAt",
       case when min(b.step) = 0 then 'gathering' when min(b.step) < 4 then 'asking'
            when min(b.step) = 5 then 'done' when b.confirmed_at is not null then 'retrying'
            when max(b.expires_at) <= $2 then 'expired' else 'ready' end as state,
       coalesce(sum((b.counts->>'found')::float8), 0)::float8 as found, coalesce(sum((b.counts->>'retried')::float8), 0)::float8 as retried, coalesce(sum((b.counts->>'deferred')::float8), 0)::float8 as deferred,
       json_build_object('done', coalesce(sum((b.counts->>'asked')::float8), 0)::float8, 'of', coalesce(sum((b.counts->>'toAsk')::float8), 0)::float8) as asked,
       (select coalesce(json_object_agg(c.code, c.sends), '{}')
          from (select e.key as code, sum(e.value::float8) as sends from retry_batch o, jsonb_each_text(o.left_out) e
                 where o.id = $1 group by e.key) c) as "leftOut",
       min((b.counts->>'firstDueAt')::float8) as "firstDueAt", max((b.counts->>'lastDueAt')::float8) as "lastDueAt"
  from retry_batch b where b.id = $1
 group by b.id, b.filter, b.held, b.created_at, b.created_by, b.confirmed_at, b.confirmed_by
;

-- src/scheduler/store/send/retry-batch.store.ts (text, uuid, uuid[], bigint, timestamp with time zone, text[], uuid, text, text, timestamp with time zone, timestamp with time zone) -> (uuid, boolean)
select s.id as send, (s.state_at <= $5 and s.state = any($6) and ($7::uuid is null or s.campaign = $7)
    and ($8::text is null or s.occurrence = $8) and ($9::text is null or s.code = $9)
    and ($10::timestamptz is null or s.state_at >= $10) and ($11::timestamptz is null or s.state_at < $11)) is true as named
  from send s
 where s.service_id = $1 and s.needs_attention and s.id > $2 and ($3::uuid[] is null or s.id = any($3))
 order by s.id limit $4
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, text, integer, uuid, bigint) -> (uuid, boolean)
select send, true as named from retry_item
 where batch = $1 and service_id = $2 and step = $3 and send > $4 order by send limit $5
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, timestamp with time zone, text) -> (uuid)
update retry_batch set confirmed_at = $2, confirmed_by = $3, next_at = clock_timestamp(),
       counts = counts - '{firstDueAt,lastDueAt,nextDueAt}'::text[]
 where id = $1 and confirmed_at is null returning id
;

-- src/scheduler/store/send/retry-batch.store.ts (integer, uuid, boolean) -> (uuid, text, jsonb, timestamp with time zone, text, integer, uuid, jsonb, jsonb, uuid)
update retry_batch set lease = gen_random_uuid(), next_at = clock_timestamp() + $1::int * interval '1 millisecond'
 where (id, service_id) = (
   select id, service_id from retry_batch
    where next_at <= (select clock_timestamp()) and ($2::uuid is null or id = $2) and (step not in (0, 4)) = coalesce($3, step not in (0, 4))
    order by next_at limit 1 for update skip locked)
returning id as token, service_id as "serviceId", filter, created_at as "createdAt", coalesce(confirmed_by, created_by) as by,
          step, after_send as "afterSend", counts, left_out as "leftOut", lease
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, text, uuid, integer, uuid, jsonb, jsonb, timestamp with time zone, double precision) -> (uuid)
update retry_batch set step = $4, after_send = $5, counts = $6, left_out = $7, lease = null,
       next_at = clock_timestamp() + $9::float8 * interval '1 millisecond',
       expires_at = case when $4 = 4 then coalesce(expires_at, $8::timestamptz + interval '1 hour') else expires_at end,
       done_at = case when $4 = 5 then $8 end
 where id = $1 and service_id = $2 and lease = $3 returning id
;

-- src/scheduler/store/send/retry-batch.store.ts (uuid, text, integer, uuid[], integer[]) -> ()
with gone as (delete from retry_item where batch = $1 and service_id = $2 and step = $3 and send = any($4::uuid[]))
insert into retry_item (batch, service_id, send, step)
select $1, $2, m.send, m.step from unnest($4::uuid[], $5::int[]) as m(send, step) where m.step < 5
;

-- src/scheduler/store/send/retry-batch.store.ts (timestamp with time zone) -> ()
delete from retry_batch where created_at < $1
;

-- src/scheduler/store/send/retry-batch.store.ts (timestamp with time zone, bigint) -> (integer)
delete from retry_item where ctid = any (array(
       select i.ctid from retry_batch b join retry_item i on i.batch = b.id
        where b.created_at < $1 limit $2 for update of i skip locked)) returning 1 as gone
;

-- src/scheduler/store/send/retry.store.ts (uuid[], text[]) -> (uuid, text, uuid, integer, text, integer, boolean, text, text, text)
select s.id, s.service_id as "serviceId", s.campaign, s.revision, s.state, s.retries, s.mode = 'scheduled' as standing, cell.zone,
       case when s.state in ('failed', 'stale') then s.request_id end as "askAbout",
       case when exists (select from day_drop d where d.step in ('sends', 'events', 'tables')
                                and s.id < uuid_floor((d.day + 1)::timestamp at time zone 'UTC')) then 'PAST_RETENTION'
            when c.state in ('canceling', 'canceled') then 'CAMPAIGN_CANCELED'
            when o.state in ('canceling', 'canceled') then 'OCCURRENCE_CANCELED'
            when s.next_send is not null then 'ALREADY_RETRIED'
            when s.state <> all($2) then 'NOT_RETRYABLE'
            when s.retries >= p.max_retries then 'MAX_RETRIES' end as refusal
  from send s join campaign c on c.id = s.campaign join project p on p.service_id = s.service_id
  left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
  left join cell on cell.campaign = s.campaign and cell.occurrence = s.occurrence and cell.cell = s.cell
 where s.id = any($1::uuid[]) order by s.id
;

-- src/scheduler/store/send/retry.store.ts (uuid[], uuid[], timestamp with time zone[], timestamp with time zone, text, text[]) -> (uuid)
with wanted as (
  select * from (select unnest($1::uuid[]) as "of", unnest($2::uuid[]) as "id", unnest($3::timestamptz[]) as "due_at") as w),
newest as materialized (
  select s.id from wanted w join send s on s.id = w.of
   where s.next_send is null and s.state = any($6::text[]) order by s.id for no key update of s),
replaced as (
  update send s set next_send = w.id from newest n join wanted w on w.of = n.id where s.id = n.id
  returning s.*, w.due_at as next_due),
addressed as (
  insert into send_recipients (send, recipients)
  select o.next_send, r.recipients from replaced o join send_recipients r on r.send = o.id)
insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, retry_of, retries, state, mode, mode_rule,
                  schedule_code, intended_at, due_at, first_due, next_at, state_at, state_by, created_at)
select o.next_send, o.service_id, o.campaign, o.revision, o.occurrence, o.cell, o.chunk, o.id, o.retries + 1, 'planned',
       case when o.mode = 'scheduled' then 'scheduled' else 'immediate' end,
       case when o.mode = 'scheduled' then 'SCHEDULE_CODE' else 'DUE_NOW' end,
       o.schedule_code, o.intended_at, case when o.mode <> 'scheduled' then o.next_due end,
       coalesce(o.first_due, o.due_at), o.next_due, $4, $5, $4
  from replaced o
returning retry_of as of
;

-- src/scheduler/store/send/retry.store.ts (uuid[]) -> (uuid)
select id from campaign where id = any(array(select s.campaign from send s where s.id = any($1::uuid[])))
      order by id for update
;

-- src/scheduler/store/send/retry.store.ts (text) -> (void)
select pg_advisory_xact_lock_shared(hashtext($1))
;

-- src/scheduler/store/send/settle.store.ts (uuid[], integer[], integer[], text[], text[], text[], timestamp with time zone[], text[], text[], timestamp with time zone[], timestamp with time zone, text) -> (integer)
select settle_planned($1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[], $9::text[], $10::timestamptz[], $11, $12) as settled
;

-- src/scheduler/store/send/settle.store.ts (uuid, text) -> (timestamp with time zone)
select state_at as at from send where id = $1 and state || '' = 'planned' and code = $2
;

-- src/scheduler/store/send/unwritten-answer.store.ts (uuid, integer, text, text, jsonb, timestamp with time zone, text) -> ()
insert into unwritten_answer (send, attempt, code, error, facts, at, by) values ($1, $2, nullif($3, ''), $4, $5, $6, $7)
     on conflict (send, attempt) do nothing
;

-- src/scheduler/store/send/unwritten-answer.store.ts (uuid) -> (integer, text, text, jsonb, timestamp with time zone)
select attempt, code, error, facts, at from unwritten_answer where send = $1 order by attempt
;

-- src/scheduler/store/send/work-days.store.ts (timestamp with time zone) -> (uuid[], uuid[], integer)
select lows, highs, days from work_days($1)
;

-- src/scheduler/store/send/work-due.store.ts (timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, text[], text[], uuid[], uuid[], boolean) -> (text[], text[])
select due, near from work_due($1, $2, $3, $4, $5, $6, $7, $8, $9)
;

-- src/scheduler/store/token.store.ts (uuid, text, bytea, text[], text[], text[], timestamp with time zone, timestamp with time zone) -> (uuid, text, text[], text[], text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
insert into api_token (id, name, hash, roles, service_ids, sources, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"
;

-- src/scheduler/store/token.store.ts (uuid, bigint) -> (uuid, text, text[], text[], text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt" from api_token where $1::uuid is null or id > $1 order by id limit $2
;

-- src/scheduler/store/token.store.ts (uuid) -> (uuid, text, text[], text[], text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt" from api_token where id = $1
;

-- src/scheduler/store/token.store.ts (uuid, timestamp with time zone) -> (uuid, text, text[], text[], text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
update api_token set revoked_at = $2 where id = $1 and revoked_at is null returning id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"
;

-- src/scheduler/store/token.store.ts (bytea[], timestamp with time zone) -> (bytea, uuid, text, text[], text[], text[], timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
with used as (
         update api_token set last_used_at = $2::timestamptz
          where id in (select id from api_token where hash = any($1::bytea[]) and revoked_at is null
                          and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
                        for no key update skip locked)
       )
       select hash, id, name, roles, service_ids as "serviceIds", sources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt" from api_token where hash = any($1::bytea[]) and revoked_at is null
;

-- src/scheduler/store/trace.store.ts (uuid[], integer[]) -> (uuid, integer, jsonb)
select r.campaign, r.revision, r.data->'trace' as trace
  from (select unnest($1::uuid[]) as "campaign", unnest($2::int[]) as "revision") as n join revision r on r.campaign = n.campaign and r.revision = n.revision
;

-- src/scheduler/store/trace.store.ts (uuid) -> (jsonb)
select r.data->'trace' as trace from (select id as campaign, revision from campaign) s join revision r on r.campaign = s.campaign and r.revision = s.revision
        where s.campaign = $1
;

-- src/scheduler/store/trace.store.ts (uuid) -> (jsonb)
select r.data->'trace' as trace from send s join revision r on r.campaign = s.campaign and r.revision = s.revision
        where s.id = $1
;

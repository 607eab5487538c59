-- Called by store/look.store.ts, which says what it is for.
create or replace function claim_looks(at timestamptz, the_works "char"[], lease interval, most integer, room_of_others integer,
                            the_services text[], the_rooms integer[], round bigint)
returns table (id uuid, service_id text, state text, goal text, changes integer, mode text, schedule_code text, request_id text,
               due_ms float8, handed_off_ms float8, state_ms float8, looks integer, until_ms float8) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with room as materialized (
    select p.service_id, coalesce(r.room, room_of_others) as room
      from project p left join unnest(the_services, the_rooms) as r(service_id, room) on r.service_id = p.service_id
     where coalesce(r.room, room_of_others) > 0
       and (p.resting_until is null or p.resting_until <= at or p.resting_code = 'STOPPED')
     order by hashtextextended(p.service_id, round)),
  due as materialized (
    select d.* from room cross join unnest(the_works) as w(work) cross join lateral (
      select s.id, s.service_id, s.state, s.goal, s.changes, s.mode, s.schedule_code, s.request_id, s.due_at, s.handed_off_at,
             s.created_at, s.state_at, s.looks, s.next_at, s.campaign, s.revision
        from send s
       where s.service_id = room.service_id and s.work = w.work and s.next_at <= at
         and not exists (select from look_claim k where k.send = s.id and k.lease_until >= clock_timestamp())
       order by s.next_at, s.chunk, s.id limit room.room) d
     limit most),
  claimed as (
    insert into look_claim as k (send, lease_until)
    select d.id, clock_timestamp() + lease from due d order by d.id
    on conflict (send) do update set lease_until = excluded.lease_until where k.lease_until < clock_timestamp()
    returning send)
  select d.id, d.service_id, d.state, d.goal, d.changes, d.mode, d.schedule_code, d.request_id,
         (extract(epoch from d.due_at) * 1000)::float8,
         (extract(epoch from coalesce(d.handed_off_at, d.created_at)) * 1000)::float8,
         (extract(epoch from d.state_at) * 1000)::float8, d.looks,
         case when d.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = d.campaign and r.revision = d.revision) end
    from claimed k join due d on d.id = k.send
   order by d.next_at, d.id;
end $$;

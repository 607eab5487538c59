-- Called by store/send/poll.store.ts, which says what it is for. the_rooms and the_places: by the projects' ids, a place being
-- {"at", "chunk", "id"}; other projects have room_of_others, and are read from read_up_to on. Sends of other slices are read
-- only where reading begins at the start (read_up_to null). Only reads, and locks nothing.
create or replace function due_polls(at timestamptz, the_works "char"[], most integer, room_of_others integer, the_rooms jsonb, the_places jsonb,
                          read_up_to timestamptz, the_held uuid[], round bigint, slice_index integer, slice_of integer)
returns table (id uuid, service_id text, state text, goal text, changes integer, mode text, detail text, schedule_code text,
               request_id text, due_ms float8, handed_off_ms float8, state_ms float8, polls integer, next_ms float8, chunk integer,
               until_ms float8)
  language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  with room as materialized (
    select p.service_id, coalesce((the_rooms ->> p.service_id)::integer, room_of_others) as room,
           coalesce(to_timestamp((the_places #>> array[p.service_id, 'at'])::float8 / 1000), read_up_to, '-infinity') as place_at,
           coalesce((the_places #>> array[p.service_id, 'chunk'])::integer, 2147483647) as place_chunk,
           (the_places #>> array[p.service_id, 'id'])::uuid as place_id
      from project p
     where coalesce((the_rooms ->> p.service_id)::integer, room_of_others) > 0
       -- A project that rests is let be, but for one stopped by hand: what it has sent is followed, and cancelled.
       and (p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED')
     order by hashtextextended(p.service_id, round))
  select d.id, d.service_id, d.state, d.goal, d.changes, d.mode, d.detail, d.schedule_code, d.request_id, epoch_ms(d.due_at),
         epoch_ms(coalesce(d.handed_off_at, d.created_at)), epoch_ms(d.state_at), d.polls, epoch_ms(d.next_at), d.chunk,
         case when d.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = d.campaign and r.revision = d.revision) end
    from room cross join unnest(the_works) as w(work) cross join lateral (
      select * from (
        (select s.* from send_open s
          where s.service_id = room.service_id and s.work = w.work
            and (s.next_at, s.chunk, s.id) > (room.place_at, room.place_chunk, room.place_id) and s.next_at <= at
            and (uuid_hash(s.id) & 2147483647) % slice_of = slice_index
            and s.id not in (select unnest(the_held))
          order by s.next_at, s.chunk, s.id limit room.room)
        union all
        -- What nobody asked about for so long is anybody's: whose slice it is in may be dead.
        (select s.* from send_open s
          where read_up_to is null and slice_of > 1 and s.service_id = room.service_id and s.work = w.work
            and s.next_at <= at - interval '1 second' and (uuid_hash(s.id) & 2147483647) % slice_of <> slice_index
            and s.id not in (select unnest(the_held))
          order by s.next_at, s.chunk, s.id limit room.room)) both_parts
       limit room.room) d
   limit most;
end $$;

-- Called by store/send/look-ahead.store.ts, which says what it is for. the_rooms: by the projects' ids; other projects have
-- room_of_others. Sends that were to leave by late_from are late. They are read from beyond the_floors on (milliseconds, by
-- the projects' ids), those of other projects from beyond floor_of_others, null: from the start (docs/decisions/0034). Only
-- reads, and locks nothing.
create or replace function look_ahead(at timestamptz, up_to timestamptz, late_from timestamptz, most integer, the_rooms jsonb,
                           room_of_others integer, the_floors jsonb, floor_of_others timestamptz, round bigint, slice_index integer, slice_of integer, the_held uuid[])
returns table (id uuid, service_id text, campaign uuid, revision integer, chunk integer, mode text, mode_rule text, schedule_code text,
               intended_ms float8, due_ms float8, hand_off_ms float8, attempts integer, changes integer, by_hand boolean, zone text,
               part text)
  language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  with room as materialized (
    select p.service_id, coalesce((the_rooms ->> p.service_id)::integer, room_of_others) as room,
           coalesce(to_timestamp((the_floors ->> p.service_id)::float8 / 1000), floor_of_others, '-infinity') as floor
      from project p
     where (p.blocked_until is null or p.blocked_until <= at)
       and coalesce((the_rooms ->> p.service_id)::integer, room_of_others) > 0
     -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
     order by -ln(((hashtextextended(p.service_id, round) & 9007199254740991) + 0.5) / 9007199254740992) / p.weight),
  -- What is held here is hashed once: "<> all" would compare it with every row, for an array that is a parameter.
  fresh as materialized (
    select d.* from room cross join lateral (
      select s.* from send_open s
       where s.service_id = room.service_id and s.work = 'f' and s.state = 'planned' and s.next_at > late_from and s.next_at <= up_to
         and (uuid_hash(s.id) & 2147483647) % slice_of = slice_index and s.id not in (select unnest(the_held))
       order by s.next_at, s.chunk, s.id limit room.room) d
     limit most),
  late as materialized (
    select d.* from room
     cross join lateral (
       select greatest((room.room + 1) / 2,
                       room.room - (select count(*) from fresh f where f.service_id = room.service_id)) as room) l
     cross join lateral (
       select w.*, (uuid_hash(w.id) & 2147483647) % slice_of <> slice_index as is_others from (
         -- As many as hold that much of our slice, for a hash spreads evenly.
         select s.* from send_open s
          where s.service_id = room.service_id and s.work = 'f' and s.state = 'planned' and s.next_at > room.floor and s.next_at <= late_from
            and s.id not in (select unnest(the_held))
          order by s.next_at, s.chunk, s.id limit slice_of * l.room) w
        order by is_others, w.next_at, w.chunk, w.id limit l.room) d
     limit greatest((most + 1) / 2, most - (select count(*) from fresh))),
  -- The newest few of what is late as well, if more is late than the oldest and the newest are another campaign's.
  newest as materialized (
    select d.* from room cross join lateral (
      select s.* from send_open s
       where s.service_id = room.service_id and s.work = 'f' and s.state = 'planned' and s.next_at > room.floor and s.next_at <= late_from
         and s.id not in (select unnest(the_held))
       order by s.next_at desc, s.chunk desc, s.id desc limit least(64, (room.room + 3) / 4)) d
     where d.campaign not in (select l.campaign from late l)
       and ((select count(*) from late l where l.service_id = room.service_id) >= (room.room + 1) / 2
            or (select count(*) from late) >= (most + 1) / 2))
  select s.id, s.service_id, s.campaign, s.revision, s.chunk, s.mode, s.mode_rule, s.schedule_code,
         epoch_ms(s.intended_at), epoch_ms(s.due_at), epoch_ms(s.next_at), s.attempts, s.changes, s.retry_of is not null,
         c.zone, s.part
    from (select f.*, false as is_others, 'fresh' as part from fresh f
          union all select l.*, case when l.is_others then 'others' else 'late' end from late l
          union all select n.*, false, 'newest' from newest n) s
    join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell;
end $$;

-- Called by store/send/read-work.store.ts, which explains it; asked is its ReadAsk, and a page its ReadPage.
-- the_pages: by project id, how many sends are read (room), and the places from which on: of late work, with next_at up to lateUpTo,
-- and of fresh work, up to upTo. A place without a chunk is behind all sends of its instant. Late or fresh work without a place is not
-- read. of_others: the page of every other project; null: only the_pages are read, and only of our slice. Only reads, and locks
-- nothing.
create or replace function read_work(asked jsonb, the_pages jsonb, of_others jsonb, the_held uuid[])
returns table (id uuid, service_id text, kind text, next_ms float8, chunk integer, campaign uuid, revision integer, state text, goal text,
               mode text, mode_rule text, detail text, schedule_code text, request_id text, intended_ms float8, due_ms float8,
               handed_off_ms float8, state_ms float8, attempts integer, polls integer, changes integer, by_hand boolean, zone text,
               until_ms float8, is_test boolean)
  language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
declare
  ask record;
begin
  select to_timestamp(a.now / 1000) as at, to_timestamp(a."upTo" / 1000) as up_to, to_timestamp(a."lateUpTo" / 1000) as late_up_to,
         a.work, a."limit" as most, a.round, (a.slice->>'index')::integer as slice_index, (a.slice->>'of')::integer as slice_of
    into ask
    from jsonb_to_record(asked) as a(now float8, "upTo" float8, "lateUpTo" float8, work "char", "limit" integer, round bigint, slice jsonb);
  return query
  with room as materialized (
    select p.service_id, (p.page->>'room')::integer as room, to_timestamp((p.page->'late'->>'at')::float8 / 1000) as late_at,
           coalesce((p.page->'late'->>'chunk')::integer, 2147483647) as late_chunk, (p.page->'late'->>'id')::uuid as late_id,
           to_timestamp((p.page->'fresh'->>'at')::float8 / 1000) as fresh_at,
           coalesce((p.page->'fresh'->>'chunk')::integer, 2147483647) as fresh_chunk, (p.page->'fresh'->>'id')::uuid as fresh_id
      from (select p.service_id, p.weight, p.blocked_until, p.blocked_code, coalesce(the_pages -> p.service_id, of_others) as page
              from project p where of_others is not null
            union all
            select p.service_id, p.weight, p.blocked_until, p.blocked_code, e.value
              from jsonb_each(the_pages) e join project p on p.service_id = e.key where of_others is null) p
     -- Not of a blocked project. But sends that left before an operator stopped a project are followed and cancelled.
     where (p.blocked_until is null or p.blocked_until <= ask.at or (ask.work <> 'f' and p.blocked_code = 'STOPPED'))
       and (p.page->>'room')::integer > 0
     -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
     order by -ln(((hashtextextended(p.service_id, ask.round) & 9007199254740991)::float8 + 0.5) / 9007199254740992) / p.weight),
  -- "not in" hashes the held ids once: "<> all" of an array that is a parameter would compare every row with all of them.
  fresh as materialized (
    select d.* from room cross join lateral (
      select s.* from send_open s
       where s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
         and (s.next_at, s.chunk, s.id) > (room.fresh_at, room.fresh_chunk, room.fresh_id) and s.next_at <= ask.up_to
         and (uuid_hash(s.id) & 2147483647) % ask.slice_of = ask.slice_index and s.id not in (select unnest(the_held))
       order by s.next_at, s.chunk, s.id limit room.room) d
     limit ask.most),
  -- As one object that each project looks into: counting for each project would read all rows as often as there are projects.
  fresh_of as materialized (
    select jsonb_object_agg(f.service_id, f.count) as counts from (select f.service_id, count(*) from fresh f group by f.service_id) f),
  late as materialized (
    select d.* from room cross join fresh_of
     cross join lateral (
       select greatest((room.room + 1) / 2, room.room - coalesce((fresh_of.counts ->> room.service_id)::integer, 0)) as room) l
     cross join lateral (
       select w.*, (uuid_hash(w.id) & 2147483647) % ask.slice_of <> ask.slice_index as is_others from (
         -- So many that about as much as there is room for is of our slice: a hash spreads evenly.
         select s.* from send_open s
          where s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
            and (s.next_at, s.chunk, s.id) > (room.late_at, room.late_chunk, room.late_id) and s.next_at <= ask.late_up_to
            and (of_others is not null or (uuid_hash(s.id) & 2147483647) % ask.slice_of = ask.slice_index)
            and s.id not in (select unnest(the_held))
          order by s.next_at, s.chunk, s.id limit ask.slice_of * l.room) w
        order by is_others, w.next_at, w.chunk, w.id limit l.room) d
     limit greatest((ask.most + 1) / 2, ask.most - (select count(*) from fresh))),
  late_of as materialized (
    select jsonb_object_agg(l.service_id, l.count) as counts from (select l.service_id, count(*) from late l group by l.service_id) l),
  -- A few of the newest late sends as well, if there are more than were read and these are of another campaign.
  newest as materialized (
    select d.* from room cross join late_of cross join lateral (
      select s.* from send_open s
       where of_others is not null
         and s.service_id = room.service_id and s.work = ask.work and (ask.work <> 'f' or s.state = 'planned')
         and (s.next_at, s.chunk, s.id) > (room.late_at, room.late_chunk, room.late_id) and s.next_at <= ask.late_up_to
         and s.id not in (select unnest(the_held))
       order by s.next_at desc, s.chunk desc, s.id desc limit least(64, (room.room + 3) / 4)) d
     where d.campaign not in (select l.campaign from late l)
       and (coalesce((late_of.counts ->> room.service_id)::integer, 0) >= (room.room + 1) / 2
            or (select count(*) from late) >= (ask.most + 1) / 2))
  select s.id, s.service_id, s.kind, epoch_ms(s.next_at), s.chunk, s.campaign, s.revision, s.state, s.goal,
         s.mode, s.mode_rule, s.detail, s.schedule_code, s.request_id, epoch_ms(s.intended_at), epoch_ms(s.due_at),
         epoch_ms(coalesce(s.handed_off_at, s.created_at)), epoch_ms(s.state_at), s.attempts, s.polls, s.changes, s.retry_of is not null,
         case when s.work = 'f' then
           (select c.zone from cell c where c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell) end,
         case when s.work <> 'f' and s.mode = 'scheduled' then
           (select (r.data->'delivery'->>'until')::float8 from revision r where r.campaign = s.campaign and r.revision = s.revision) end,
         s.occurrence like 'test-%'
    from (select f.*, false as is_others, 'fresh' as kind from fresh f
          union all select l.*, case when l.is_others then 'others' else 'late' end from late l
          union all select n.*, false, 'newest' from newest n) s;
end $$;

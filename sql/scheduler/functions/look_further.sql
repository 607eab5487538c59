-- Called by store/send/look-ahead.store.ts, which says what it is for: for each project a page of late or of fresh sends, from
-- a place in the index on. Only reads, and locks nothing.
create or replace function look_further(at timestamptz, up_to timestamptz, late_from timestamptz, most integer,
                             the_services text[], the_rooms integer[], of_late boolean[], the_times float8[], the_chunks integer[], the_ids uuid[],
                             round bigint, slice_index integer, slice_of integer)
returns table (id uuid, service_id text, campaign uuid, revision integer, chunk integer, mode text, mode_rule text, schedule_code text,
               intended_ms float8, due_ms float8, hand_off_ms float8, attempts integer, changes integer, by_hand boolean, zone text,
               part text)
  language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select s.id, s.service_id, s.campaign, s.revision, s.chunk, s.mode, s.mode_rule, s.schedule_code,
         epoch_ms(s.intended_at), epoch_ms(s.due_at), epoch_ms(s.next_at), s.attempts, s.changes, s.retry_of is not null,
         c.zone, case when s.of_late then 'late' else 'fresh' end
    from (
      select d.*, r.of_late from (
        select r.*, case when r.of_late then late_from else up_to end as up_to
          from unnest(the_services, the_rooms, of_late, the_times, the_chunks, the_ids) as r(service_id, room, of_late, ms, chunk, id)
          join project p on p.service_id = r.service_id
         where p.blocked_until is null or p.blocked_until <= at
         -- The same draw as in look_ahead.
         order by -ln(((hashtextextended(p.service_id, round) & 9007199254740991) + 0.5) / 9007199254740992) / p.weight, r.of_late) r
      cross join lateral (
        select s.* from send_open s
         where s.service_id = r.service_id and s.work = 'f' and s.state = 'planned'
           and (s.next_at, s.chunk, s.id) > (to_timestamp(r.ms / 1000), r.chunk, r.id) and s.next_at <= r.up_to
           and (uuid_hash(s.id) & 2147483647) % slice_of = slice_index
         order by s.next_at, s.chunk, s.id limit r.room) d
       limit most) s
    join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell;
end $$;

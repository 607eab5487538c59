-- Called by store/send/poll.store.ts, which explains it. Only reads, and locks nothing.
create or replace function next_poll(at timestamptz, the_work "char", slice_index integer, slice_of integer)
returns float8 language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_sort = off as $$
begin
  return (
    select ceil(epoch_ms(min(head.next_at)))
      from project p cross join lateral (
        (select s.next_at from send_open s
          where s.service_id = p.service_id and s.work = the_work and s.next_at > at
            and (uuid_hash(s.id) & 2147483647) % slice_of = slice_index
          order by s.next_at, s.chunk, s.id limit 1)
        union all
        (select s.next_at + interval '1 second' from send_open s
          where slice_of > 1 and s.service_id = p.service_id and s.work = the_work and s.next_at > at - interval '1 second'
            and (uuid_hash(s.id) & 2147483647) % slice_of <> slice_index
          order by s.next_at, s.chunk, s.id limit 1)) head
     where p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED');
end $$;

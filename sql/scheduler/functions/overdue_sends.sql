-- Called by admin/projects/overdue.store.ts, which explains it. Only reads, and locks nothing.
create or replace function overdue_sends(at timestamptz, since timestamptz, most integer)
returns table (service_id text, sends integer, oldest timestamptz) language plpgsql stable
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select p.service_id, d.sends, d.oldest from project p cross join lateral (
    select count(*)::integer as sends, min(next_at) as oldest from (
      select s.next_at from send_open s
       where s.service_id = p.service_id and s.work = 'f' and s.state = 'planned' and s.next_at <= since
       order by s.next_at, s.chunk, s.id limit most) s) d
   where d.sends > 0 and (p.blocked_until is null or p.blocked_until <= at);
end $$;

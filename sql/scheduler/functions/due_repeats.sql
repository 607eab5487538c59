-- Called by store/send/repeat.store.ts, which explains it. Only reads, and locks nothing.
create or replace function due_repeats(at timestamptz, most integer, without text[])
returns table (id uuid, service_id text, campaign uuid, revision integer, attempts integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select d.* from project p cross join lateral (
    select s.id, s.service_id, s.campaign, s.revision, s.attempts from send_repeat s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and coalesce(s.handed_off_at, '-infinity') >= p.keys_since
       and may_repeat(s.wanted, s.repeat_until, s.mode, s.due_at, at)
     order by s.next_at, s.chunk, s.id limit most) d
   where (p.blocked_until is null or p.blocked_until <= at) and 'idempotency-key' = any(p.extensions)
     and 'close-key' <> all(p.extensions)
     and p.service_id <> all(without);
end $$;

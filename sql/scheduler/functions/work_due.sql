-- Called by store/send/work-due.store.ts, which says what it is for. Each question reads the head of the index that the
-- loop itself reads; up_to is where the dispatcher's look-ahead ends. few_days: what is asked of sends is planned for these
-- days alone. Reads only, and locks nothing.
create or replace function work_due(at timestamptz, up_to timestamptz, the_loops text[], lows uuid[], highs uuid[], few_days boolean)
returns text[] language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
declare
  due text[] := '{}';
  -- Leases end by it. As a function's call it would be no bound of an index.
  real_now timestamptz := clock_timestamp();
begin
  if 'plan' = any(the_loops) and exists (
       select from campaign c where c.plan_at <= at and c.state in ('accepted', 'planning', 'planned', 'running')) then
    due := due || 'plan'::text;
  end if;
  if 'lookup' = any(the_loops) and exists (
       select from audience_lookup l
        where l.done_at is null and l.next_at <= at and (l.lease_until is null or l.lease_until < real_now)) then
    due := due || 'lookup'::text;
  end if;
  -- In the order of the index, or it might be the primary key's that is read: of a whole day.
  if few_days then perform set_config('plan_cache_mode', 'force_custom_plan', true); end if;
  if 'dispatch' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.service_id = p.service_id and s.work = 'f' and s.next_at <= up_to and s.state || '' = 'planned'
            and is_of_days(s.id, lows, highs) order by s.next_at, s.chunk, s.id limit 1) s
        where p.blocked_until is null or p.blocked_until <= at) then
    due := due || 'dispatch'::text;
  end if;
  if 'dispatch-recover' = any(the_loops) and exists (select from project p where p.blocked_until <= at) then
    due := due || 'dispatch-recover'::text;
  end if;
  if 'dispatch-repeat' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and is_of_days(s.id, lows, highs) order by s.next_at, s.chunk, s.id limit 1) s
        where p.blocked_until is null or p.blocked_until <= at) then
    due := due || 'dispatch-repeat'::text;
  end if;
  -- Those of a stopped project are followed all the same.
  if 'follow' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.service_id = p.service_id and s.work = 'p' and s.next_at <= at and is_of_days(s.id, lows, highs) order by s.next_at, s.chunk, s.id limit 1) s
        where p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED') then
    due := due || 'follow'::text;
  end if;
  if 'cancel' = any(the_loops) and exists (
       select from project p cross join lateral (
         select from send s
          where s.service_id = p.service_id and s.work = 'c' and s.next_at <= at and is_of_days(s.id, lows, highs) order by s.next_at, s.chunk, s.id limit 1) s
        where p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED') then
    due := due || 'cancel'::text;
  end if;
  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  if 'close' = any(the_loops) and exists (select from campaign_touched) then
    due := due || 'close'::text;
  end if;
  -- Above all that is published mostly; then in the holes.
  if 'publish' = any(the_loops) and (exists (
       select from publish_cursor c
        where exists (select from send_event e where e.shard = c.shard and e.position >= upper(c.published)))
     or exists (
       select from publish_cursor c cross join lateral cursor_gaps(c.published) as gap
        where exists (select from send_event e where e.shard = c.shard and e.position >= gap.low and e.position < gap.high))) then
    due := due || 'publish'::text;
  end if;
  if 'outbox' = any(the_loops) and exists (select from outbox o where o.published_at is null) then
    due := due || 'outbox'::text;
  end if;
  return due;
end $$;

-- Called by work-due.store.ts, which explains it. For each loop it reads the beginning of the index that the loop itself reads.
-- up_to: where the dispatcher's look-ahead ends. since: only sends and campaigns that came due after it count (null: all).
-- the_services: only sends of these projects count (null: of all). near: the projects of these with a send that is due by
-- near_until. Only reads, and locks nothing.
create or replace function work_due(at timestamptz, up_to timestamptz, since timestamptz, near_until timestamptz, the_loops text[],
                         the_services text[], out due text[], out near text[])
language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
declare
  -- Leases end by this clock. A variable, because a call of a volatile function cannot bound an index.
  real_now timestamptz := clock_timestamp();
  of_sends text[];
  the_consumer text;
  after timestamptz := coalesce(since, '-infinity');
begin
  due := '{}';
  if 'plan' = any(the_loops) and exists (
       select from campaign c
        where c.plan_at >= after and c.plan_at <= at and campaign_state_is_plannable(c.state)) then
    due := due || 'plan'::text;
  end if;
  if 'lookup' = any(the_loops) and exists (
       select from audience_lookup l
        where l.done_at is null and l.next_at <= at and (l.lease_until is null or l.lease_until < real_now)) then
    due := due || 'lookup'::text;
  end if;
  with asked as materialized (
    select p.service_id, p.blocked_until, p.blocked_code from project p where the_services is null
    union all
    select p.service_id, p.blocked_until, p.blocked_code from unnest(the_services) as g(service_id) join project p using (service_id)),
  head as materialized (
    select p.service_id, w.name,
           s.next_at <= w.until
           and (p.blocked_until is null or p.blocked_until <= at or (w.even_stopped and p.blocked_code = 'STOPPED')) as is_due
      -- Sends that left before an operator stopped a project are followed and cancelled.
      from asked p
      cross join (values ('dispatch', 'f'::"char", up_to, false), ('dispatch-repeat', 'r', at, false), ('follow', 'p', at, true),
                         ('cancel', 'c', at, true)) as w(name, work, until, even_stopped)
      cross join lateral (
        select s.next_at from send_open s
         where s.service_id = p.service_id and s.work = w.work and s.next_at > after and s.next_at <= greatest(w.until, near_until)
           and (w.work <> 'f' or s.state = 'planned')
         -- In the order of the index: without it PostgreSQL might read the primary key, and with it all sends.
         order by s.next_at, s.chunk, s.id limit 1) s
     where w.name = any(the_loops))
  select coalesce(array_agg(distinct h.name) filter (where h.is_due), '{}'), coalesce(array_agg(distinct h.service_id), '{}')
    into of_sends, near from head h;
  due := due || of_sends;
  if 'dispatch-recover' = any(the_loops) and exists (select from project p where p.blocked_until <= at) then
    due := due || 'dispatch-recover'::text;
  end if;
  -- Without since, the touches are read here; else the closer is always woken, because it knows how far to read over deleted ones.
  if 'close' = any(the_loops) and (since is not null or exists (select from campaign_touched)) then
    due := due || 'close'::text;
  end if;
  -- The consumers of the log of outcomes have the names of their loops. Unread events are mostly above all that is read; else in holes.
  -- The limit makes it one probe of index send_event_position for each shard and hole. A semi-join would read the whole of each day
  -- that was never analysed for each of them (200 000 events a day and 990 holes: two minutes).
  foreach the_consumer in array '{publish,rollup,stream}'::text[] loop
    if the_consumer = any(the_loops) and (the_consumer = 'rollup' and exists (select from rollup_retry) or exists (
         select from outcome_cursor c cross join lateral (
           select from send_event e where e.shard = c.shard and e.position >= upper(c.done) order by e.position limit 1) e
          where c.consumer = the_consumer)
       or exists (
         select from outcome_cursor c cross join lateral cursor_gaps(c.done) as gap cross join lateral (
           select from send_event e where e.shard = c.shard and e.position >= gap.low and e.position < gap.high
            order by e.position limit 1) e
          where c.consumer = the_consumer)) then
      due := due || the_consumer;
    end if;
  end loop;
  if 'outbox' = any(the_loops) and exists (select from outbox o where o.published_at is null and o.refused_at is null) then
    due := due || 'outbox'::text;
  end if;
end $$;

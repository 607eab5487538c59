-- Called by store/send/work-days.store.ts, which says what it is for: the days whose sends hold work, as at most four ranges of
-- ids, and how many partitions these are. Index send_work, its first entry in each partition. Only reads, and locks nothing.
create or replace function work_days(at timestamptz, out lows uuid[], out highs uuid[], out days integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on set enable_seqscan = off set enable_sort = off as $$
begin
  with day as materialized (
    -- send_old is one, from the beginning on.
    select d.low as since, d.high as until, uuid_floor(greatest(d.low, 'epoch')) as low, uuid_floor(d.high) as high
      from day_partition d where d.parent = 'send'),
  held as materialized (
    select d.* from day d
     -- Whose clock is another, or who began to write before midnight, bears sends into the day before or after.
     where (d.since <= at + interval '10 minutes' and at - interval '10 minutes' < d.until)
        -- In the index's order, or it would be the primary key's: of all that ended.
        or exists (select from send s where s.id >= d.low and s.id < d.high and s.work is not null and s.next_at is not null
                    order by s.service_id, s.work, s.next_at, s.chunk, s.id limit 1)),
  -- Days side by side are a range; all but the newest three ranges are one, with what lies between.
  range as (
    select min(w.low::text)::uuid as low, max(w.high::text)::uuid as high
      from (select p.*, least(4, sum(p.apart) over (order by p.since desc)) as range
              from (select h.*, (h.until is distinct from lag(h.since) over (order by h.since desc))::integer as apart from held h) p) w
     group by w.range)
  select array_agg(r.low), array_agg(r.high), sum((select count(*) from day d where d.low >= r.low and d.high <= r.high))
    into lows, highs, days from range r;
end $$;

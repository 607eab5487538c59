-- Sums up the outcomes of complete firings, which get no further outcomes: at most `most` rows. The same transaction records how
-- far the sums reach, so that a failure in between leaves nothing out and counts nothing twice. Nobody reads the sums of a firing
-- before it is `summed`. Takes the oldest firings (index firing_unsummed) that no other process has locked. All are of one day,
-- and so in one partition, for which each page is planned anew. It takes several whole firings, or, of a firing with more rows, a
-- page after `summed_to`. Returns how much it did, in rows and firings; 0: nothing is left.
create or replace function sum_outcomes(most integer) returns integer language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
as $$
declare
  whole bigint[];
  paged bigint;
  behind bigint;
  rows integer;
  low bigint;
  high bigint;
begin
  with held as materialized (
    select f.id, f.summed_to, f.sent_count + f.failed_count + f.unknown_count as rows from firing f
     where f.state = 'FINISHED' and not f.summed order by f.id limit 500 for no key update skip locked
  ), counted as (
    select h.id, h.summed_to, h.id >> 40 as day, sum(h.rows) over (order by h.id) as until, row_number() over (order by h.id) as place,
           first_value(h.id >> 40) over (order by h.id) as first_day
      from held h
  )
  select array_agg(c.id) filter (where c.until <= most and c.summed_to = 0 and c.day = c.first_day), max(c.id) filter (where c.place = 1),
         max(c.summed_to) filter (where c.place = 1)
    into whole, paged, behind from counted c;
  if paged is null then return 0; end if;
  low := (paged >> 40) << 40;
  high := ((paged >> 40) + 1) << 40;

  if not coalesce(paged = any(whole), false) then
    with page as materialized (
      select * from delivery d where d.firing_id = paged and d.device_id > behind order by d.device_id limit most
    ), kept as (
      insert into outcome_count as c (firing_id, outcome, reason, device_type, country, language, timezone, count)
      select p.firing_id, p.outcome, coalesce(p.reason, ''), p.device_type, p.country, p.language, p.timezone, count(*)
        from page p group by 1, 2, 3, 4, 5, 6, 7
      on conflict (firing_id, outcome, reason, device_type, country, language, timezone)
        do update set count = c.count + excluded.count
    ), seen as (
      select count(*)::int as rows, max(p.device_id) as last from page p
    )
    update firing f set summed_to = coalesce(s.last, behind), summed = s.rows < most from seen s where f.id = paged
    returning s.rows + 1 into rows;
    return rows;
  end if;

  insert into outcome_count (firing_id, outcome, reason, device_type, country, language, timezone, count)
  select d.firing_id, d.outcome, coalesce(d.reason, ''), d.device_type, d.country, d.language, d.timezone, count(*)
    from unnest(whole) w(id) cross join lateral (
      select * from delivery o where o.firing_id = w.id and o.firing_id >= low and o.firing_id < high offset 0) d
   group by 1, 2, 3, 4, 5, 6, 7;
  get diagnostics rows = row_count;
  update firing set summed = true where id = any(whole);
  return rows + cardinality(whole);
end $$;

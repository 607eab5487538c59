-- What is not rolled up yet, for the reports that add it (store/rollup/counted-sends.ts), as their snapshot shows it: ended sends, by 1;
-- what a retry took the place of, by -1; and by 0 the sends that may be open though their occurrence has ended. As many rows
-- as the rollups are behind by. ended: the states that a send ends in. Index send_event_position, a probe a hole; locks nothing.
create or replace function unrolled(ended text[]) returns table (send uuid, weight integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select e.send, case when e.to_state = any(ended) then 1 else 0 end
    from rollup_cursor c cross join cursor_gaps(c.rolled) as gap cross join lateral (
      select e.send, e.to_state from send_event e
       where e.shard = c.shard and e.position >= gap.low and e.position < gap.high order by e.position) e
   where e.send is not null and (e.to_state = any(ended) or e.to_state = 'uncertain')
  union all
  select r.send_of, -1 from rollup_retry r
  union all
  select r.send, 0 from rollup_retry r;
end $$;

-- Called by store/send/act.store.ts, which explains it. Reads the page of open sends (page_of_campaign); then moves the
-- sends (take_back_sends).
create or replace function take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer,
                               at timestamptz, by_whom text, the_goal text, why text, more text, the_mark text)
returns table (seen integer, moved integer, waits integer, last_occurrence text, last_cell text, last_chunk integer) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
#variable_conflict use_column
declare ids uuid[];
begin
  select p.seen, p.ids, p.last_occurrence, p.last_cell, p.last_chunk into seen, ids, last_occurrence, last_cell, last_chunk
    from page_of_campaign(of_campaign, of_occurrence, after_occurrence, after_cell, after_chunk, most) p;
  moved := take_back_sends(ids, at, by_whom, the_goal, why, more, the_mark, of_occurrence);
  waits := 0;
  return next;
end $$;

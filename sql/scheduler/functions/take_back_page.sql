-- Called by store/send/cancel.store.ts, which explains it. Reads the page of open sends by index send_cell from where the last page
-- ended; then moves the sends, locked in order of id.
create or replace function take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer,
                               at timestamptz, by_whom text, why text, more text)
returns table (seen integer, moved integer, last_occurrence text, last_cell text, last_chunk integer) language plpgsql
  -- Planned anew for each call: one occurrence or all of them, and the beginning of the page, need different scans.
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on set enable_hashjoin = off set enable_mergejoin = off
  set enable_seqscan = off set seq_page_cost = 1000000 set enable_bitmapscan = off as $$
#variable_conflict use_column
declare ids uuid[];
begin
  with page as materialized (
    select s.occurrence, s.cell, s.chunk, s.id from send_open s
     where s.campaign = of_campaign and (of_occurrence is null or s.occurrence = of_occurrence)
       and (after_occurrence is null or (s.occurrence, s.cell, s.chunk) > (after_occurrence, after_cell, after_chunk))
     order by s.occurrence, s.cell, s.chunk limit most)
  select (select count(*) from page), (select array_agg(p.id order by p.id) from page p), l.occurrence, l.cell, l.chunk
    into seen, ids, last_occurrence, last_cell, last_chunk
    from (select) one
    left join (select p.* from page p order by p.occurrence desc, p.cell desc, p.chunk desc limit 1) l on true;
  update send s set
         state = case when send_state_ends_on_cancel(s.state) then 'canceled'
                      when send_state_asks_on_cancel(s.state) then 'canceling' else s.state end,
         goal = case when send_state_ends_on_cancel(s.state) then s.goal else 'canceled' end,
         changes = s.changes + case when send_state_waits_on_cancel(s.state) then 0 else 1 end,
         code = case when send_state_waits_on_cancel(s.state) then s.code else why end,
         detail = case when send_state_waits_on_cancel(s.state) then s.detail else more end,
         state_at = case when send_state_waits_on_cancel(s.state) then s.state_at else at end,
         state_by = case when send_state_waits_on_cancel(s.state) then s.state_by else by_whom end,
         polls = case when send_state_asks_on_cancel(s.state) then 0 else s.polls end,
         next_at = case when send_state_asks_on_cancel(s.state) then at
                        when send_state_ends_on_cancel(s.state) then null else s.next_at end
    from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity'
     and (send_state_ends_on_cancel(s.state) or send_state_asks_on_cancel(s.state)
          or send_state_waits_on_cancel(s.state) and s.goal is distinct from 'canceled');
  get diagnostics moved = row_count;
  return next;
end $$;

-- Called by store/send/put-back.store.ts, which explains it. By the primary key of send_open; locks rows in order of id. Returns how
-- many it put back.
create or replace function put_back_sends(the_sends put_back[], at timestamptz, by_whom text)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare settled integer;
begin
  update send s set state = g.state, changes = s.changes + case g.state when 'planned' then 0 else 1 end,
         code = g.code, detail = g.detail,
         state_at = case when g.state = 'planned' and g.code is not distinct from s.code then s.state_at else at end,
         state_by = case when g.state = 'planned' and g.code is not distinct from s.code then s.state_by else by_whom end,
         next_at = case g.state when 'planned' then coalesce(g.hand_off_at, s.next_at) end,
         mode = coalesce(g.mode, s.mode), mode_rule = coalesce(g.mode_rule, s.mode_rule), due_at = coalesce(g.due_at, s.due_at)
    from unnest(the_sends) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'planned' and s.attempts = g.attempts and s.changes = g.changes;
  get diagnostics settled = row_count;
  return settled;
end $$;

-- Called by take_back_page and revise_page, which have read the page: takes these sends back, locked in order of id; returns how many
-- it moved. the_goal: what they become. A send that was asked back before gets the stricter of the two goals, and its reason. the_mark:
-- what holds them back (campaign_act.mark), of_occurrence its occurrence; null: all of the sends.
create or replace function take_back_sends(ids uuid[], at timestamptz, by_whom text, the_goal text, why text, more text, the_mark text,
                                           of_occurrence text)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare moved integer;
begin
  update send s set
         state = case when send_state_goes_back(s.state) then the_goal
                      when send_state_is_asked_back(s.state) then 'canceling' else s.state end,
         goal = case when send_state_goes_back(s.state) then null else the_goal end,
         changes = s.changes + case when send_state_waits(s.state) then 0 else 1 end,
         code = case when send_state_waits(s.state) and s.work is distinct from 'c' then s.code else why end,
         detail = case when send_state_waits(s.state) and s.work is distinct from 'c' then s.detail else more end,
         state_at = case when send_state_waits(s.state) then s.state_at else at end,
         state_by = case when send_state_waits(s.state) then s.state_by else by_whom end,
         polls = case when send_state_is_asked_back(s.state) then 0 else s.polls end,
         next_at = case when send_state_is_asked_back(s.state) then at
                        when send_state_goes_back(s.state) then null else s.next_at end
    from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and (the_mark is null or act_holds(the_mark, of_occurrence, s.occurrence))
     and (send_state_goes_back(s.state) and s.state <> the_goal or send_state_is_asked_back(s.state)
          or send_state_waits(s.state) and goal_rank(s.goal) < goal_rank(the_goal));
  get diagnostics moved = row_count;
  return moved;
end $$;

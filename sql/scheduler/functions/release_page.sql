-- Called by store/send/act.store.ts, which says what it is for. Reads the page as take_back_page does. the_goal: of the sends
-- that are released: those in this state are planned again for their own due, with the lead over it that their cell has, and
-- as new to the push service, whatever held an earlier reservation of theirs. A send that waits for an answer loses the goal,
-- so that its answer alone decides; but one that the push service was asked for keeps it until that is known, and waits. What
-- another act holds (of the campaign, or of its occurrence), or the approval that the campaign awaits, stays.
create or replace function release_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer,
                             at timestamptz, by_whom text, the_goal text)
returns table (seen integer, moved integer, waits integer, last_occurrence text, last_cell text, last_chunk integer) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
#variable_conflict use_column
declare ids uuid[];
begin
  select p.seen, p.ids, p.last_occurrence, p.last_cell, p.last_chunk into seen, ids, last_occurrence, last_cell, last_chunk
    from page_of_campaign(of_campaign, of_occurrence, after_occurrence, after_cell, after_chunk, most) p;
  update send s set
         state = case when s.state = the_goal then 'planned' else s.state end, goal = null,
         changes = s.changes + case when s.state = the_goal then 1 else 0 end,
         code = case when s.state = the_goal then null else s.code end,
         detail = case when s.state = the_goal then null else s.detail end,
         state_at = case when s.state = the_goal then at else s.state_at end,
         state_by = case when s.state = the_goal then by_whom else s.state_by end,
         polls = case when s.state = the_goal then 0 else s.polls end,
         released = case when s.state = the_goal and s.request_id is not null then coalesce(s.released, 0) + 1 else s.released end,
         request_id = case when s.state = the_goal then null else s.request_id end,
         gateway_status = case when s.state = the_goal then null else s.gateway_status end,
         next_at = case when s.state = the_goal
                        then coalesce(s.due_at - (select greatest(c.due_at - c.hand_off_at, interval '0') from cell c
                                                   where c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell), at)
                        else s.next_at end
    from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity'
     and (s.state = the_goal or s.goal = the_goal and s.work is distinct from 'c')
     and not exists (select from campaign_act k
                      where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null);
  get diagnostics moved = row_count;
  -- After the update, and with what came to the goal beside it: an answer may have been committed while it waited for that row.
  select count(*)::integer into waits
    from unnest(ids) as g(id) join send_open s on s.id = any(array[g.id])
     and (s.state = the_goal or s.goal = the_goal and s.work = 'c')
   where not exists (select from campaign_act k
                      where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null);
  return next;
end $$;

-- Called by store/send/move.store.ts: moves open sends from one state to another, by the given attempt (null: any). A send
-- with a goal is not planned again. By the primary key of send_open; locks rows in order of id. Returns how many it moved.
create or replace function move_sends(the_moves send_move[], at timestamptz, by_whom text)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare moved integer;
begin
  update send s set state = g.to_state, changes = s.changes + 1, code = g.code, detail = g.detail,
         state_at = at, state_by = by_whom,
         request_id = coalesce(g.request_id, s.request_id), next_at = g.next_at, polls = 0
    from unnest(the_moves) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = g.from_state
     and (g.attempts is null or s.attempts = g.attempts) and (g.to_state <> 'planned' or s.goal is null);
  get diagnostics moved = row_count;
  return moved;
end $$;

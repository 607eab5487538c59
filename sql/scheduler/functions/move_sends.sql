-- Called by store/send/move.store.ts: moves open sends from one state to another, by the given attempt (null: any). A send
-- with a goal is not planned again. By the primary key of send_open; locks rows in order of id. Returns how many it moved.
create or replace function move_sends(the_ids uuid[], the_attempts integer[], from_state text, to_state text, the_code text, the_detail text,
                           the_request_id text, the_next timestamptz, at timestamptz, by_whom text)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare moved integer;
begin
  update send s set state = to_state, changes = s.changes + 1, code = the_code, detail = the_detail, state_at = at, state_by = by_whom,
         request_id = coalesce(the_request_id, s.request_id), next_at = the_next, polls = 0
    from unnest(the_ids, the_attempts) as g(id, attempts)
   where s.id = g.id and s.ended_at = 'infinity' and s.state = from_state
     and (g.attempts is null or s.attempts = g.attempts) and (to_state <> 'planned' or s.goal is null);
  get diagnostics moved = row_count;
  return moved;
end $$;

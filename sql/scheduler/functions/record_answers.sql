-- Called by store/send/answer.store.ts, which explains it. By the primary key of send_open; locks rows in order of id. Returns how many
-- answers moved their sends.
create or replace function record_answers(the_answers recorded_answer[], by_whom text, at timestamptz)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare
  written integer;
  wanted uuid[];
begin
  with moved as (
    update send s set
           state = case when s.state = 'sending' and g.state = 'planned' then coalesce(s.goal, 'planned')
                        when s.state = 'uncertain' and g.state = 'rejected' then 'planned'
                        when g.state = 'failed' and s.goal is not null then 'planned' else g.state end,
           changes = s.changes + 1, code = g.code, detail = g.detail, state_at = g.answered_at, state_by = by_whom,
           answered_at = case when g.http_status is null then s.answered_at else g.answered_at end,
           attempt_ended_at = case when g.http_status is null then g.answered_at end, request_sent = g.request_sent,
           http_status = g.http_status, error_code = g.error_code, answer = g.answer, outcome = g.outcome,
           -- Its key was closed: the next request has another one.
           released = case when g.outcome = 'key-closed' then coalesce(s.released, 0) + 1 else s.released end,
           request_id = coalesce(g.request_id, s.request_id), gateway_status = coalesce(g.gateway_status, s.gateway_status),
           next_at = case when s.state = 'uncertain' and g.state = 'rejected' then g.answered_at else g.next_at end, polls = 0
      from unnest(the_answers) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts = g.attempt
       and (s.state = 'sending' or s.state = 'uncertain' and g.state <> 'uncertain')
    returning s.id, s.state, s.goal)
  select count(*), array_agg(m.id) filter (where m.goal is not null and m.state in ('planned', 'reserved', 'scheduled'))
    into written, wanted from moved m;
  if wanted is not null then
    -- A send that the push service has taken is cancelled there; one that was not sent comes to its goal.
    update send s set
           state = case s.state when 'planned' then s.goal else 'canceling' end, changes = s.changes + 1,
           state_at = at, state_by = by_whom, next_at = case s.state when 'planned' then null else at end
      from unnest(wanted) as g(id) where s.id = any(array[g.id]) and s.ended_at = 'infinity';
  end if;
  return written;
end $$;

-- Called by store/send/answer.store.ts and store/send/repeat.store.ts: writes how calls ended that moved no send. next_at: when to make
-- the next repeat; otherwise null. By primary keys; locks the sends' rows in order of id, then the rows of older attempts.
create or replace function end_attempts(the_ends attempt_end[])
returns void language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
begin
  update send s set attempt_ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = case when send_state_is_awaited(s.state) then g.error_code else 'ANSWER_AFTER_RESOLVE' end,
         answer = g.answer, outcome = g.outcome,
         next_at = case when s.state = 'uncertain' then coalesce(g.next_at, s.next_at) else s.next_at end
    from unnest(the_ends) as g
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts = g.attempt and s.outcome is null;
  -- If the send was fired again meanwhile, this attempt is in the table attempt.
  update attempt a set ended_at = g.ended_at, request_sent = g.request_sent, http_status = g.http_status,
         error_code = g.error_code, answer = g.answer, outcome = g.outcome
    from unnest(the_ends) as g
   where a.send = any(array[g.id]) and a.send_ended_at = 'infinity' and a.attempt = g.attempt and a.ended_at is null;
  perform end_late_attempt(g) from unnest(the_ends) as g
    where not exists (select from send_open s where s.id = any(array[g.id]));
end $$;

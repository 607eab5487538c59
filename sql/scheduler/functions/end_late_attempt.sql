-- Called by end_attempts for an answer that came after its send had ended, because an operator resolved it: keeps the answer with the
-- send and marks it. There are few of these, so each is looked for on its own, from a day before the send was made (its id, UUIDv7).
-- By primary keys.
create or replace function end_late_attempt(late attempt_end) returns void language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on set enable_seqscan = off as $$
declare
  since timestamptz := ends_from(late.id);
begin
  update send s set attempt_ended_at = late.ended_at, request_sent = late.request_sent, http_status = late.http_status,
         error_code = 'ANSWER_AFTER_RESOLVE', answer = late.answer, outcome = late.outcome
   where s.id = late.id and s.ended_at >= since and s.attempts = late.attempt and s.outcome is null;
  update attempt a set ended_at = late.ended_at, request_sent = late.request_sent, http_status = late.http_status,
         error_code = late.error_code, answer = late.answer, outcome = late.outcome
   where a.send = late.id and a.send_ended_at >= since and a.attempt = late.attempt and a.ended_at is null;
end $$;

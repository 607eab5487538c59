-- Inserts the newest attempts of sends, which these rows hold, into the table attempt, before new attempts overwrite them; the caller
-- has locked the rows. An attempt that is there already is a cancel's. Only inserts, by the primary key of attempt.
create or replace function keep_attempts(those send[]) returns void language sql as $$
  insert into attempt (send, send_ended_at, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
  select s.id, s.ended_at, s.attempts, 'send', coalesce(s.attempt_started_at, s.handed_off_at),
         case when s.outcome is not null then coalesce(s.attempt_ended_at, s.answered_at) end,
         s.request_sent, s.http_status, s.error_code, s.answer, s.outcome
    from unnest(those) s
   where s.attempts > 0 and coalesce(s.attempt_started_at, s.handed_off_at) is not null
  on conflict do nothing
$$;

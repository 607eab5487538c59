-- Called by record_polls: inserts the calls of cancels as attempts of their sends, some of which have just ended. A call is also noted
-- if somebody else has moved its send, because it was made. But it takes no attempt number of a send that is to be fired, repeated
-- or asked about. Skips rows that others have locked, because these are not locked in order of id. By primary keys, from the day
-- before the calls ended.
create or replace function note_cancels(the_calls jsonb, written uuid[]) returns void language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  since timestamptz := (select min(c.ended_at) - interval '1 day' from jsonb_to_recordset(the_calls) as c(ended_at timestamptz));
begin
  with called as materialized (
    select * from jsonb_to_recordset(the_calls)
      as c(id uuid, started_at timestamptz, ended_at timestamptz, request_sent boolean, http_status integer,
           error_code text, answer text, outcome text)),
  made as materialized (
    select c.*, s.ended_at as send_ended_at, s as before from called c join send s on s.id = c.id and s.ended_at >= since
     where c.id = any(written)
        or coalesce(s.work, '-') not in ('f', 'r', 'u')
           and not exists (select from attempt a where a.send = c.id and a.send_ended_at >= since and a.kind = 'cancel' and a.started_at = c.started_at)
       for no key update of s skip locked),
  kept as materialized (select keep_attempts(array_agg(m.before)) from made m),
  noted as (
    update send s set attempts = s.attempts + 1 from made m cross join kept where s.id = m.id and s.ended_at >= since
    returning s.attempts, m.*)
  insert into attempt (send, send_ended_at, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
  select n.id, n.send_ended_at, n.attempts, 'cancel', n.started_at, n.ended_at, n.request_sent, n.http_status, n.error_code, n.answer,
         n.outcome
    from noted n;
end $$;

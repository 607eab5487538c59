-- Called by store/send/repeat.store.ts, which explains it. By the primary key of send_open. Locks that one row first, because the
-- attempt that it holds is kept (keep_attempts).
create or replace function fire_repeat(the_id uuid, the_attempts integer, at timestamptz, by_replica uuid, again_at timestamptz)
returns table (attempt integer, released integer, occurrence text, cell text, chunk integer, retries integer, mode text, schedule_code text, due_ms float8, recipients text[], target jsonb) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on set enable_seqscan = off as $$
#variable_conflict use_column
declare before send;
begin
  select s.* into before from send s
   where s.id = the_id and s.ended_at = 'infinity' and s.state = 'uncertain' and s.request_id is null and s.attempts = the_attempts for no key update;
  if not found then return; end if;
  return query
  with fired as (
    update send s set attempts = s.attempts + 1, fired_by = by_replica, next_at = again_at, attempt_started_at = at,
           attempt_ended_at = null, request_sent = null, http_status = null, error_code = null, answer = null, outcome = null
     where s.id = the_id and s.ended_at = 'infinity'
       and (select may_repeat(w.wanted, w.repeat_until, w.mode, w.due_at, at) and (p.blocked_until is null or p.blocked_until <= at)
              from send_repeat w join project p on p.service_id = w.service_id where w.id = the_id)
    returning s.*)
  select f.attempts, f.released, f.occurrence, f.cell, f.chunk, f.retries, f.mode, f.schedule_code, (extract(epoch from f.due_at) * 1000)::float8, t.recipients, l.target
    from fired f join cell l on l.campaign = f.campaign and l.occurrence = f.occurrence and l.cell = f.cell
    left join send_recipients_open t on t.send = the_id;
  if found then perform keep_attempts(array[before]); end if;
end $$;

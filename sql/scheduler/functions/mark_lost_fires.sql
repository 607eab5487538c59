-- Called by store/send/lost-fire.store.ts, which explains it. By the primary key of send_open; locks rows in order of id. A planned
-- send becomes 'sending' first, like one that is fired. Returns how many it made uncertain.
create or replace function mark_lost_fires(the_fires lost_fire[], the_code text, the_detail text, at timestamptz, by_whom text,
                               by_replica uuid)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare before send[];
begin
  select array_agg(l.s) into before
    from (select s from unnest(the_fires) as g
            join send s on s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.attempts < g.attempt and s.state in ('planned', 'sending', 'uncertain')
           order by s.id for no key update of s) l;
  if before is null then return 0; end if;
  perform keep_attempts(before);
  update send s set state = 'sending', changes = s.changes + 1, code = null, detail = null, state_at = g.fired_at, state_by = by_whom
    from unnest(before) b join unnest(the_fires) as g on g.id = b.id
   where b.state = 'planned' and s.id = any(array[b.id]) and s.ended_at = 'infinity';
  update send s set state = 'uncertain', changes = s.changes + case b.state when 'uncertain' then 0 else 1 end,
         code = the_code, detail = the_detail, state_at = at, state_by = by_whom, attempts = g.attempt, fired_by = by_replica,
         handed_off_at = g.fired_at, attempt_started_at = null, attempt_ended_at = null, request_sent = null,
         http_status = null, error_code = null, answer = null, outcome = null,
         request_id = coalesce(g.request_id, s.request_id), next_at = g.next_at, polls = 0
    from unnest(before) b
    join unnest(the_fires) as g on g.id = b.id
   where s.id = any(array[b.id]) and s.ended_at = 'infinity';
  return cardinality(before);
end $$;

-- Called by store/send/poll.store.ts, which says what it is for. A day at a time (days_of); locks rows in order of id.
-- the_calls: the cancels that were made, null for none. keeps_counts: whether one is of a standing message. Returns how many it
-- wrote. A row is written once, however often it comes: it is fenced by the changes and, where these do not move (to null), by
-- the polls, which do.
create or replace function record_polls(the_ids uuid[], the_changes integer[], the_polls_before integer[], the_froms text[], the_tos text[], the_codes text[], the_details text[],
                             the_times timestamptz[], the_nexts timestamptz[], the_polls integer[], the_gateway_statuses text[],
                             the_targets integer[], the_sents integer[], the_completes timestamptz[], the_drops boolean[], the_goals text[],
                             the_calls jsonb, keeps_counts boolean, by_whom text)
returns integer language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  low uuid;
  high uuid;
  written uuid[];
  written_all integer := 0;
begin
  for low, high in select d.low, d.high from days_of(the_ids) d loop
    with moved as (
      update send s set
             state = case g.to_state when 'goal' then coalesce(s.goal, 'canceled') else coalesce(g.to_state, s.state) end,
             changes = s.changes + case when g.to_state is null then 0 else 1 end,
             -- Why it is being canceled stays its reason, whatever the push service said on the way.
             code = case when coalesce(g.to_state, 'goal') = 'goal' then s.code else g.code end,
             detail = case when s.state = 'canceling' and coalesce(g.to_state, 'goal') = 'goal' then coalesce(g.detail, s.detail)
                           else g.detail end,
             state_at = case when g.to_state is null then s.state_at else g.at end,
             state_by = case when g.to_state is null then s.state_by else by_whom end,
             next_at = g.next_at, polls = g.polls,
             gateway_status = coalesce(g.gateway_status, s.gateway_status),
             target_count = coalesce(g.target_count, s.target_count), sent_count = coalesce(g.sent_count, s.sent_count),
             complete_time = coalesce(g.complete_time, s.complete_time),
             goal = case when g.drops_goal then null else coalesce(g.goal, s.goal) end
        from unnest(the_ids, the_changes, the_polls_before, the_froms, the_tos, the_codes, the_details, the_times, the_nexts, the_polls,
                    the_gateway_statuses, the_targets, the_sents, the_completes, the_drops, the_goals)
          as g(id, changes, polls_before, from_state, to_state, code, detail, at, next_at, polls, gateway_status, target_count, sent_count,
               complete_time, drops_goal, goal)
       where s.id = g.id and lies_in(s.id, low, high) and s.changes = g.changes and s.state || '' = g.from_state
         and (g.to_state is not null or s.polls = g.polls_before)
      returning s.id)
    select coalesce(array_agg(m.id), '{}') into written from moved m;
    written_all := written_all + cardinality(written);

    if keeps_counts then
      insert into standing_count (send, campaign, occurrence, day, target_count, sent_count, at)
      select s.id, s.campaign, s.occurrence, (g.at at time zone 'UTC')::date, s.target_count, s.sent_count, g.at
        from unnest(the_ids, the_times, the_targets, the_sents) as g(id, at, target_count, sent_count) join send s on s.id = g.id and lies_in(s.id, low, high)
       where g.id = any(written) and s.mode = 'scheduled' and (g.target_count is not null or g.sent_count is not null)
      on conflict (send, day) do update
         set target_count = excluded.target_count, sent_count = excluded.sent_count, at = excluded.at;
    end if;

    if the_calls is not null then
      with called as materialized (
        select * from jsonb_to_recordset(the_calls)
          as c(id uuid, started_at timestamptz, ended_at timestamptz, request_sent boolean, http_status integer,
               error_code text, answer text, outcome text)),
      -- A call whose send somebody else had moved was made all the same; but the number of an attempt that fires, or that
      -- may be repeated, is no cancel's to take. Who is locked is passed over: these come out of the order of id.
      made as materialized (
        select c.*, s as before from called c join send s on s.id = c.id and lies_in(s.id, low, high)
         where c.id = any(written)
            or coalesce(s.work, '-') not in ('f', 'r', 'u')
               and not exists (select from attempt a where a.send = c.id and lies_in(a.send, low, high) and a.kind = 'cancel' and a.started_at = c.started_at)
           for no key update of s skip locked),
      kept as materialized (select keep_attempts(array_agg(m.before)) from made m),
      noted as (
        update send s set attempts = s.attempts + 1 from made m cross join kept where s.id = m.id and lies_in(s.id, low, high)
        returning s.attempts, m.*)
      insert into attempt (send, attempt, kind, started_at, ended_at, request_sent, http_status, error_code, answer, outcome)
      select n.id, n.attempts, 'cancel', n.started_at, n.ended_at, n.request_sent, n.http_status, n.error_code, n.answer, n.outcome
        from noted n;
    end if;
  end loop;
  return written_all;
end $$;

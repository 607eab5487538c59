-- Called by store/send/poll.store.ts, which explains it. By the primary key of send_open; locks rows in order of id.
-- the_calls: the cancels that were made, null for none. Returns how many rows it wrote. It writes a row once, however often it is called
-- with it: the number of changes fences it and, where the state stays (to is null), the number of polls.
create or replace function record_polls(the_polls poll_row[], the_calls jsonb, by_whom text)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare
  written uuid[];
begin
  with moved as (
    update send s set
           state = case g."to" when 'goal' then coalesce(s.goal, 'canceled') else coalesce(g."to", s.state) end,
           changes = s.changes + case when g."to" is null then 0 else 1 end,
           -- The reason of its cancel stays, whatever the push service says meanwhile.
           code = case when coalesce(g."to", 'goal') = 'goal' then s.code else g.code end,
           detail = case when s.state = 'canceling' and coalesce(g."to", 'goal') = 'goal' then coalesce(g.detail, s.detail)
                         else g.detail end,
           state_at = case when g."to" is null then s.state_at else g.at end,
           state_by = case when g."to" is null then s.state_by else by_whom end,
           next_at = g.next_at, polls = g.polls,
           gateway_status = coalesce(g.gateway_status, s.gateway_status),
           target_count = coalesce(g.target_count, s.target_count), sent_count = coalesce(g.sent_count, s.sent_count),
           complete_time = coalesce(g.complete_time, s.complete_time),
           goal = case when g.drops_goal then null else coalesce(g.goal, s.goal) end
      from unnest(the_polls) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.changes = g.changes and s.state = g."from"
       and (g."to" is not null or s.polls = g.polls_before)
    returning s.id, s.campaign, s.occurrence, s.mode, s.target_count, s.sent_count, g.at,
              num_nonnulls(g.target_count, g.sent_count) > 0 as has_counts),
  counted as (
    insert into standing_count (send, campaign, occurrence, day, target_count, sent_count, at)
    select m.id, m.campaign, m.occurrence, (m.at at time zone 'UTC')::date, m.target_count, m.sent_count, m.at
      from moved m where m.mode = 'scheduled' and m.has_counts
    on conflict (send, day) do update
       set target_count = excluded.target_count, sent_count = excluded.sent_count, at = excluded.at)
  select coalesce(array_agg(m.id), '{}') into written from moved m;
  if the_calls is not null then perform note_cancels(the_calls, written); end if;
  return cardinality(written);
end $$;

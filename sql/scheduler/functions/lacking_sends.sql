-- The sends that the rollups do not have yet, in the caller's snapshot; reports add them (report/over-campaigns/grouped-rows.ts).
-- There are two kinds of rows:
-- 1. Sends that have ended and are not rolled up: weight 1; and sends that a retry has replaced since: weight -1.
-- 2. `living`: sends that may be open; the caller leaves out those that have ended. The sends of an open occurrence that are due in
--    the same minute and equal in all that is measured are one row without id. Its weight is their number, and its times are as far
--    apart as theirs. In an ended occurrence some sends may still be open (rollup_open): these have a row each.
-- For one campaign it reads that campaign's shard, so it may also return sends of others.
-- It is a function so that its plans over all days are cached: planning took most of a report's time. The first query runs only if
-- the sequences of positions show that the cursors may have unread events.
-- ended: the states in which a send ends. Indexes send_event_position (one probe for each hole and day), occurrence_open, send_cell,
-- and the primary keys of sends; locks nothing.
create or replace function lacking_sends(of_campaign uuid, due_from timestamptz, due_to timestamptz, ended text[]) returns table (
    id uuid, weight integer, living boolean, service_id text, campaign uuid, occurrence text, cell text, state text, code text,
    mode text, ended_at timestamptz, retry_of uuid, next_send uuid, request_id text, intended_at timestamptz, due_at timestamptz,
    first_due timestamptz, handed_off_at timestamptz, answered_at timestamptz, complete_time timestamptz,
    target_count integer, sent_count integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  if exists (select from rollup_open) or exists (select from rollup_retry) or exists (
    select from outcome_cursor c cross join cursor_gaps(c.done) gap
     cross join lateral (select format('send_event_position_%s', c.shard)::regclass) as s(positions)
     where c.consumer = 'rollup' and gap.low <= case when has_sequence_privilege(s.positions, 'select, usage')
                           then coalesce(pg_sequence_last_value(s.positions), 0) else gap.low end) then
    return query
    with pending as materialized (
      select e.send, case when e.to_state = any(ended) then 1 else 0 end as weight
        from outcome_cursor c cross join cursor_gaps(c.done) as gap cross join lateral (
          select e.send, e.to_state from send_event e
           where e.shard = c.shard and e.position >= gap.low and e.position < gap.high order by e.position) e
       where c.consumer = 'rollup' and (of_campaign is null or c.shard = campaign_shard(of_campaign))
         and e.send is not null and (e.to_state = any(ended) or e.to_state = 'uncertain')
      union all
      select case n.weight when -1 then r.send_of else r.send end, n.weight from rollup_retry r, (values (-1), (0)) n(weight)
       where of_campaign is null or r.shard = campaign_shard(of_campaign)),
    named as materialized (
      select p.send as id, sum(p.weight)::integer as weight, false as living
        from pending p where p.weight <> 0 group by p.send having sum(p.weight) <> 0
      union all select f.send, 1, true from (
        select o.send from rollup_open o union select p.send from pending p where p.weight = 0) f)
    select s.id, n.weight, n.living, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.code,
           s.mode, s.ended_at, s.retry_of, s.next_send, s.request_id, s.intended_at, s.due_at,
           s.first_due, s.handed_off_at, s.answered_at, s.complete_time, s.target_count, s.sent_count
      from named n cross join lateral (select s.* from send s where s.id = n.id and s.ended_at >= ends_from(n.id) limit 1) s
     where not (n.living and (s.campaign, s.occurrence) in (
       select o.campaign, o.occurrence from open_occurrences(of_campaign, due_from, due_to) o));
  end if;
  return query
  select null::uuid, s.sends, true, s.service_id, o.campaign, o.occurrence, s.cell, s.state, s.code,
         s.mode, 'infinity'::timestamptz, s.retry_of, null::uuid, s.request_id, s.minute - coalesce(s.deferred, interval '0'), s.minute,
         null::timestamptz, null::timestamptz, s.minute + s.answered, s.minute + s.completed, s.target_count, s.sent_count
    from open_occurrences(of_campaign, due_from, due_to) o cross join lateral (
      select s.cell, s.state, s.code, s.mode, date_bin('1 minute', d.due, 'epoch') as minute, s.target_count, s.sent_count,
             s.retry_of is null, s.request_id is null,
             case when d.due > s.intended_at then d.due - s.intended_at end as deferred,
             case when s.mode = 'immediate' then s.answered_at - d.due end as answered,
             s.complete_time - d.due as completed,
             count(*)::integer as sends, any_value(s.service_id) as service_id, any_value(s.retry_of) as retry_of, any_value(s.request_id) as request_id
        from send_open s cross join lateral (values (coalesce(s.first_due, s.due_at))) d(due)
       where s.campaign = o.campaign and s.occurrence = o.occurrence
       group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) s;
end $$;

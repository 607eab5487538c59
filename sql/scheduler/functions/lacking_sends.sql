-- The sends that the rollups lack, for the reports that add them (store/rollup/report-parts.ts), as their snapshot shows them: what is
-- not rolled up yet, ended ones by a weight of 1 and what a retry took the place of by -1, as many as the rollups are behind by; and,
-- `living`, those that may be open, once each: who counts them leaves out those that have ended. For a campaign only its shard is
-- read, so sends of others may be among them. An open occurrence has open sends; of one that has ended some may be open still
-- (rollup_open). A send was made no earlier than a day before its campaign, by whatever clock, and its due may move by two
-- days: other days are not read. A function, so that its plan over all days is kept: to plan it took most of a report's time.
-- ended: the states that a send ends in. Indexes send_event_position, a probe a hole, occurrence_open, send_cell, send_pkey; locks nothing.
create or replace function lacking_sends(of_campaign uuid, due_from timestamptz, due_to timestamptz, ended text[]) returns table (
    id uuid, weight integer, living boolean, service_id text, campaign uuid, occurrence text, cell text, state text, code text,
    mode text, retry_of uuid, next_send uuid, request_id text, intended_at timestamptz, due_at timestamptz,
    first_due timestamptz, handed_off_at timestamptz, answered_at timestamptz, complete_time timestamptz,
    target_count integer, sent_count integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with pending as materialized (
    select e.send, case when e.to_state = any(ended) then 1 else 0 end as weight
      from rollup_cursor c cross join cursor_gaps(c.rolled) as gap cross join lateral (
        select e.send, e.to_state from send_event e
         where e.shard = c.shard and e.position >= gap.low and e.position < gap.high order by e.position) e
     where (of_campaign is null or c.shard = campaign_shard(of_campaign))
       and e.send is not null and (e.to_state = any(ended) or e.to_state = 'uncertain')
    union all
    select case n.weight when -1 then r.send_of else r.send end, n.weight from rollup_retry r, (values (-1), (0)) n(weight)
     where of_campaign is null or r.shard = campaign_shard(of_campaign)),
  living as (
    select s.id from occurrence o cross join lateral (
      select s.id from send s
       where s.campaign = o.campaign and s.occurrence = o.occurrence and s.state <> all(ended)
         and s.id >= uuid_floor(bound_at(o.campaign::text) - interval '1 day') offset 0) s
     where o.state in ('planned', 'running', 'canceling') and (of_campaign is null or o.campaign = of_campaign)
       and (due_from is null or o.last_due is null or o.last_due >= due_from - interval '2 days')
       and (due_to is null or o.first_due is null or o.first_due < due_to + interval '2 days')
    union select o.send from rollup_open o
    union select p.send from pending p where p.weight = 0),
  named as materialized (
    select p.send as id, sum(p.weight)::integer as weight, false as living
      from pending p where p.weight <> 0 group by p.send having sum(p.weight) <> 0
    union all select l.id, 1, true from living l)
  select s.id, n.weight, n.living, s.service_id, s.campaign, s.occurrence, s.cell, s.state, s.code,
         s.mode, s.retry_of, s.next_send, s.request_id, s.intended_at, s.due_at,
         s.first_due, s.handed_off_at, s.answered_at, s.complete_time, s.target_count, s.sent_count
    from named n cross join lateral (select s.* from send s where s.id = n.id limit 1) s;
end $$;

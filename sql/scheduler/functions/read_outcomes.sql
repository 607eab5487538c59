-- Called by store/outcome.store.ts, which says what it is for. A row for each of the shards at least, in the order given.
-- Partitions are pruned here, for nothing is locked: of a send's partitions one is looked into.
create or replace function read_outcomes(the_shards smallint[], rows_of_shard integer, most integer, most_bytes bigint, most_ranges integer)
returns table (shard smallint, ranges integer, hole_top bigint, fillable boolean, restored boolean, seen bigint,
               "position" bigint, kind text, at timestamptz, sequence integer, "from" text, state text, code text, detail text,
               send uuid, cell text, chunk integer, "retryOf" uuid, zone text, occurrence text, revision integer,
               "dueAt" timestamptz, "requestId" text, campaign uuid, "campaignId" text, "serviceId" text, problems jsonb,
               "targetCount" bigint, "sentCount" bigint) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with mine as materialized (
    select c.shard, c.published, c.hole_top, w.turn, (select count(*)::integer from unnest(c.published)) as ranges,
           c.hole_xmax <= pg_snapshot_xmin(pg_current_snapshot()) as fillable,
           c.hole_xmax >= pg_snapshot_xmax(pg_current_snapshot()) as restored
      from unnest(the_shards) with ordinality as w(shard, turn) join publish_cursor c on c.shard = w.shard),
  ahead as materialized (
    select m.turn, e.* from mine m cross join lateral (
      select e.* from unnest('{(,)}'::int8multirange - m.published) as gap cross join lateral (
        select e.* from send_event e
         where e.shard = m.shard and e.position >= lower(gap) and e.position < coalesce(upper(gap), 9223372036854775807)
         order by e.position limit rows_of_shard) e
       where m.ranges <= most_ranges or not upper_inf(gap)
       order by e.position limit rows_of_shard) e
     limit most),
  counted as materialized (
    select a.*, r.reasons, count(*) over () as seen,
           sum(1000 + coalesce(octet_length(a.detail), 0) + coalesce(octet_length(r.reasons::text), 0))
             over (order by a.turn, a.position rows unbounded preceding)
           - 1000 - coalesce(octet_length(a.detail), 0) - coalesce(octet_length(r.reasons::text), 0) as before
      from ahead a left join revision r on a.kind = 'campaign.rejected' and r.campaign = a.campaign and r.revision = a.revision)
  select m.shard, m.ranges, m.hole_top, coalesce(m.fillable, false), coalesce(m.restored, false), coalesce(e.seen, 0),
         e.position, coalesce(e.kind, 'send.' || e.to_state), e.at, e.sequence, e.from_state, e.to_state, e.code, e.detail,
         e.send, s.cell, s.chunk, s.retry_of, l.zone, coalesce(s.occurrence, e.occurrence), coalesce(s.revision, e.revision),
         case when e.to_state in ('uncertain', 'reserved', 'scheduled') then e.due_at else s.due_at end,
         case when e.to_state in ('uncertain', 'reserved', 'scheduled') then e.request_id else s.request_id end,
         c.id, c.campaign_id, c.service_id, e.reasons,
         case when e.send is null then e.target_count
              when e.to_state not in ('accepted', 'uncertain', 'reserved', 'scheduled') then s.target_count end,
         case when e.send is null then e.sent_count
              when e.to_state not in ('accepted', 'uncertain', 'reserved', 'scheduled') then s.sent_count end
    from mine m left join counted e on e.turn = m.turn and e.before < most_bytes
    left join send s on s.id = e.send
    left join campaign c on c.id = coalesce(e.campaign, s.campaign)
    left join cell l on l.campaign = s.campaign and l.occurrence = s.occurrence and l.cell = s.cell
   order by m.turn, e.position;
end $$;

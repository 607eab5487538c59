-- Called by store/send/outcome.store.ts, which says what it is for. In the order of the given shards; a shard without events
-- has a row without position, unless the page is full before. Partitions are pruned here, because nothing is locked: a
-- send is open, or ended in the days from its event on. Each row is found by a probe of its own, whatever the statistics say: with joins, all
-- campaigns were read for a page, and a page's rows compared with every shard.
create or replace function read_outcomes(the_shards smallint[], rows_of_shard integer, most integer, most_bytes bigint, most_ranges integer)
returns table (shard smallint, waits boolean, fill_to bigint, restored boolean, seen bigint,
               "position" bigint, id text, kind text, at timestamptz, sequence integer, "from" text, state text, code text, detail text,
               send uuid, cell text, chunk integer, "retryOf" uuid, zone text, occurrence text, revision integer,
               "dueAt" timestamptz, "requestId" text, campaign uuid, "campaignId" text, "serviceId" text, problems jsonb,
               "targetCount" bigint, "sentCount" bigint) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with mine as materialized (
    select c.shard, c.published, w.turn,
           nullif((select count(*) from unnest(c.published)) > most_ranges, false) as waits,
           nullif(c.hole_xmax >= pg_snapshot_xmax(pg_current_snapshot()), false) as restored,
           case when c.hole_xmax <= pg_snapshot_xmin(pg_current_snapshot())
                 and c.hole_xmax < pg_snapshot_xmax(pg_current_snapshot()) then c.hole_top end as fill_to
      from unnest(the_shards) with ordinality as w(shard, turn) join publish_cursor c on c.shard = w.shard),
  ahead as materialized (
    select m.shard as of_shard, m.turn, m.waits, m.restored, m.fill_to, e.* from mine m left join lateral (
      select e.* from cursor_gaps(m.published) as gap cross join lateral (
        select e.* from send_event e
         where e.shard = m.shard and e.position >= gap.low and e.position < gap.high
         order by e.position limit rows_of_shard) e
       where m.waits is null or gap.high < 9223372036854775807
       order by e.position limit rows_of_shard) e on true
     limit most),
  counted as materialized (
    select a.*, r.reasons, count(a.position) over () as seen,
           sum(1000 + coalesce(octet_length(a.detail), 0) + coalesce(octet_length(r.reasons::text), 0))
             over (order by a.turn, a.position rows unbounded preceding)
           - 1000 - coalesce(octet_length(a.detail), 0) - coalesce(octet_length(r.reasons::text), 0) as before
      from ahead a left join revision r on a.kind = 'campaign.rejected' and r.campaign = a.campaign and r.revision = a.revision)
  select e.of_shard, e.waits, e.fill_to, e.restored, e.seen,
         e.position, coalesce(e.send, c.id) || ':' || e.sequence, coalesce(e.kind, 'send.' || e.to_state), e.at, e.sequence,
         e.from_state, e.to_state, e.code, e.detail,
         e.send, s.cell, s.chunk, s.retry_of, l.zone, coalesce(s.occurrence, e.occurrence), coalesce(s.revision, e.revision),
         case when send_state_is_volatile(e.to_state) then e.due_at else s.due_at end,
         case when send_state_is_volatile(e.to_state) then e.request_id else s.request_id end,
         c.id, c.campaign_id, c.service_id, e.reasons,
         case when e.send is null then e.target_count
              when send_state_is_ended(e.to_state) then s.target_count end,
         case when e.send is null then e.sent_count
              when send_state_is_ended(e.to_state) then s.sent_count end
    from counted e
    left join lateral (select s.* from send s where s.id = e.send and s.ended_at >= e.at - interval '1 day' limit 1) s on true
    left join lateral (select c.* from campaign c where c.id = coalesce(e.campaign, s.campaign) limit 1) c on true
    left join lateral (select l.zone from cell l
                        where l.campaign = s.campaign and l.occurrence = s.occurrence and l.cell = s.cell limit 1) l on true
   where e.before < most_bytes
   order by e.turn, e.position;
end $$;

-- Called by outcomes/publish/outcome.store.ts, which explains it: returns as outcomes the events that read_log() reads for the publisher.
-- Partitions can be pruned because nothing is locked: a send is open, or has ended no more than a day before its event. Each row is
-- found by its own probe, whatever the statistics say: with joins, PostgreSQL read all campaigns for a page, and compared its rows with
-- every shard.
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
  with ahead as materialized (
    select l.shard as of_shard, l.turn, l.waits, l.restored, l.fill_to, (l.event).*
      from read_log('publish', the_shards, rows_of_shard, most, most_ranges) l),
  counted as materialized (
    select a.*, r.reasons, count(a.position) over () as seen,
           sum(1000 + coalesce(octet_length(a.detail), 0) + coalesce(octet_length(r.reasons::text), 0))
             over (order by a.turn, a.position rows unbounded preceding)
           - 1000 - coalesce(octet_length(a.detail), 0) - coalesce(octet_length(r.reasons::text), 0) as before
      from ahead a left join revision r on a.kind in ('campaign.rejected', 'campaign.revision-rejected') and r.campaign = a.campaign and r.revision = a.revision)
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

-- Called by every consumer to read a page: the next events of these shards that its cursor has not read, in the order of the given
-- shards and of the positions. Events beyond a hole are read too: the missing position belongs to a transaction that has not committed
-- yet. A shard without events has one row without event, unless the page is full before. The function is stable, so that it reads in
-- the snapshot of the calling statement: in its own snapshot it found events whose sends that statement did not see yet. Index
-- send_event_position, with one probe for each hole and one above the top: every page costs the same, however much was read or waits.
-- Locks nothing.
create or replace function read_log(the_consumer text, the_shards smallint[], rows_of_shard integer, most integer, most_ranges integer)
returns table (shard smallint, turn bigint, waits boolean, fill_to bigint, restored boolean, event send_event) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with mine as materialized (
    select c.shard, c.done, w.turn,
           nullif((select count(*) from unnest(c.done)) > most_ranges, false) as waits,
           nullif(c.hole_xmax >= pg_snapshot_xmax(pg_current_snapshot()), false) as restored,
           case when c.hole_xmax <= pg_snapshot_xmin(pg_current_snapshot())
                 and c.hole_xmax < pg_snapshot_xmax(pg_current_snapshot()) then c.hole_top end as fill_to
      from unnest(the_shards) with ordinality as w(shard, turn)
     cross join lateral (select c.* from outcome_cursor c where c.consumer = the_consumer and c.shard = w.shard limit 1) c)
  select m.shard, m.turn, m.waits, m.fill_to, m.restored, e.event from mine m left join lateral (
    select e.event, e.position from cursor_gaps(m.done) as gap cross join lateral (
      select e as event, e.position from send_event e
       where e.shard = m.shard and e.position >= gap.low and e.position < gap.high
       order by e.position limit rows_of_shard) e
     where m.waits is null or gap.high < 9223372036854775807
     order by e.position limit rows_of_shard) e on true
   order by m.turn, e.position
   limit most;
end $$;

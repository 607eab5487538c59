-- Called by store/rollup/roll-up.store.ts: the next events of these shards that are not rolled up, read behind rollup_cursor as
-- read_outcomes() reads unpublished ones; see there. A shard without events has a row without position, unless the page is full
-- before. Stable, so that it reads in the snapshot of the statement that calls it: in one of its own it found events whose
-- sends that statement did not see yet, and these were never added. Index send_event_position, a probe for each hole and one
-- above the top; locks nothing.
create or replace function unrolled_events(the_shards smallint[], rows_of_shard integer, most integer, most_ranges integer)
returns table (shard smallint, waits boolean, fill_to bigint, restored boolean, "position" bigint, send uuid, to_state text) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  with mine as materialized (
    select c.shard, c.rolled, w.turn,
           nullif((select count(*) from unnest(c.rolled)) > most_ranges, false) as waits,
           nullif(c.hole_xmax >= pg_snapshot_xmax(pg_current_snapshot()), false) as restored,
           case when c.hole_xmax <= pg_snapshot_xmin(pg_current_snapshot())
                 and c.hole_xmax < pg_snapshot_xmax(pg_current_snapshot()) then c.hole_top end as fill_to
      from unnest(the_shards) with ordinality as w(shard, turn) join rollup_cursor c on c.shard = w.shard)
  select m.shard, m.waits, m.fill_to, m.restored, e.position, e.send, e.to_state from mine m left join lateral (
    select e.* from cursor_gaps(m.rolled) as gap cross join lateral (
      select e.* from send_event e
       where e.shard = m.shard and e.position >= gap.low and e.position < gap.high
       order by e.position limit rows_of_shard) e
     where m.waits is null or gap.high < 9223372036854775807
     order by e.position limit rows_of_shard) e on true
   order by m.turn, e.position
   limit most;
end $$;

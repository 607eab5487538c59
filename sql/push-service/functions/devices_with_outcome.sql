-- Returns which of these devices have an outcome of the firing. Uses the primary key of one partition: the firing's id names it.
-- It is planned anew each time, so that no partition is pruned while it runs (src/platform/database/pooled-database.ts).
create or replace function devices_with_outcome(firing bigint, devices bigint[]) returns setof bigint language plpgsql stable
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
as $$ begin
  return query select d.device_id from delivery d where d.firing_id = firing and d.device_id = any(devices);
end $$;

-- How many outcomes a firing has so far, by the columns of a breakdown. Reads all rows of the firing, in one partition.
create or replace function outcomes_of(firing bigint)
  returns table (outcome text, reason text, device_type text, country text, language text, timezone integer, count bigint)
  language plpgsql stable set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
as $$
#variable_conflict use_column
begin
  return query select d.outcome, d.reason, d.device_type, d.country, d.language, d.timezone, count(*)
    from delivery d where d.firing_id = firing group by 1, 2, 3, 4, 5, 6;
end $$;

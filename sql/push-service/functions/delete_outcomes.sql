-- Deletes at most `most` outcomes of firings that are removed before the partition of their day is dropped. Returns how many:
-- fewer than `most` only when none is left. The payloads of a firing are deleted with its last outcomes. Each statement reads one
-- partition and is planned for it anew.
create or replace function delete_outcomes(firings bigint[], most integer) returns integer language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
as $$
declare
  firing bigint;
  gone integer := 0;
  of_one integer;
begin
  foreach firing in array firings loop
    delete from delivery d where d.firing_id = firing and d.device_id = any(array(
      select o.device_id from delivery o where o.firing_id = firing order by o.device_id limit most - gone));
    get diagnostics of_one = row_count;
    gone := gone + of_one;
    exit when gone >= most;
    delete from payload p where p.firing_id = firing;
  end loop;
  return gone;
end $$;

-- Drops a day of send_event if all of it is published. Nobody can tell anything while this waits for its lock, so it waits
-- for moments only, and ends with 55P03. Index send_event_position of that day, a probe a hole.
create or replace function drop_event_day(name text) returns boolean language plpgsql
  set lock_timeout = '500ms' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare waits boolean;
begin
  lock table send_event in access exclusive mode;
  execute format('select exists (
    select from publish_cursor c cross join lateral cursor_gaps(c.published) as gap
     where exists (select from %I e where e.shard = c.shard and e.position >= gap.low and e.position < gap.high))', name) into waits;
  if waits then return false; end if;
  execute format('drop table %I', name);
  return true;
end $$;

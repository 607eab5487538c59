-- Called by send_write_history for sends that have just ended: moves their recipients, notes and attempts to the day of their end, as
-- the sends themselves. Recipients are kept only if the send may be retried; of others only their number remains (send.recipients). By
-- the primary keys of the open partitions; locks only rows of sends that the caller has locked.
create or replace function move_with_ended(the_ends ended_send[]) returns void language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
begin
  if the_ends is null then return; end if;
  delete from send_recipients r using unnest(the_ends) as g
   where r.send = any(array[g.id]) and r.send_ended_at = 'infinity' and not g.retryable;
  if exists (select from unnest(the_ends) as g where g.retryable) then
    update send_recipients r set send_ended_at = g.ended_at from unnest(the_ends) as g
     where r.send = any(array[g.id]) and r.send_ended_at = 'infinity';
  end if;
  update send_note n set send_ended_at = g.ended_at from unnest(the_ends) as g
   where n.send = any(array[g.id]) and n.send_ended_at = 'infinity';
  update attempt a set send_ended_at = g.ended_at from unnest(the_ends) as g
   where a.send = any(array[g.id]) and a.send_ended_at = 'infinity';
end $$;

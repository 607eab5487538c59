-- Called by send_write_history for sends that have just ended: what belongs to a send lies in the day of its end, as the send
-- does. The ids that it went to are kept there only where the send may be retried; of the others nothing remains but their
-- number (send.recipients). By the primary keys of the open parts; locks only rows of the sends that the caller has locked.
create or replace function lay_with_ended(the_ids uuid[], the_ends timestamptz[], the_retryable boolean[]) returns void language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  if the_ids is null then return; end if;
  delete from send_recipients r using unnest(the_ids, the_retryable) as g(id, retryable)
   where r.send = g.id and r.send_ended_at = 'infinity' and not g.retryable;
  if true = any(the_retryable) then
    update send_recipients r set send_ended_at = g.ended_at from unnest(the_ids, the_ends) as g(id, ended_at)
     where r.send = g.id and r.send_ended_at = 'infinity';
  end if;
  update send_note n set send_ended_at = g.ended_at from unnest(the_ids, the_ends) as g(id, ended_at)
   where n.send = g.id and n.send_ended_at = 'infinity';
  update attempt a set send_ended_at = g.ended_at from unnest(the_ids, the_ends) as g(id, ended_at)
   where a.send = g.id and a.send_ended_at = 'infinity';
end $$;

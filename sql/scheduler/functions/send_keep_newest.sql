-- Ensures that a chunk has one newest send: a retry is inserted only as the next of the send that it retries, and a next that
-- was named stays. (There is one first send for each chunk, because its cell's row is written once, by the transaction that
-- inserts them.) Called only for retries and where next_send is set again, so no other change of a send pays for it. Reads the
-- older send by its primary key, from its earliest day on, and locks nothing, because the transaction that named the next
-- holds that row. Tells the rollups that the older send does not count any more (docs/decisions/0054).
create or replace function send_keep_newest() returns trigger language plpgsql
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on as $$
begin
  if tg_op = 'INSERT' and exists (
       select from send o
        where o.id = new.retry_of and o.ended_at >= ends_from(new.retry_of) and o.next_send = new.id
          and o.campaign = new.campaign and o.occurrence = new.occurrence and o.cell = new.cell and o.chunk = new.chunk) then
    insert into rollup_retry (send, send_of, shard) values (new.id, new.retry_of, campaign_shard(new.campaign));
    return null;
  end if;
  raise exception 'another send took the place of send %', case tg_op when 'INSERT' then new.retry_of else new.id end
    using errcode = 'unique_violation', constraint = 'send_newest';
end $$;

-- Not where a send moves to the day of its end, which is an insert there.
create or replace trigger send_next_born after insert on send
  for each row when (new.retry_of is not null and new.changes = 1) execute function send_keep_newest();
create or replace trigger send_next_named after update of next_send on send
  for each row when (old.next_send is not null and new.next_send is distinct from old.next_send)
  execute function send_keep_newest();

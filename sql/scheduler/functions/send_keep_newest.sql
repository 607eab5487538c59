-- Ensures that a chunk has one newest send: a retry can be inserted only as the next_send of the send that it retries, and a next_send
-- that is set stays. (Each chunk has one first send, because its cell is inserted once, by the transaction that inserts these sends.)
-- Called only for retries and when next_send is set again, so other changes of a send cost nothing. Reads the older send by its primary
-- key, from its earliest day on. Locks nothing, because the transaction that set next_send has locked that row. Inserts into
-- rollup_retry, so that the rollups no longer count the older send (docs/decisions/0054).
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

-- Not when a send moves to the day of its end, which is an insert into that partition.
create or replace trigger send_next_born after insert on send
  for each row when (new.retry_of is not null and new.changes = 1) execute function send_keep_newest();
create or replace trigger send_next_named after update of next_send on send
  for each row when (old.next_send is not null and new.next_send is distinct from old.next_send)
  execute function send_keep_newest();

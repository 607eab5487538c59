-- Every statement that changes state also sets changes = changes + 1, state_at and state_by; code and detail with it.
-- No nested loops: the plans are cached from the first, small statement, and on a batch of n they would compare n × n
-- rows. No sequential scans: the campaigns are few when the plan is made, and many later.
create or replace function send_write_history() returns trigger language plpgsql
  set enable_nestloop = off set enable_seqscan = off set enable_hashjoin = on as $$
begin
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select n.id, n.changes, o.state,
         case when t.to_state is null or n.changes <> o.changes + 1
              then send_refuse_arrow(n.id, o.state, n.state) else n.state end,
         n.code, n.detail, n.state_at, n.state_by
    from old_send o join new_send n on n.id = o.id
    left join send_transition t on t.from_state = o.state and t.to_state = n.state
   where o.state <> n.state;
  if not found then return null; end if;
  -- Nothing tells of it, but it opens its occurrence again for whoever is just closing it.
  if exists (select from old_send where state = 'uncertain') then
    insert into campaign_touched (campaign, occurrence)
    select distinct n.campaign, n.occurrence from new_send n join old_send o on o.id = n.id
     where o.state = 'uncertain' and n.state <> o.state and not send_state_is_told(n.state);
  end if;
  -- Told, and a reason to look whether the campaign has begun or ended: handed off, ended or uncertain.
  with told as (
    insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                        from_state, to_state, code, detail, due_at, request_id, target_count, sent_count)
    select uuid_at(n.state_at), campaign_shard(n.campaign), n.state_at, n.campaign, n.id, n.changes, n.revision,
           n.occurrence, n.cell, n.chunk, n.retry_of, o.state, n.state, n.code, n.detail, n.due_at, n.request_id,
           n.target_count, n.sent_count
      from new_send n join old_send o on o.id = n.id
     where n.state <> o.state and send_state_is_told(n.state)
    returning campaign, occurrence, to_state)
  insert into campaign_touched (campaign, occurrence, told, began)
  select t.campaign, t.occurrence, true, bool_or(t.to_state not in ('canceled', 'expired', 'skipped', 'superseded'))
    from told t group by t.campaign, t.occurrence;
  if found then perform pg_notify('carillon_publish', ''); end if;
  return null;
end $$;

create or replace trigger send_moved after update on send referencing old table as old_send new table as new_send
  for each statement execute function send_write_history();

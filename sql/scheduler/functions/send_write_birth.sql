-- After sends are inserted, once for each statement: refuses states in which no send begins, and writes events of sends that are
-- inserted as ended. Reads only the new rows, by no index, and only inserts, so that writers never wait for each other here.
create or replace function send_write_birth() returns trigger language plpgsql as $$
begin
  if exists (select from new_send where not send_state_is_born(state)) then
    raise exception 'a send does not begin in that state'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  -- A retry opens its occurrence again: a closer that is just closing it sees the touch.
  insert into campaign_touched (campaign, occurrence) select distinct campaign, occurrence from new_send where retry_of is not null;
  insert into send_event (position, at, send, sequence, shard, to_state, code, detail)
  select event_position(campaign_shard(campaign)), state_at, id, changes, campaign_shard(campaign), state, code, detail
    from new_send where send_state_is_published(state);
  if not found then return null; end if;
  insert into campaign_touched (campaign, occurrence, published)
  select distinct campaign, occurrence, true from new_send where send_state_is_published(state);
  return null;
end $$;

create or replace trigger send_born after insert on send referencing new table as new_send
  for each statement execute function send_write_birth();

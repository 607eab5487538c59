-- After sends are inserted, once per statement however many they are: refuses a birth in a state that has a past, begins
-- their history, and tells of those that ended as they were born. Reads the new rows alone, by no index, and inserts
-- only: writers never wait for each other here.
create or replace function send_write_birth() returns trigger language plpgsql as $$
begin
  if exists (select from new_send where state not in ('planned', 'expired', 'skipped')) then
    raise exception 'a send begins as planned, expired or skipped'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select id, changes, null, state, code, detail, state_at, state_by from new_send;
  -- A retry opens its occurrence again for whoever is just closing it.
  insert into campaign_touched (campaign, occurrence) select distinct campaign, occurrence from new_send where retry_of is not null;
  if not exists (select from new_send where send_state_is_told(state)) then return null; end if;
  insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                      from_state, to_state, code, detail, due_at)
  select uuid_at(state_at), campaign_shard(campaign), state_at, campaign, id, changes, revision, occurrence, cell, chunk,
         retry_of, null, state, code, detail, due_at
    from new_send where send_state_is_told(state);
  insert into campaign_touched (campaign, occurrence, told)
  select distinct campaign, occurrence, true from new_send where send_state_is_told(state);
  perform pg_notify('carillon_publish', '');
  return null;
end $$;

create or replace trigger send_born after insert on send referencing new table as new_send
  for each statement execute function send_write_birth();

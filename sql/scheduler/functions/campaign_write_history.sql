-- After every change of state: its row of campaign_history, under the number that campaign_keep_history gave
-- it, and a touch for the closer where nothing else may ever come to touch the campaign. Inserts only, no index is read;
-- the one lock is that of the foreign key, on the campaign's row, which the statement holds already.
create or replace function campaign_write_history() returns trigger language plpgsql as $$
begin
  insert into campaign_history (campaign, sequence, from_state, to_state, code, detail, at, by)
  values (new.id, new.history, old.state, new.state, new.code, new.detail,
          new.state_at, new.state_by);
  -- A campaign without one send ends too.
  if new.state in ('planned', 'canceling') then insert into campaign_touched (campaign) values (new.id); end if;
  return null;
end $$;

create or replace trigger campaign_moved after update on campaign for each row when (old.state is distinct from new.state)
  execute function campaign_write_history();

-- To be said: its index and its locks.
create or replace function campaign_write_history() returns trigger language plpgsql as $$
begin
  insert into campaign_history (campaign, sequence, from_state, to_state, code, detail, at, by)
  values (new.id, new.history, case when tg_op = 'UPDATE' then old.state end, new.state, new.code, new.detail,
          new.state_at, new.state_by);
  -- A campaign without one send ends too.
  if new.state in ('planned', 'canceling') then insert into campaign_touched (campaign) values (new.id); end if;
  return null;
end $$;

create or replace trigger campaign_born after insert on campaign for each row execute function campaign_write_history();

create or replace trigger campaign_moved after update on campaign for each row when (old.state is distinct from new.state)
  execute function campaign_write_history();

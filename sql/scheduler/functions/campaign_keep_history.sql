-- Before every change of a campaign: refuses a state change that campaign_transition does not list, and an insert in any state but
-- accepted. Counts the change, so that no statement sets history itself, and counts its event where that is written at once; an
-- insert is the first. The primary key of campaign_transition; locks nothing but the row that is written.
create or replace function campaign_keep_history() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.state = old.state then return new; end if;
  if tg_op = 'UPDATE' then
    if not exists (select from campaign_transition t where t.from_state = old.state and t.to_state = new.state) then
      raise exception 'campaign % may not go from % to %', new.id, old.state, new.state
        using errcode = 'check_violation', constraint = 'campaign_transition';
    end if;
    new.history := old.history + 1;
    if not campaign_ends_with_sums(new.state) then new.outcomes := old.outcomes + 1; end if;
  elsif new.state <> 'accepted' then
    raise exception 'a campaign begins as accepted, not as %', new.state
      using errcode = 'check_violation', constraint = 'campaign_transition';
  else
    new.outcomes := 1;
  end if;
  return new;
end $$;

create or replace trigger campaign_check_state before insert or update on campaign
  for each row execute function campaign_keep_history();

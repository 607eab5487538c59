-- Writes the event of an end that includes sums (campaign_ends_with_sums); campaign_write_birth and campaign_write_history write all
-- other events. Uses write_campaign_event: the primary key of campaign, and its row, which the transaction has locked already. That
-- function updates the row without a change of state, so no event is written twice.
create or replace function campaign_write_end() returns trigger language plpgsql as $$
begin
  perform write_campaign_event(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $$;

-- Deferred to the commit: so the event includes sums of occurrences that the transaction writes after the campaign's state.
drop trigger if exists campaign_ended on campaign;
create constraint trigger campaign_ended after update on campaign deferrable initially deferred
  for each row when (old.state is distinct from new.state and campaign_ends_with_sums(new.state)) execute function campaign_write_end();

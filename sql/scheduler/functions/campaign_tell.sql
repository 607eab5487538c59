-- Tells the ends that come with sums (campaign_ends_with_sums); campaign_write_birth and campaign_write_history tell all else. Uses
-- tell_campaign: the primary key of campaign, and its row, which the transaction has locked already. tell_campaign writes that row
-- without a change of state, so nothing is told twice.
create or replace function campaign_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $$;

-- Deferred to the commit: the sums of occurrences that a transaction writes after the campaign's state are told too.
drop trigger if exists campaign_tell_move on campaign;
create constraint trigger campaign_tell_move after update on campaign deferrable initially deferred
  for each row when (old.state is distinct from new.state and campaign_ends_with_sums(new.state)) execute function campaign_tell();

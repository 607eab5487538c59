-- Tells the ends that come with sums (campaign_ends_with_sums); all else is told by campaign_write_birth and campaign_write_history.
-- Through tell_campaign: the primary key of campaign, and its
-- row, which the transaction holds already. What that writes there changes no state, so it tells nothing again.
create or replace function campaign_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $$;

-- Deferred to the commit: the sums of occurrences that a transaction writes after the campaign's state are told too.
drop trigger if exists campaign_tell_move on campaign;
create constraint trigger campaign_tell_move after update on campaign deferrable initially deferred
  for each row when (old.state is distinct from new.state and campaign_ends_with_sums(new.state)) execute function campaign_tell();

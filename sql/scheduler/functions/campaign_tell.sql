-- Tells every state that a campaign moves to; its birth tells campaign_write_birth. Through tell_campaign: the primary key of campaign, and its
-- row, which the transaction holds already. What that writes there changes no state, so it tells nothing again.
create or replace function campaign_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $$;

-- Deferred to the commit: what a transaction writes after the campaign's state (its revision's reasons) is told too.
drop trigger if exists campaign_tell_move on campaign;
create constraint trigger campaign_tell_move after update on campaign deferrable initially deferred
  for each row when (old.state is distinct from new.state) execute function campaign_tell();

-- Writes the event of an occurrence that is completed. Uses write_campaign_event: the primary key of campaign, and its row, which the
-- closer has locked in order of id; only the closer completes occurrences (store/send/close.store.ts).
create or replace function occurrence_write_end() returns trigger language plpgsql as $$
begin
  perform write_campaign_event(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $$;

create or replace trigger occurrence_ended after update on occurrence
  for each row when (old.state <> 'completed' and new.state = 'completed') execute function occurrence_write_end();

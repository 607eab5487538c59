-- Tells that an occurrence is completed. Uses tell_campaign: the primary key of campaign, and the lock of its row, which the
-- closer took before, in order of id; only the closer completes occurrences (store/send/close.store.ts).
create or replace function occurrence_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $$;

create or replace trigger occurrence_tell_end after update on occurrence
  for each row when (old.state <> 'completed' and new.state = 'completed') execute function occurrence_tell();

-- To be said: its index and its locks.
create or replace function occurrence_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $$;

create or replace trigger occurrence_tell_end after update on occurrence
  for each row when (old.state <> 'completed' and new.state = 'completed') execute function occurrence_tell();

-- Before a send comes to a state in which it ends: sets ended_at, by which it moves to the partition of that day, to the instant of
-- the change. If a clock was set back or is behind another machine's, the day is not earlier than where the send is looked for: from
-- its id on (ends_from), and from the change before on, whose event may not be published yet (read_outcomes).
create or replace function send_to_day_of_end() returns trigger language plpgsql as $$
begin
  new.ended_at := greatest(new.state_at, ends_from(new.id), old.state_at - interval '1 day');
  return new;
end $$;

create or replace trigger send_ends before update on send
  for each row when (old.ended_at = 'infinity' and send_state_is_ended(new.state)) execute function send_to_day_of_end();

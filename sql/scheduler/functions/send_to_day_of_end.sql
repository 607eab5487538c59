-- Before a send comes to a state in which it ends: it moves to the day of its end, which is when it came to that state.
create or replace function send_to_day_of_end() returns trigger language plpgsql as $$
begin
  new.ended_at := new.state_at;
  return new;
end $$;

create or replace trigger send_ends before update on send
  for each row when (old.ended_at = 'infinity' and send_state_is_ended(new.state)) execute function send_to_day_of_end();

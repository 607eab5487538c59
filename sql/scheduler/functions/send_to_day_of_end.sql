-- Before a send comes to a state in which it ends: it moves to the day of its end, which is when it came to that state. Where a clock
-- was set back meanwhile, or another machine's is behind, it lies no further back than where it is looked for: by its id
-- (ends_from), and by the change before, whose event may be unpublished still (read_outcomes).
create or replace function send_to_day_of_end() returns trigger language plpgsql as $$
begin
  new.ended_at := greatest(new.state_at, ends_from(new.id), old.state_at - interval '1 day');
  return new;
end $$;

create or replace trigger send_ends before update on send
  for each row when (old.ended_at = 'infinity' and send_state_is_ended(new.state)) execute function send_to_day_of_end();

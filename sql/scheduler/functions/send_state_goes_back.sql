-- Whether an act on the campaign takes the send back at once.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_goes_back(state text) returns boolean language sql immutable as $$
  select state in ('planned', 'held')
$$;

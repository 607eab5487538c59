-- Whether an act on the campaign has to ask the push service for the send.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_asked_back(state text) returns boolean language sql immutable as $$
  select state in ('reserved', 'scheduled')
$$;

-- Whether a revision may still replace the send, at once or once the answer to a call is known.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_replaceable(state text) returns boolean language sql immutable as $$
  select state in ('planned', 'sending', 'reserved', 'scheduled', 'canceling', 'held')
$$;

-- Whether a cancel ends the send at once.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_ends_on_cancel(state text) returns boolean language sql immutable as $$
  select state in ('planned', 'held')
$$;

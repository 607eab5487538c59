-- Whether the answer to a call may still decide what becomes of the send.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_awaited(state text) returns boolean language sql immutable as $$
  select state in ('sending', 'uncertain')
$$;

-- Whether a revision took the send back.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_replaced(state text) returns boolean language sql immutable as $$
  select state in ('superseded')
$$;

-- Whether a cancel has to wait for an answer that has not come yet.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_waits_on_cancel(state text) returns boolean language sql immutable as $$
  select state in ('sending', 'canceling', 'uncertain')
$$;

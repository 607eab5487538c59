-- Whether an operator may retry a send that ended in this state.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_retryable(state text) returns boolean language sql immutable as $$
  select state in ('failed', 'stale', 'rejected', 'expired')
$$;

-- Whether a send may be inserted in this state.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_born(state text) returns boolean language sql immutable as $$
  select state in ('planned', 'expired', 'skipped')
$$;

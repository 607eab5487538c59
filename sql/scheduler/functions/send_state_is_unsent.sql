-- Whether the send ended before anything was handed off.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_unsent(state text) returns boolean language sql immutable as $$
  select state in ('canceled', 'expired', 'skipped', 'superseded')
$$;

-- Whether nothing follows but a retry.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_ended(state text) returns boolean language sql immutable as $$
  select state in ('sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded')
$$;

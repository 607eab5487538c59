-- Whether it is published as an outcome.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_published(state text) returns boolean language sql immutable as $$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected', 'canceled', 'expired', 'skipped', 'superseded')
$$;

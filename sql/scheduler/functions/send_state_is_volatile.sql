-- Whether the due and the requestId may change after it was published, so that its event keeps them.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_is_volatile(state text) returns boolean language sql immutable as $$
  select state in ('reserved', 'scheduled', 'uncertain')
$$;

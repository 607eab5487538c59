-- Whether a cancel has to ask the push service.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_asks_on_cancel(state text) returns boolean language sql immutable as $$
  select state in ('reserved', 'scheduled')
$$;

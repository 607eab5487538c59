-- Whether an act on the campaign has to wait for an answer that is under way.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function send_state_waits(state text) returns boolean language sql immutable as $$
  select state in ('sending', 'canceling', 'uncertain')
$$;

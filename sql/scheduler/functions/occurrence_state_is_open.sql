-- Whether sends of the occurrence may still be open.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function occurrence_state_is_open(state text) returns boolean language sql immutable as $$
  select state in ('planned', 'running', 'canceling')
$$;

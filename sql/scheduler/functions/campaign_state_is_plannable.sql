-- Whether a plan may be due.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function campaign_state_is_plannable(state text) returns boolean language sql immutable as $$
  select state in ('accepted', 'planning', 'awaiting-approval', 'planned', 'running')
$$;

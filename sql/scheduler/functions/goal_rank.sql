-- How far a goal has risen; 0: the send has none.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function goal_rank(goal text) returns integer language sql immutable as $$
  select coalesce(array_position(array['held', 'superseded', 'canceled'], goal), 0)
$$;

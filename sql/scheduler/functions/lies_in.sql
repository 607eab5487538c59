-- Whether a send's id lies in a day of days_of. Known when a statement is planned, it leaves one partition of the table. The
-- bounds are in arrays, so that they are no condition of an index: otherwise the planner might read the day instead of the ids,
-- above all while it knows nothing of a new day's rows. One expression, which is inlined.
create or replace function lies_in(id uuid, low uuid, high uuid) returns boolean language sql immutable as $$
  select id >= all (array[low]) and id < all (array[high])
$$;

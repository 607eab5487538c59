-- Whether a send's id lies in a day of days_of. Known when a statement is planned, it leaves one partition of the table. The
-- bounds in arrays, so that they are no condition of an index: with one, the planner may read the day instead of the ids,
-- above all where it knows nothing yet of a new day's rows. One expression: it is put in place.
create or replace function lies_in(id uuid, low uuid, high uuid) returns boolean language sql immutable as $$
  select id >= all (array[low]) and id < all (array[high])
$$;

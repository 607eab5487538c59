-- The id of a firing that is made at that instant, by the clock that it is made by. In order of their making within a day.
create or replace function next_firing(at timestamptz) returns bigint language sql volatile strict as $$
  select firing_floor(at) + nextval('firing_number')
$$;

-- The id of a firing that is made at that instant of the service's clock. Within a day, ids are in the order in which firings are
-- made.
create or replace function next_firing(at timestamptz) returns bigint language sql volatile strict as $$
  select firing_floor(at) + nextval('firing_number')
$$;

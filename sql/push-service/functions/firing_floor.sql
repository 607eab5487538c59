-- The smallest id that a firing of that day (UTC) can have: the days since 1970, above 40 bits of a running number. So the id of
-- a firing alone names the partitions of its outcomes, and its day need not be stored.
create or replace function firing_floor(at timestamptz) returns bigint language sql immutable strict as $$
  select floor(extract(epoch from at) / 86400)::bigint << 40
$$;

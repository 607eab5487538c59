-- The least id that a firing of that day (UTC) can have: its days since 1970 above 40 bits of a running number. So whoever
-- has a firing's id can name the partitions that its outcomes lie in, and nobody carries the day beside it.
create or replace function firing_floor(at timestamptz) returns bigint language sql immutable strict as $$
  select floor(extract(epoch from at) / 86400)::bigint << 40
$$;

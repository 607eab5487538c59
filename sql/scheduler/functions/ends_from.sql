-- The earliest instant at which a send of this id (UUIDv7) may have ended, whatever the clocks of replicas: a day before the
-- id was made. Where it bounds ended_at, earlier days are not read. One expression, which is inlined: the day is taken off the
-- number, because "timestamptz - interval" is no immutable operator, and then each of three calls a send costs 7 µs.
create or replace function ends_from(id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0 - 86400)
$$;

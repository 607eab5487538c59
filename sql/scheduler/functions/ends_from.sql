-- The earliest instant at which a send of this id (UUIDv7) may have ended, even if clocks of replicas differ: a day before the id was
-- made. A statement that bounds ended_at by it does not read earlier days. One expression, which the planner inlines. The day is
-- subtracted from the number: "timestamptz - interval" is not immutable, so nothing would be inlined, and each of three calls for a
-- send would cost 7 µs.
create or replace function ends_from(id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0 - 86400)
$$;

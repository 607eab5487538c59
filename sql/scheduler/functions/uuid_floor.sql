-- The lowest UUIDv7 of an instant: its first 48 bits are the instant, and all others are zero.
create or replace function uuid_floor(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

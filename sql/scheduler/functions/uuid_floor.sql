-- A UUIDv7 whose first 48 bits are the instant and whose other bits are zero: the lower bound of the ids made from then on.
create or replace function uuid_floor(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

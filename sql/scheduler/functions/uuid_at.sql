-- A UUIDv7 of that instant. One expression: the planner puts it in place instead of calling.
create or replace function uuid_at(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_byte(overlay(uuid_send(gen_random_uuid())
                           placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
                         6, 112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15)), 'hex')::uuid
$$;

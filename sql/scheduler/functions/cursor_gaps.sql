-- The positions of a shard that a cursor has not read: from low up to, but without, high. The planner inlines it into the calling
-- statement, which can then use its index.
create or replace function cursor_gaps(done int8multirange) returns table (low bigint, high bigint)
  language sql immutable as $$
  select lower(gap), coalesce(upper(gap), 9223372036854775807) from unnest('{(,)}'::int8multirange - done) as gap
$$;

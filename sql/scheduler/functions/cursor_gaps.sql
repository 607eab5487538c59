-- The positions of a shard that are not published: from low up to, without it, high. Where it is called it becomes part of the
-- statement, whose index it is read by.
create or replace function cursor_gaps(published int8multirange) returns table (low bigint, high bigint)
  language sql immutable as $$
  select lower(gap), coalesce(upper(gap), 9223372036854775807) from unnest('{(,)}'::int8multirange - published) as gap
$$;

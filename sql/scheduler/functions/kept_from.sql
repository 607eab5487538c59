-- The instant from which on the rows of a table are kept: sends by their end, events by their receipt. A day that is being removed
-- counts as gone. It reads in the caller's snapshot, so that it agrees with the rows that the caller sees.
create or replace function kept_from(parent text) returns timestamptz language sql stable as $$
  select min(p.low) from day_partition p where p.parent = kept_from.parent and isfinite(p.low) and not p.is_going
$$;

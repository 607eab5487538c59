-- From which instant on the rows of a table are kept whole: those before it that outlived their day lie in …_old. A day that
-- is being taken off is gone: as the snapshot of whoever asks shows it, so it agrees with the rows that he sees.
create or replace function kept_from(parent text) returns timestamptz language sql stable as $$
  select min(p.low) from day_partition p where p.parent = kept_from.parent and p.low > '-infinity' and not p.is_going
$$;

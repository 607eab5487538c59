-- Adds the partition of a day to a table that is partitioned by UUIDv7 or by instant. Idempotent: does nothing where a
-- partition holds that day already. The first partition of a table comes with `_old`, which holds everything from before it. A
-- day before the oldest is never made, because it may have gone, and what is kept of it would not be told any more. `_old`
-- holds such a day instead, and locks everybody out for a moment if it must be widened, which happens only when a clock was set
-- back. It fails with 55P03 while the partition of such a day is being detached: nothing can be written there any more, and the
-- day is made anew once it is gone. The partition is made on its own and then attached: ATTACH locks out other ATTACHes, but no
-- writers, readers or dumps, while PARTITION OF would lock out all of them. Its rows need no check, because it has none yet.
create or replace function add_day_partition(parent text, day timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low    timestamptz := date_trunc('day', day, 'UTC');
  high   timestamptz := low + interval '24 hours';
  name   text := parent || to_char(low at time zone 'UTC', '_YYYY_MM_DD');
  oldest timestamptz;
  going  text;
begin
  -- One process at a time, of all replicas. Who drops what was detached takes this lock as well.
  perform pg_advisory_xact_lock(hashtext('add_day_partition'));
  oldest := (select min(p.low) from day_partition p where p.parent = add_day_partition.parent and isfinite(p.low));
  if day < oldest then
    execute format('lock table only %I in access exclusive mode', parent);
  end if;
  if exists (select from day_partition p where p.parent = add_day_partition.parent and p.low <= day and day < p.high and not p.is_going) then
    return false;
  end if;
  going := (select min(p.name) from day_partition p
             where p.parent = add_day_partition.parent and p.is_going and p.low <= day and (day < p.high or day < oldest));
  if going is not null then
    raise exception '% is being detached', going using errcode = 'lock_not_available';
  end if;
  if day < oldest then
    if exists (select from day_partition p where p.name = add_day_partition.parent || '_old') then
      execute format('alter table %I detach partition %I', parent, parent || '_old');
    else
      -- Left over of DETACH CONCURRENTLY, which left a check of the days that it held; finishDrops() would drop it as well.
      execute format('drop table if exists %I', parent || '_old');
    end if;
    perform attach_days(parent, parent || '_old', '-infinity', oldest);
    return false;
  end if;
  if oldest is null then
    perform attach_days(parent, parent || '_old', '-infinity', low);
  end if;
  perform attach_days(parent, name, low, high);
  return true;
end $$;

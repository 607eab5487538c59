-- Adds the partition of a day to a table, by the UUIDv7 of its (owner's) id or by an instant, as the table is partitioned;
-- idempotent, and nothing where a partition holds that day already. The first one of a table comes with `_old`, which holds
-- whatever is from before it. A day before the oldest is never made: it may have gone, and what is kept of it would be told
-- of no more. `_old` holds it then, and locks everybody out for a moment where it has to be widened: of a clock that was set
-- back. Made apart and attached: ATTACH locks out other ATTACHes, but neither who writes nor who reads
-- or dumps, where PARTITION OF would lock out all of them. It needs no check of its rows, for it has none yet.
create or replace function add_day_partition(parent text, day timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low    timestamptz := date_trunc('day', day, 'UTC');
  high   timestamptz := low + interval '24 hours';
  name   text := parent || to_char(low at time zone 'UTC', '_YYYY_MM_DD');
  oldest timestamptz;
begin
  -- One process at a time, of all replicas.
  perform pg_advisory_xact_lock(hashtext('add_day_partition'));
  if exists (select from day_partition p where p.parent = add_day_partition.parent and p.low <= day and day < p.high) then
    return false;
  end if;
  oldest := (select min(p.low) from day_partition p where p.parent = add_day_partition.parent and p.low > '-infinity');
  if day < oldest then
    execute format('lock table only %I in access exclusive mode', parent);
    if exists (select from day_partition p where p.name = add_day_partition.parent || '_old') then
      execute format('alter table %I detach partition %I', parent, parent || '_old');
    end if;
    perform attach_days(parent, parent || '_old', '-infinity', oldest);
    return false;
  end if;
  if not exists (select from day_partition p where p.parent = add_day_partition.parent) then
    perform attach_days(parent, parent || '_old', '-infinity', low);
  end if;
  perform attach_days(parent, name, low, high);
  return true;
end $$;

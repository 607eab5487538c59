-- Adds the partition of a day to a table that is partitioned by an instant; idempotent, and as patient as
-- add_month_partition. A day whose rows already lie in the default partition is left there.
create or replace function add_day_partition(parent text, day timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low  timestamptz := date_trunc('day', day, 'UTC');
  name text := parent || to_char(low at time zone 'UTC', '_YYYY_MM_DD');
begin
  perform pg_advisory_xact_lock(hashtext('add_month_partition'));
  if exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    return false;
  end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, low, low + interval '1 day');
  return true;
exception when check_violation then
  return false;
end $$;

-- Adds the partition of a month to a table that is partitioned by its (owner's) UUIDv7; idempotent. Nobody can use the
-- table while this waits for its lock, so it waits for moments only, and ends with 55P03. A month whose rows already lie
-- in the default partition is left there.
create or replace function add_month_partition(parent text, month_of timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low  timestamptz := date_trunc('month', month_of, 'UTC');
  name text := parent || to_char(low at time zone 'UTC', '_YYYY_MM');
begin
  perform pg_advisory_xact_lock(hashtext('add_month_partition'));
  -- Not by to_regclass: its cache need not know yet what another has made while this one waited.
  if exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    return false;
  end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)',
    name, parent, uuid_floor(low), uuid_floor(low + interval '1 month'));
  return true;
exception when check_violation then
  return false;
end $$;

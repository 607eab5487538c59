-- Adds the partition of a day to a table, by the UUIDv7 of its (owner's) id or by an instant, as the table is partitioned;
-- idempotent. It is filled as the default partition is. Nobody can use the table while this waits for its lock, so it waits for moments only, and ends with 55P03. A
-- day whose rows already lie in the default partition is left there.
create or replace function add_day_partition(parent text, day timestamptz) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  low  timestamptz := date_trunc('day', day, 'UTC');
  high timestamptz := low + interval '24 hours';
  name text := parent || to_char(low at time zone 'UTC', '_YYYY_MM_DD');
  bounds text := '(%L) to (%L)';
  filled text;
begin
  perform pg_advisory_xact_lock(hashtext('add_day_partition'));
  -- Not by to_regclass: its cache need not know yet what another has made while this one waited.
  if exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    return false;
  end if;
  bounds := case when exists (
      select from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
       where p.partrelid = to_regclass(format('%I', parent)) and a.atttypid = 'uuid'::regtype)
    then format(bounds, uuid_floor(low), uuid_floor(high)) else format(bounds, low, high) end;
  select ' with (' || array_to_string(c.reloptions, ', ') || ')' into filled from pg_class c
   where c.oid = to_regclass(format('%I', parent || '_default'));
  execute format('create table %I partition of %I for values from ', name, parent) || bounds || coalesce(filled, '');
  return true;
exception when check_violation then
  return false;
end $$;

-- bound_old
-- Says of …_old, while everybody goes on, that all of it lies before `high`, to be validated by the caller next: so it is
-- attached up to there without being looked through (carry_day). Waits for moments only, and ends with 55P03.
create or replace function bound_old(parent text, high timestamptz) returns void language plpgsql
  set lock_timeout = '200ms' as $$
declare
  key text := (select a.attname from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
                where p.partrelid = to_regclass(format('%I', parent)));
begin
  execute format('alter table %I drop constraint if exists %I', parent || '_old', parent || '_old_ends');
  execute format('alter table %I add constraint %I check (%I < %L) not valid',
                 parent || '_old', parent || '_old_ends', key, uuid_floor(high));
end $$;

-- Notes, as a check that is not validated yet, that all rows of …_old lie before `high`, while everybody goes on. The caller
-- validates it next, so that carry_day() attaches the table up to there without scanning it. Waits for moments only, and fails
-- with 55P03.
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

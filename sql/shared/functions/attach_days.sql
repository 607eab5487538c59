-- Attaches a table as the partition of these days, and makes it if there is none of that name. Called by everything that makes,
-- drops and widens partitions. Rows that the table has already are scanned.
create or replace function attach_days(parent text, name text, low timestamptz, high timestamptz) returns void language plpgsql as $$
declare
  key regtype := (
    select a.atttypid from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
     where p.partrelid = to_regclass(format('%I', parent)));
  -- Where each part has a primary key of its own, it is that of the part of what is open.
  key_columns text := (
    select string_agg(quote_ident(a.attname), ', ' order by k.place)
      from pg_constraint c cross join unnest(c.conkey) with ordinality as k(column_number, place)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.column_number
     where c.conrelid = to_regclass(format('%I', parent || '_open')) and c.contype = 'p' and c.coninhcount = 0);
  floor_at text := low::text;
  ceiling_at text := high::text;
begin
  if not exists (select from pg_class c where c.relname = name and c.relnamespace = current_schema()::regnamespace) then
    execute format('create table %I (like %I including all)', name, parent);
    if key_columns is not null then execute format('alter table %I add primary key (%s)', name, key_columns); end if;
  end if;
  -- By the first id of a day: each service has the function for its own kind of id.
  if low > '-infinity' and key = 'uuid'::regtype then floor_at := uuid_floor(low)::text; end if;
  if low > '-infinity' and key = 'bigint'::regtype then floor_at := firing_floor(low)::text; end if;
  if key = 'uuid'::regtype then ceiling_at := uuid_floor(high)::text; end if;
  if key = 'bigint'::regtype then ceiling_at := firing_floor(high)::text; end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%L)', parent, name,
                 case when low = '-infinity' then 'minvalue' else quote_literal(floor_at) end, ceiling_at);
end $$;

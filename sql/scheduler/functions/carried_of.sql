-- How much of a day outlives it (day_carried), for one of its tables: rows, and their stored bytes. Only reads.
create or replace function carried_of(parent text, name text, out carried bigint, out bytes bigint) language plpgsql stable as $$
declare
  key text := (select a.attname from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
                where p.partrelid = to_regclass(format('%I', parent)));
  -- By columns: of a row as a whole it would read what lies apart.
  sizes text := (select string_agg(format('coalesce(pg_column_size(d.%I), 0)', a.attname), ' + ') from pg_attribute a
                  where a.attrelid = to_regclass(format('%I', parent)) and a.attnum > 0 and not a.attisdropped);
begin
  execute format('select count(*), coalesce(sum(%s), 0) from %I d where d.%I in (select c.id from day_carried c)', sizes, name, key)
     into carried, bytes;
end $$;

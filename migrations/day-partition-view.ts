/** The view that the functions of sql/shared/ read, in both schemas. */
export const DAY_PARTITION = `
-- The partitions of the schema's tables, the days of each, and whether it is being detached. low is -infinity for rows from
-- before the oldest day (…_old).
create view day_partition as
select p.relname::text as parent, c.relname::text as name, i.inhdetachpending as is_going, bound_at(bounds[1]) as low, bound_at(bounds[2]) as high
  from pg_partitioned_table t join pg_class p on p.oid = t.partrelid join pg_inherits i on i.inhparent = p.oid
  join pg_class c on c.oid = i.inhrelid
 cross join lateral regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM [(]''?(.*?)''?[)] TO [(]''?(.*?)''?[)]$') as bounds
 where p.relnamespace = current_schema()::regnamespace;`;

/** Makes the partitions of the first days, so that a new database takes rows at once. */
export const FIRST_DAYS = `
do $$ begin
  for n in -1..3 loop
    perform add_day_partition(c.relname, clock_timestamp() + n * interval '24 hours')
       from pg_partitioned_table p join pg_class c on c.oid = p.partrelid where c.relnamespace = current_schema()::regnamespace;
  end loop;
end $$;`;

-- Takes a day off a table and carries the rows that outlive it (day_carried) into …_old, which then reaches to the end of that
-- day: in one step, so that nobody finds a row missing in between. Locks out everybody from the table meanwhile, some 20 µs a
-- row, so the caller bounds rows, bytes and time. It waits for its lock only for moments, because later statements wait behind
-- it, and fails with 55P03; so it does while an earlier day of the table is half detached, with which a longer …_old would
-- overlap. What …_old holds already is not scanned: bound_old() has noted before that it lies below.
create or replace function carry_day(parent text, name text, high timestamptz) returns integer language plpgsql
  set lock_timeout = '200ms' as $$
declare
  key text := (select a.attname from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
                where p.partrelid = to_regclass(format('%I', parent)));
  members text := (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                    where a.attrelid = to_regclass(format('%I', parent)) and a.attnum > 0 and not a.attisdropped and a.attgenerated = '');
  carried integer;
begin
  if exists (select from day_partition p where p.parent = carry_day.parent and p.is_going) then
    raise exception 'a day of % is being detached', parent using errcode = 'lock_not_available';
  end if;
  -- Without its other days, which a vacuum may hold for hours: whoever reads or writes them asks for the table first.
  execute format('lock table only %I in access exclusive mode', parent);
  execute format('alter table %I detach partition %I', parent, name);
  execute format('alter table %I detach partition %I', parent, parent || '_old');
  execute format('insert into %I (%s) select %s from %I d where d.%I in (select c.id from day_carried c)',
                 parent || '_old', members, members, name, key);
  get diagnostics carried = row_count;
  perform attach_days(parent, parent || '_old', '-infinity', high);
  execute format('alter table %I drop constraint if exists %I', parent || '_old', parent || '_old_ends');
  return carried;
end $$;

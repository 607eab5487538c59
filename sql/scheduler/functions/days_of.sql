-- The days of these ids (UUIDv7), earliest first, each as the bounds of its partition. A statement that writes to sends runs a
-- day at a time, so that it opens, locks and plans one partition, however many there are. Such a function plans its statements
-- at every call, because only then the day is known (0.3 ms a statement; a plan made once for a hundred partitions took 3 ms to
-- start). Only such functions switch pruning on: with one partition left, nothing is pruned while the statement runs, which
-- PostgreSQL 18.4 does not survive in all cases (platform/database/pooled-database.ts).
create or replace function days_of(ids uuid[]) returns table (low uuid, high uuid) language plpgsql immutable
  set plan_cache_mode = force_generic_plan as $$
declare
  next_id uuid;
  day bigint;
begin
  high := '00000000-0000-0000-0000-000000000000';
  loop
    select g.id into next_id from unnest(ids) as g(id) where g.id >= high order by g.id limit 1;
    exit when not found;
    day := ('x' || translate(left(next_id::text, 13), '-', ''))::bit(48)::bigint / 86400000;
    low := uuid_floor('epoch'::timestamptz + day * interval '24 hours');
    high := uuid_floor('epoch'::timestamptz + (day + 1) * interval '24 hours');
    return next;
  end loop;
end $$;

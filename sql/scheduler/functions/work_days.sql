-- Called by store/send/work-days.store.ts, which says what it is for: the days whose sends hold work, as at most four ranges of
-- ids, and how many partitions those are. Index send_work, its head in each partition. Reads only, and locks nothing.
create or replace function work_days(at timestamptz, out lows uuid[], out highs uuid[], out days integer) language plpgsql stable
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on set enable_seqscan = off set enable_sort = off as $$
declare
  -- Whose clock is another, or who began to write before midnight, bears sends into the day before or after.
  early date := ((at - interval '10 minutes') at time zone 'UTC')::date;
  late  date := ((at + interval '10 minutes') at time zone 'UTC')::date;
begin
  with named as materialized (
    select right(c.relname, 10)::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'send'::regclass and c.relname <> 'send_default'),
  day as materialized (
    select d.day, uuid_floor(d.day::timestamp at time zone 'UTC') as low, uuid_floor((d.day + 1)::timestamp at time zone 'UTC') as high
      from (select to_date(n.name, 'YYYY_MM_DD') as day from named n) d),
  held as materialized (
    select d.* from day d
     where d.day between early and late
        -- In the index's order, or it would be the primary key's: of all that ended.
        or exists (select from send s where s.id >= d.low and s.id < d.high and s.work is not null and s.next_at is not null
                    order by s.service_id, s.work, s.next_at, s.chunk, s.id limit 1)),
  -- Days side by side are a range; all but the newest three ranges are one, with what lies between.
  range as (
    select min(w.low::text)::uuid as low, max(w.high::text)::uuid as high
      from (select h.*, least(4, dense_rank() over (order by h.day - h.place desc)) as range
              from (select h.*, (row_number() over (order by h.day))::integer as place from held h) h) w
     group by w.range)
  select array_agg(r.low), array_agg(r.high), sum((select count(*) from day d where d.low >= r.low and d.high <= r.high))
    into lows, highs, days from range r
   where (select count(*) from day d where d.day between early and late) = 1 + late - early
     and not exists (select from send_default s where s.work is not null and s.next_at is not null);
  -- What lies in no day's partition may lie anywhere.
  if lows is null then
    lows := '{00000000-0000-0000-0000-000000000000}';
    highs := '{ffffffff-ffff-ffff-ffff-ffffffffffff}';
    days := (select count(*) from pg_inherits i where i.inhparent = 'send'::regclass);
  end if;
end $$;

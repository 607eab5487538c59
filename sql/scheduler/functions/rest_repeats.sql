-- Called by store/send/repeat.store.ts: takes next_at from uncertain sends that are too late to be repeated, because they wait only for
-- an operator. Otherwise each read would have to skip all of them, for as long as they are kept. Finds them by index send_work; then by
-- primary keys, in order of id.
create or replace function rest_repeats(at timestamptz, most integer) returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare
  ids uuid[];
begin
  select array_agg(r.id) into ids from project p cross join lateral (
    select s.id from send_repeat s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and s.repeat_until < at
     order by s.next_at, s.chunk, s.id limit most) r
   where not p.extensions @> array['close-key', 'idempotency-key'];
  update send s set next_at = null from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'uncertain' and s.next_at <= at;
  return coalesce(cardinality(ids), 0);
end $$;

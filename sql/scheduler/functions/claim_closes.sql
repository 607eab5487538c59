-- Called by store/send/close-key.store.ts, which explains it. Index send_work, a few sends of each project; then by primary keys, in
-- order of id. again_at: when another process may take them, if this one does not settle them.
create or replace function claim_closes(at timestamptz, most integer, again_at timestamptz)
returns table (id uuid, service_id text, campaign uuid, revision integer, occurrence text, cell text, chunk integer, retries integer,
               released integer, attempts integer, mode text, due_ms float8, handed_off_ms float8) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
#variable_conflict use_column
declare
  ids uuid[];
begin
  select array_agg(d.id order by d.id) into ids from project p cross join lateral (
    select s.id from send_open s
     where s.service_id = p.service_id and s.work = 'r' and s.next_at <= at and coalesce(s.handed_off_at, '-infinity') >= p.keys_since
     order by s.next_at, s.chunk, s.id limit most) d
   where (p.blocked_until is null or p.blocked_until <= at or p.blocked_code = 'STOPPED')
     and p.extensions @> array['close-key', 'idempotency-key'];
  if ids is null then return; end if;
  return query
  update send s set next_at = again_at from unnest(ids) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'uncertain' and s.request_id is null and s.next_at <= at
  returning s.id, s.service_id, s.campaign, s.revision, s.occurrence, s.cell, s.chunk, s.retries, s.released, s.attempts, s.mode,
            epoch_ms(s.due_at), epoch_ms(coalesce(s.handed_off_at, s.state_at));
end $$;

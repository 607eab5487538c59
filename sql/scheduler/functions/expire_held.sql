-- Called by store/send/expire-held.store.ts, which says what it is for: a page of one occurrence whose sends an act holds, or an
-- approval that is awaited, and of which some are later than their revision allows, or past its until where they have no due. Returns how many ended. Candidates come from
-- the marks and the last due of their occurrences (index occurrence_pkey), sends by the index send_cell; locked in order of id.
create or replace function expire_held(at timestamptz, most integer, the_default_beyond text, the_default_max_ms float8)
returns integer language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
declare
  late uuid[];
  ended integer;
begin
  select l.ids into late
    from campaign_act k
    join occurrence o on o.campaign = k.campaign and act_holds(k.mark, k.occurrence, o.occurrence)
     and occurrence_state_is_open(o.state) and coalesce(o.last_due, '-infinity') < at
   -- Each revision is read once, and not for each send: data may be a megabyte. Those that end no send are left out.
   cross join lateral (
     select * from (
       select r.revision, to_timestamp((r.data #>> '{delivery,until}')::float8 / 1000) as until,
              case when coalesce(r.data #>> '{policy,lateness,beyond}', the_default_beyond) = 'expire'
                   then coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, the_default_max_ms) * interval '1 millisecond' end as most_late
         from revision r where r.campaign = o.campaign offset 0) read
      where until is not null or most_late is not null) p
   cross join lateral (
     select array_agg(s.id order by s.id) as ids from (
       select s.id from send_open s
        where s.campaign = o.campaign and s.occurrence = o.occurrence and s.revision = p.revision and s.state = 'held'
          and case when s.due_at is null then p.until <= at else s.due_at + p.most_late < at end
        order by s.cell, s.chunk limit most) s) l
   where k.goal = 'held' and k.done_at is not null and l.ids is not null
   limit 1;
  update send s set state = 'expired', changes = s.changes + 1, code = case when s.due_at is null then 'UNTIL_PASSED' else 'LATE' end, detail = 'its time passed while it was held',
         state_at = at, state_by = 'acts', next_at = null
    from unnest(late) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'held';
  get diagnostics ended = row_count;
  return ended;
end $$;

-- Called by store/claim.store.ts, which says what it is for. the_rooms: of projects by their id; the others have
-- room_of_others. What was to leave by late_from is late.
create or replace function claim_sends(at timestamptz, up_to timestamptz, late_from timestamptz, by_whom text, token uuid, lease interval,
                            most integer, the_rooms jsonb, room_of_others integer, round bigint)
returns table (id uuid, service_id text, campaign uuid, revision integer, chunk integer, mode text, mode_rule text, schedule_code text,
               intended_ms float8, due_ms float8, hand_off_ms float8, attempts integer, by_hand boolean, zone text) language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  with room as materialized (
    select p.service_id, coalesce((the_rooms ->> p.service_id)::integer, room_of_others) as room
      from project p
     where (p.resting_until is null or p.resting_until <= at)
       and coalesce((the_rooms ->> p.service_id)::integer, room_of_others) > 0
     -- A draw each round: a project of weight w comes before another of weight 1 in w of w + 1 rounds.
     order by -ln(((hashtextextended(p.service_id, round) & 9007199254740991) + 0.5) / 9007199254740992) / p.weight),
  fresh as materialized (
    select d.id, room.service_id from room cross join lateral (
      select s.id from send s
       where s.service_id = room.service_id and s.work = 'f' and s.state || '' = 'planned' and s.next_at > late_from and s.next_at <= up_to
       order by s.next_at, s.chunk, s.id limit room.room for no key update skip locked) d
     limit most),
  late as materialized (
    select d.id, d.campaign, room.service_id from room cross join lateral (
      select s.id, s.campaign from send s
       where s.service_id = room.service_id and s.work = 'f' and s.state || '' = 'planned' and s.next_at <= late_from
       order by s.next_at, s.chunk, s.id
       limit greatest((room.room + 1) / 2,
                      room.room - (select count(*) from fresh f where f.service_id = room.service_id))
         for no key update skip locked) d
     limit greatest((most + 1) / 2, most - (select count(*) from fresh))),
  -- Of what is late the newest few as well, where they are another campaign's than the oldest. Looked at without a lock:
  -- mostly they are not.
  seen as materialized (
    select d.id from room cross join lateral (
      select s.id, s.campaign from send s
       where s.service_id = room.service_id and s.work = 'f' and s.state || '' = 'planned' and s.next_at <= late_from
       order by s.next_at desc, s.chunk desc, s.id desc limit least(64, (room.room + 3) / 4)) d
     where not exists (select from late l where l.service_id = room.service_id and l.campaign = d.campaign)),
  newest as materialized (
    select s.id from seen join send s on s.id = seen.id where s.state || '' = 'planned' for no key update of s skip locked),
  due as materialized (select f.id from fresh f union all select l.id from late l union all select n.id from newest n),
  claimed as (
    update send s set state = 'claimed', changes = s.changes + 1, code = null, detail = null, state_at = at,
           state_by = by_whom, claim_token = token, lease_until = clock_timestamp() + lease
      from due where s.id = due.id and s.state || '' = 'planned'
    returning s.*)
  select s.id, s.service_id, s.campaign, s.revision, s.chunk, s.mode, s.mode_rule, s.schedule_code,
         (extract(epoch from s.intended_at) * 1000)::float8, (extract(epoch from s.due_at) * 1000)::float8,
         (extract(epoch from s.next_at) * 1000)::float8, s.attempts, s.retry_of is not null, c.zone
    from claimed s join cell c on c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell;
end $$;

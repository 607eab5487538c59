-- Called by store/send/revise.store.ts, which explains it: a page of the chunks that a revision changes (send_next), in order of its
-- primary key, from behind the given place. the_hold: what their sends become that have not left. the_goal: the same while the
-- revision only looks; else what the held ones become in whose place the new sends are inserted, with their cells, in this
-- transaction. A chunk whose send cannot be taken back any more, or whose occurrence is in no state of takes, is late: nothing is
-- inserted for it. One whose send waits for an answer stays for the next pass. The caller has locked the act, so nobody else works on
-- these rows. Locks the occurrences, in order of name, against a cancel of one; then sends in order of id. Indexes send_next_pkey,
-- send_next_id and send_cell.
create or replace function revise_page(of_campaign uuid, after_occurrence text, after_cell text, after_chunk integer, most integer,
                                       at timestamptz, by_whom text, the_hold text, the_goal text, why text, more text, takes text[])
returns table (seen integer, moved integer, waits integer, late integer, last_occurrence text, last_cell text, last_chunk integer)
  language plpgsql
  -- Planned anew: a page may be one chunk or hundreds, and the table grows from empty with each revision.
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
#variable_conflict use_column
declare
  -- The page; those of it that stay in it; the sends in their place; and of the sends that are replaced, by which of the page.
  page uuid[];
  waiting uuid[];
  sends uuid[];
  taken uuid[];
  lines uuid[];
  closed text[];
begin
  select count(*)::integer, array_agg(n.id), (array_agg(n.occurrence))[count(*)], (array_agg(n.cell))[count(*)], (array_agg(n.chunk))[count(*)]
    into seen, page, last_occurrence, last_cell, last_chunk
    from (select n.id, n.occurrence, n.cell, n.chunk from send_next n
           where n.campaign = of_campaign
             and (after_occurrence is null or (n.occurrence, n.cell, n.chunk) > (after_occurrence, after_cell, after_chunk))
           order by n.occurrence, n.cell, n.chunk limit most) n;
  select 0, 0, 0 into moved, waits, late;
  if seen = 0 then return next; return; end if;
  select coalesce(array_agg(o.occurrence) filter (where o.state <> all(takes)), '{}') into closed
    from (select o.occurrence, o.state from occurrence o
           where o.campaign = of_campaign and o.occurrence in (select n.occurrence from send_next n where n.id = any(page))
           order by o.occurrence for share) o;
  select array_agg(s.id order by s.id) into sends
    from send_next n
    join send_open s on s.campaign = n.campaign and s.occurrence = n.occurrence and s.cell = n.cell and s.chunk = n.chunk
   where n.id = any(page) and n.what <> 'new' and n.occurrence <> all(closed) and s.next_send is null;
  moved := take_back_sends(sends, at, by_whom, the_hold, why, more, null, null);
  select coalesce(array_agg(n.id), '{}') into waiting
    from unnest(sends) as g(id) join send_open s on s.id = any(array[g.id])
    join send_next n on n.campaign = s.campaign and n.occurrence = s.occurrence and n.cell = s.cell and n.chunk = s.chunk
   where send_state_is_replaceable(s.state) and not send_state_goes_back(s.state);
  waits := cardinality(waiting);
  if the_goal = the_hold then return next; return; end if;

  -- Nobody knows whether these went: if an answer proves that one did not, it comes to this goal, and nothing takes its place.
  update send s set goal = the_goal from unnest(sends) as g(id)
   where s.id = any(array[g.id]) and s.ended_at = 'infinity' and send_state_waits(s.state) and not send_state_is_replaceable(s.state)
     and goal_rank(s.goal) < goal_rank(the_goal);
  select array_agg(s.id order by s.id), array_agg(n.id order by s.id) into taken, lines
    from unnest(sends) as g(id) join send_open s on s.id = any(array[g.id])
    join send_next n on n.campaign = s.campaign and n.occurrence = s.occurrence and n.cell = s.cell and n.chunk = s.chunk
   where s.state = the_hold;
  -- Before the end of the sends that have them, with which they would be deleted.
  update send_recipients r set send = n.id, send_ended_at = case when send_state_is_ended(n.state) then at else 'infinity' end
    from unnest(taken, lines) as g(id, line)
    join send_next n on n.id = g.line and n.what = 'changed' and n.ids is null
     and (not send_state_is_ended(n.state) or send_state_is_retryable(n.state))
   where r.send = any(array[g.id]) and r.send_ended_at = 'infinity';
  update send s set state = the_goal, next_send = case n.what when 'changed' then n.id end, changes = s.changes + 1, code = why,
         detail = more, state_at = at, state_by = by_whom, next_at = null, goal = null
    from unnest(taken, lines) as g(id, line) join send_next n on n.id = g.line
   where s.id = any(array[g.id]) and s.ended_at = 'infinity';

  with placed as materialized (
    select n.* from send_next n
     where n.id = any(page) and (n.what = 'new' and n.occurrence <> all(closed) or n.what = 'changed' and n.id = any(lines))),
  counted as materialized (
    select p.occurrence, p.cell, count(*) filter (where p.what = 'new')::integer as more from placed p group by 1, 2),
  celled as (
    insert into cell as c (campaign, occurrence, cell, revision, zone, zone_source, segment, device_type, country, target, local_reading,
                           intended_at, due_at, hand_off_at, mode, mode_rule, verdicts, skipped_code, chunks, recipients)
    select k.campaign, k.occurrence, k.cell, k.revision, k.zone, k.zone_source, k.segment, k.device_type, k.country, k.target, k.local_reading,
           k.intended_at, k.due_at, k.hand_off_at, k.mode, k.mode_rule, k.verdicts, k.skipped_code, n.more, k.recipients
      from counted n join cell_next k on k.campaign = of_campaign and k.occurrence = n.occurrence and k.cell = n.cell
     order by k.occurrence, k.cell
    on conflict on constraint cell_pkey do update set revision = excluded.revision, target = excluded.target,
      local_reading = excluded.local_reading, intended_at = excluded.intended_at, due_at = excluded.due_at,
      hand_off_at = excluded.hand_off_at, mode = excluded.mode, mode_rule = excluded.mode_rule, verdicts = excluded.verdicts,
      skipped_code = excluded.skipped_code, recipients = excluded.recipients,
      chunks = c.chunks + excluded.chunks),
  addressed as (
    insert into send_recipients (send, send_ended_at, recipients)
    select p.id, case when send_state_is_ended(p.state) then at else 'infinity' end, p.ids
      from placed p
     where p.ids is not null and (not send_state_is_ended(p.state) or send_state_is_retryable(p.state))),
  sent as (
    insert into send (id, ended_at, recipients, service_id, campaign, revision, occurrence, cell, chunk, state, code, detail, mode, mode_rule,
                      schedule_code, intended_at, due_at, next_at, state_at, state_by, created_at)
    select p.id, case when send_state_is_ended(p.state) then at else 'infinity' end, p.recipients, p.service_id, p.campaign, p.revision,
           p.occurrence, p.cell, p.chunk, p.state, p.code, p.detail, p.mode, p.mode_rule, p.schedule_code, p.intended_at, p.due_at,
           p.next_at, at, p.state_by, at
      from placed p)
  select count(*) from placed into moved;
  -- A cell of which nothing is left was sent to nobody (send_write_history counts its chunks down).
  delete from cell c using send_next n
   where n.id = any(lines) and n.what <> 'changed'
     and c.campaign = n.campaign and c.occurrence = n.occurrence and c.cell = n.cell and c.chunks = 0;
  late := (select count(*)::integer from send_next n
            where n.id = any(page) and n.id <> all(waiting) and n.id <> all(coalesce(lines, '{}'))
              and (n.what in ('changed', 'gone') or n.what = 'new' and n.occurrence = any(closed)));
  delete from send_next n where n.id = any(page) and n.id <> all(waiting);
  moved := seen - waits - late;
  return next;
end $$;

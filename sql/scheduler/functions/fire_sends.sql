-- Called by store/send/fire.store.ts, which explains it. By the primary key of send_open. Changes no indexed column.
-- Rows are locked in order of id: only send and the given rows are joined before the lock, so the rest are subselects.
-- An attempt that the row already had goes to the table attempt (keep_attempts).
-- A send that an act takes back comes to the act's goal here: if it stayed planned, each look-ahead would read it again until the
-- act's page comes. These rows are locked after rows with higher ids. So it skips rows that others have locked: to wait for them
-- could deadlock and undo the whole fire. A later fire or the page moves those sends. The act's row is locked as well, or skipped: so
-- a resume begins after the commit of this fire, and finds what it has held.
-- on_server: the only server on which it fires (server_identity); null: any.
create or replace function fire_sends(the_orders fire_order[], at timestamptz, by_whom text, by_replica uuid, on_server text)
returns table (id uuid, attempt integer, released integer, occurrence text, cell text, chunk integer, retries integer,
               recipients text[], target jsonb) language plpgsql
  set plan_cache_mode = force_generic_plan set enable_partition_pruning = on
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set seq_page_cost = 1000000 as $$
#variable_conflict use_column
declare
  fired integer;
  before send[];
begin
  if on_server <> server_identity() then
    -- The caller tries again after an error of this class.
    raise exception 'the database server was restarted or replaced: sends are fired again after the search for lost commits'
      using errcode = 'serialization_failure', constraint = 'same_server';
  end if;
  if exists (select from unnest(the_orders) as g where g.attempts > 0) then
    select array_agg(l.s) into before
      from (select s from unnest(the_orders) as g join send s on s.id = any(array[g.id]) and s.ended_at = 'infinity'
             order by s.id for no key update of s) l;
  end if;
  return query
  with fired as (
    update send s set state = 'sending', changes = s.changes + 1, code = null, detail = null, state_at = g.at, state_by = by_whom,
           mode = g.mode, mode_rule = g.mode_rule, due_at = coalesce(g.due_at, s.due_at),
           attempts = s.attempts + 1, fired_by = by_replica, handed_off_at = g.at, attempt_started_at = null, attempt_ended_at = null,
           request_sent = null, http_status = null, error_code = null, answer = null, outcome = null
      from unnest(the_orders) as g
     where s.id = any(array[g.id]) and s.ended_at = 'infinity' and s.state = 'planned' and s.attempts = g.attempts and s.revision = g.revision
       and (select p.blocked_until is null or p.blocked_until <= fire_sends.at from project p where p.service_id = s.service_id)
       and (select not exists (
              select from campaign_act k
               where k.campaign = s.campaign and act_holds(k.mark, k.occurrence, s.occurrence) and k.goal is not null))
    returning s.id, s.attempts, s.released, s.campaign, s.occurrence, s.cell, s.chunk, s.retries)
  select f.id, f.attempts, f.released, f.occurrence, f.cell, f.chunk, f.retries, r.recipients, c.target
    from fired f
   cross join lateral (select c.target from cell c where c.campaign = f.campaign and c.occurrence = f.occurrence and c.cell = f.cell limit 1) c
    left join lateral (select r.recipients from send_recipients_open r where r.send = f.id limit 1) r on true;
  get diagnostics fired = row_count;
  if before is not null then
    perform keep_attempts(array_agg(b)) from unnest(before) b join send_open s on s.id = any(array[b.id]) and s.attempts > b.attempts;
  end if;
  if fired = cardinality(the_orders) then return; end if;
  with free as materialized (
    select o.id, k.goal, k.code, k.detail, k.asked_by
      from unnest(the_orders) as g
      join send_open o on o.id = any(array[g.id]) and o.state = 'planned' and o.attempts = g.attempts
      cross join lateral (
        select k.goal, k.code, k.detail, k.asked_by from campaign_act k
         where k.campaign = o.campaign and act_holds(k.mark, k.occurrence, o.occurrence) and k.goal is not null
         order by goal_rank(k.goal) desc, k.occurrence nulls first limit 1 for share of k skip locked) k
       for no key update of o skip locked)
  update send s set state = f.goal, changes = s.changes + 1, code = f.code, detail = f.detail, state_at = fire_sends.at,
         state_by = f.asked_by, next_at = null
    from free f where s.id = any(array[f.id]) and s.ended_at = 'infinity';
end $$;

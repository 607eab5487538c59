-- Called by store/cancel.store.ts, which says what it is for. Index send_cell from where the last page ended; of a chunk
-- only the newest send is counted, and open. Rows are locked in order of id.
create or replace function take_back_page(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer, most integer,
                               at timestamptz, by_whom text, why text, more text)
returns table (seen integer, moved integer, last_occurrence text, last_cell text, last_chunk integer) language plpgsql
  -- Planned anew: one occurrence or all of them, and from where on, are different scans.
  set plan_cache_mode = force_custom_plan set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  return query
  with page as materialized (
    select s.occurrence, s.cell, s.chunk, s.id from send s
     where s.campaign = of_campaign and s.next_send is null and (of_occurrence is null or s.occurrence = of_occurrence)
       and (after_occurrence is null or (s.occurrence, s.cell, s.chunk) > (after_occurrence, after_cell, after_chunk))
     order by s.occurrence, s.cell, s.chunk limit most),
  open_send as materialized (
    select s.id from page p join send s on s.id = p.id
     where s.state || '' in ('planned', 'held', 'reserved', 'scheduled')
        or s.state || '' in ('sending', 'canceling', 'uncertain') and s.goal is distinct from 'canceled'
     order by s.id for no key update of s),
  taken as (
    update send s set
      state = case when s.state in ('planned', 'held') then 'canceled'
                   when s.state in ('reserved', 'scheduled') then 'canceling' else s.state end,
      goal = case when s.state in ('planned', 'held') then s.goal else 'canceled' end,
      changes = s.changes + case when s.state in ('sending', 'canceling', 'uncertain') then 0 else 1 end,
      code = case when s.state in ('sending', 'canceling', 'uncertain') then s.code else why end,
      detail = case when s.state in ('sending', 'canceling', 'uncertain') then s.detail else more end,
      state_at = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_at else at end,
      state_by = case when s.state in ('sending', 'canceling', 'uncertain') then s.state_by else by_whom end,
      looks = case when s.state in ('reserved', 'scheduled') then 0 else s.looks end,
      next_at = case when s.state in ('reserved', 'scheduled') then at
                          when s.state in ('planned', 'held') then null else s.next_at end
      from open_send o where s.id = o.id returning s.id)
  select count(*)::integer, (select count(*)::integer from taken), (array_agg(p.occurrence))[count(*)], (array_agg(p.cell))[count(*)],
         (array_agg(p.chunk))[count(*)] from page p;
end $$;

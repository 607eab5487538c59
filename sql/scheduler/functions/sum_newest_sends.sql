-- Called by store/send/close.store.ts, which explains it: for each occurrence sums up a page of its newest sends, backwards from its
-- last chunk or from the given one. Index send_cell, backwards, merged over the partitions: every page costs the same, wherever it
-- begins. (With the single condition "no chunk given, or before it", which cannot use the index, each page read all pages before it.)
-- The first page includes the sums of sends that are gone, and every page has the number of these. If that number has grown, sends
-- of an earlier page have become sums, or later pages lack some.
create or replace function sum_newest_sends(the_places page_place[], most integer, open_states text[])
returns table (place integer, seen integer, open uuid, expired boolean, nothing boolean, begun boolean, target float8, sent float8,
               gone integer, cell text, chunk integer) language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  set enable_bitmapscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select w.place::integer, p.seen, p.open, p.expired or (w.cell is null and g.expired), p.nothing and (w.cell is not null or g.nothing),
         p.begun or (w.cell is null and g.begun), p.target + case when w.cell is null then g.target else 0 end,
         p.sent + case when w.cell is null then g.sent else 0 end, g.sends, p.cell, p.chunk
    from unnest(the_places) with ordinality as w(campaign, occurrence, cell, chunk, place)
    cross join lateral (
      select count(*)::integer as seen, (array_agg(n.id) filter (where n.state = any(open_states)))[1] as open,
             coalesce(bool_or(n.state = 'expired'), false) as expired,
             coalesce(bool_and(send_state_is_unsent(n.state)), true) as nothing,
             coalesce(bool_or(n.begun), false) as begun,
             coalesce(sum(n.target_count), 0)::float8 as target, coalesce(sum(n.sent_count), 0)::float8 as sent,
             (array_agg(n.cell))[count(*)] as cell, (array_agg(n.chunk))[count(*)] as chunk
        from ((select s.id, s.cell, s.chunk, s.state, s.target_count, s.sent_count,
                     s.handed_off_at is not null and (s.mode <> 'reserved' or s.due_at <= s.state_at) as begun from send s
                where w.cell is null and s.campaign = w.campaign and s.occurrence = w.occurrence and s.next_send is null
                order by s.cell desc, s.chunk desc limit most)
              union all
              (select s.id, s.cell, s.chunk, s.state, s.target_count, s.sent_count,
                     s.handed_off_at is not null and (s.mode <> 'reserved' or s.due_at <= s.state_at) as begun from send s
                where s.campaign = w.campaign and s.occurrence = w.occurrence and s.next_send is null
                  and (s.cell, s.chunk) < (w.cell, w.chunk)
                order by s.cell desc, s.chunk desc limit most)) n) p
    cross join lateral (
      select coalesce(sum(d.sends), 0)::integer as sends, coalesce(bool_or(d.state = 'expired'), false) as expired,
             coalesce(bool_and(send_state_is_unsent(d.state)), true) as nothing,
             coalesce(bool_or(d.handed_off), false) as begun,
             coalesce(sum(d.target), 0)::float8 as target, coalesce(sum(d.sent), 0)::float8 as sent
        from send_gone d where d.campaign = w.campaign and d.occurrence = w.occurrence) g;
end $$;

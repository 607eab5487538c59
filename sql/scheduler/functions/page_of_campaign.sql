-- A page of a campaign's open sends, or of those of one occurrence, in order of the index send_cell, from behind the given place
-- (null: from the beginning). ids: in order of id, in which they are locked. Only reads.
create or replace function page_of_campaign(of_campaign uuid, of_occurrence text, after_occurrence text, after_cell text, after_chunk integer,
                                            most integer)
returns table (seen integer, ids uuid[], last_occurrence text, last_cell text, last_chunk integer) language plpgsql stable
  -- Planned anew: one occurrence or all of them, and from where on, are different scans.
  set plan_cache_mode = force_custom_plan set enable_partition_pruning = on set enable_hashjoin = off set enable_mergejoin = off
  set enable_seqscan = off set seq_page_cost = 1000000 set enable_bitmapscan = off as $$
#variable_conflict use_column
begin
  return query
  with page as materialized (
    select s.occurrence, s.cell, s.chunk, s.id from send_open s
     where s.campaign = of_campaign and (of_occurrence is null or s.occurrence = of_occurrence)
       and (after_occurrence is null or (s.occurrence, s.cell, s.chunk) > (after_occurrence, after_cell, after_chunk))
     order by s.occurrence, s.cell, s.chunk limit most)
  select (select count(*)::integer from page), (select array_agg(p.id order by p.id) from page p), l.occurrence, l.cell, l.chunk
    from (select) one
    left join (select p.* from page p order by p.occurrence desc, p.cell desc, p.chunk desc limit 1) l on true;
end $$;

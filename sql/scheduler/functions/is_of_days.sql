-- Whether an id lies in one of at most four ranges of days (work_days). One expression, which the planner inlines; with the
-- ranges as constants it plans for the partitions of those days only.
create or replace function is_of_days(id uuid, lows uuid[], highs uuid[]) returns boolean language sql immutable as $$
  select id >= lows[1] and id < highs[1] or id >= lows[2] and id < highs[2]
      or id >= lows[3] and id < highs[3] or id >= lows[4] and id < highs[4]
$$;

-- Whether the event of a campaign that moves to this state includes the sums of its occurrences, which may be written after
-- the move. Such an event is written at the commit, by campaign_write_end.
-- Written by `npm run schema`, of src/scheduler/decide/lifecycle/.
create or replace function campaign_ends_with_sums(state text) returns boolean language sql immutable as $$
  select state in ('completed', 'expired', 'canceled')
$$;

-- Whether a campaign that moves to this state is told of with the sums of its occurrences, which may be written after the move:
-- at the commit, by campaign_tell.
create or replace function campaign_ends_with_sums(state text) returns boolean language sql immutable as $$
  select state in ('completed', 'expired', 'canceled')
$$;

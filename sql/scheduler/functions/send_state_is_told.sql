-- Which states of a send are told.
create or replace function send_state_is_told(state text) returns boolean language sql immutable as $$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected',
                   'canceled', 'expired', 'skipped', 'superseded')
$$;

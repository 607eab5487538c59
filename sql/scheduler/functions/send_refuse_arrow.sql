-- To be said: its index and its locks.
create or replace function send_refuse_arrow(send uuid, from_state text, to_state text) returns text language plpgsql as $$
begin
  raise exception 'send % may not go from % to %', send, from_state, to_state
    using errcode = 'check_violation', constraint = 'send_transition';
end $$;

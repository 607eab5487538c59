-- Raises an error where a value is expected: so send_write_history can refuse a whole statement for one wrong change of state without
-- reading the rows twice. Reads nothing and locks nothing.
create or replace function send_refuse_arrow(send uuid, from_state text, to_state text) returns text language plpgsql as $$
begin
  raise exception 'send % may not go from % to %', send, from_state, to_state
    using errcode = 'check_violation', constraint = 'send_transition';
end $$;

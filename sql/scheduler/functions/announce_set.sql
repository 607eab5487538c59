-- Announces how far a set of retries or resolves is, project by project (store/change.store.ts). Not with each lease of a page. Only
-- holders of all services may see a set that is not restricted to some.
create or replace function announce_set() returns trigger language plpgsql as $$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'set', 'serviceId', case when new.held is not null then new.service_id end, 'subject', new.id,
    'data', json_build_object('token', new.id, 'kind', new.kind))))::text);
  return null;
end $$;
create or replace trigger send_set_born_announced after insert on send_set for each row execute function announce_set();
create or replace trigger send_set_announced after update on send_set for each row
  when ((old.step, old.counts, old.left_out, old.confirmed_at) is distinct from (new.step, new.counts, new.left_out, new.confirmed_at))
  execute function announce_set();

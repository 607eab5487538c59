-- Announces that a project was added or changed, or was blocked or is no longer (store/change.store.ts). Only for those who look now:
-- nothing relies on it.
create or replace function announce_project() returns trigger language plpgsql as $$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'project', 'serviceId', new.service_id, 'subject', new.service_id,
    'data', json_build_object('serviceId', new.service_id, 'blocked', new.blocked_code))))::text);
  return null;
end $$;
create or replace trigger project_announced after insert or update on project for each row execute function announce_project();

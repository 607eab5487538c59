-- Announces that an alert began, ended, was acknowledged, or has another figure (store/change.store.ts).
create or replace function announce_alert() returns trigger language plpgsql as $$
begin
  perform pg_notify('carillon_changes', json_build_object('id', gen_random_uuid(), 'changes', json_build_array(json_build_object(
    'event', 'alert', 'serviceId', new.service_id, 'subject', new.id,
    'data', json_build_object('alert', new.id, 'cause', new.cause, 'serviceId', new.service_id, 'isOpen', new.ended_at is null))))::text);
  return null;
end $$;
create or replace trigger alert_born_announced after insert on alert for each row execute function announce_alert();
create or replace trigger alert_announced after update on alert for each row
  when ((old.ended_at, old.acknowledged_at, old.figure) is distinct from (new.ended_at, new.acknowledged_at, new.figure))
  execute function announce_alert();

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What comes back (campaign-events.md): every outcome of a send, an occurrence and a campaign as a CloudEvent in the
 * outbox, written by triggers in the transaction that makes it so. None can be forgotten, and one statement writes those
 * of all the sends it moved.
 */
export class Outcomes1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- How many outcomes of the campaign itself were told: the sequence of its campaign and occurrence events.
alter table campaign add column outcomes integer not null default 0;

-- A UUIDv7 of that instant. One expression, and so are the next two: the planner puts them in place instead of calling.
create function uuid_at(at timestamptz) returns uuid language sql volatile as $$
  select encode(set_byte(overlay(uuid_send(gen_random_uuid())
                           placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
                         6, 112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15)), 'hex')::uuid
$$;

-- As every instant of ours is written.
create function instant_text(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The topic may have another name (KAFKA_OUTCOMES_TOPIC): connections carry it as a setting.
create function outcome_topic() returns text language sql stable as $$
  select coalesce(nullif(current_setting('carillon.outcomes_topic', true), ''), 'campaign.outcomes')
$$;

-- The CloudEvent around data; structured mode.
create function outcome_event(id uuid, service_id text, campaign_id text, kind text, at timestamptz, seq integer, data json)
returns bytea language sql stable as $$
  select convert_to(json_build_object('specversion', '1.0', 'id', id, 'source', '/carillon/' || service_id,
    'type', 'carillon.outcome.' || kind || '.v1', 'subject', campaign_id, 'time', instant_text(at),
    'datacontenttype', 'application/json', 'sequence', lpad(seq::text, 12, '0'), 'data', data)::text, 'UTF8')
$$;

-- Which states of a send are told.
create function send_state_is_told(state text) returns boolean language sql immutable as $$
  select state in ('accepted', 'reserved', 'scheduled', 'uncertain', 'sent', 'failed', 'empty', 'stale', 'rejected',
                   'canceled', 'expired', 'skipped', 'superseded')
$$;

-- Tells one event of a campaign: the next of its sequence. Locks the campaign's row.
create function tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz) returns void language plpgsql as $$
declare
  c campaign%rowtype;
  counts json;
  problems jsonb;
  event uuid := uuid_at(at);
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    select json_build_object('target', coalesce(sum(s.target_count), 0), 'sent', coalesce(sum(s.sent_count), 0)) into counts
      from live_send l join send s on s.id = l.send
     where l.campaign = of_campaign and (of_occurrence is null or l.occurrence = of_occurrence);
  end if;
  if kind = 'campaign.rejected' then
    select r.reasons into problems from revision r where r.campaign = of_campaign and r.revision = c.revision;
  end if;
  insert into outbox (id, topic, key, headers, value, shard, created_at)
  values (event, outcome_topic(), c.service_id || '/' || c.campaign_id,
          '{"content-type": "application/cloudevents+json; charset=utf-8"}',
          outcome_event(event, c.service_id, c.campaign_id, kind, at, c.outcomes, json_build_object(
            'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', c.revision,
            'occurrence', of_occurrence, 'state', coalesce(new_state, c.state), 'code', c.code, 'detail', c.detail, 'problems', problems,
            'at', instant_text(at), 'counts', counts)),
          hashtext(c.service_id || '/' || c.campaign_id) & 15, at);
  perform pg_notify('carillon_publish', '');
end $$;

create function campaign_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.id, 'campaign.' || new.state, new.state, null, new.state_at);
  return null;
end $$;
-- Deferred to the commit: what a transaction writes after the campaign's state (its revision's reasons) is told too.
create constraint trigger campaign_tell_birth after insert on campaign deferrable initially deferred
  for each row execute function campaign_tell();
create constraint trigger campaign_tell_move after update on campaign deferrable initially deferred
  for each row when (old.state is distinct from new.state) execute function campaign_tell();

create function occurrence_tell() returns trigger language plpgsql as $$
begin
  perform tell_campaign(new.campaign, 'occurrence.completed', null, new.occurrence, new.state_at);
  return null;
end $$;
create trigger occurrence_tell_end after update on occurrence
  for each row when (old.state <> 'completed' and new.state = 'completed') execute function occurrence_tell();

create function send_tell() returns trigger language plpgsql as $$
declare closed uuid;
begin
  with moved as (
    select n.*, o.state as from_state, uuid_at(n.state_at) as event
      from new_send n left join old_send o on o.id = n.id
     where n.state is distinct from o.state and send_state_is_told(n.state))
  insert into outbox (id, topic, key, headers, value, shard, created_at)
  select m.event, outcome_topic(), c.service_id || '/' || c.campaign_id,
         '{"content-type": "application/cloudevents+json; charset=utf-8"}',
         outcome_event(m.event, c.service_id, c.campaign_id, 'send.' || m.state, m.state_at, m.history, json_build_object(
           'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', m.revision,
           'occurrence', m.occurrence, 'zone', l.zone, 'cell', m.cell, 'chunk', m.chunk, 'sendId', m.id,
           'retryOf', m.retry_of, 'from', m.from_state, 'state', m.state, 'code', m.code, 'detail', m.detail,
           'at', instant_text(m.state_at), 'dueAt', instant_text(m.due_at), 'requestId', m.request_id,
           'counts', case when m.target_count is not null or m.sent_count is not null
                          then json_build_object('target', m.target_count, 'sent', m.sent_count) end)),
         hashtext(c.service_id || '/' || c.campaign_id) & 15, m.state_at
    from moved m join campaign c on c.id = m.campaign
    left join cell l on l.campaign = m.campaign and l.occurrence = m.occurrence and l.cell = m.cell;
  if not found then return null; end if;
  perform pg_notify('carillon_publish', '');
  -- What a retry, a resolve or a late result brings to a campaign that has closed corrects its report.
  for closed in
    select c.id from campaign c
     where c.state in ('completed', 'expired', 'canceled')
       and c.id in (select n.campaign from new_send n left join old_send o on o.id = n.id
                     where n.state is distinct from o.state and send_state_is_told(n.state))
     order by c.id
  loop
    perform tell_campaign(closed, 'campaign.corrected', null, null, (select max(n.state_at) from new_send n where n.campaign = closed));
  end loop;
  return null;
end $$;

-- Transition tables are of one statement and one event; births have no old rows.
create function send_tell_birth() returns trigger language plpgsql as $$
begin
  if not exists (select from new_send where send_state_is_told(state)) then return null; end if;
  insert into outbox (id, topic, key, headers, value, shard, created_at)
  select m.event, outcome_topic(), c.service_id || '/' || c.campaign_id,
         '{"content-type": "application/cloudevents+json; charset=utf-8"}',
         outcome_event(m.event, c.service_id, c.campaign_id, 'send.' || m.state, m.state_at, m.history, json_build_object(
           'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', m.revision,
           'occurrence', m.occurrence, 'zone', l.zone, 'cell', m.cell, 'chunk', m.chunk, 'sendId', m.id,
           'retryOf', m.retry_of, 'from', null, 'state', m.state, 'code', m.code, 'detail', m.detail,
           'at', instant_text(m.state_at), 'dueAt', instant_text(m.due_at), 'requestId', null, 'counts', null)),
         hashtext(c.service_id || '/' || c.campaign_id) & 15, m.state_at
    from (select n.*, uuid_at(n.state_at) as event from new_send n where send_state_is_told(n.state)) m
    join campaign c on c.id = m.campaign
    left join cell l on l.campaign = m.campaign and l.occurrence = m.occurrence and l.cell = m.cell;
  perform pg_notify('carillon_publish', '');
  return null;
end $$;

create trigger send_tell_moved after update on send referencing old table as old_send new table as new_send
  for each statement execute function send_tell();
create trigger send_tell_born after insert on send referencing new table as new_send
  for each statement execute function send_tell_birth();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop trigger send_tell_born on send;
drop trigger send_tell_moved on send;
drop trigger occurrence_tell_end on occurrence;
drop trigger campaign_tell_birth on campaign;
drop trigger campaign_tell_move on campaign;
drop function send_tell_birth();
drop function send_tell();
drop function occurrence_tell();
drop function campaign_tell();
drop function tell_campaign(uuid, text, text, text, timestamptz);
drop function send_state_is_told(text);
drop function outcome_event(uuid, text, text, text, timestamptz, integer, json);
drop function outcome_topic();
drop function instant_text(timestamptz);
drop function uuid_at(timestamptz);
alter table campaign drop column outcomes;
`);
  }
}

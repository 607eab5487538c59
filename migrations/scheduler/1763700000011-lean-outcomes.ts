import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a change of a send costs: one trigger instead of two, without a look at campaign or cell, and its outcome kept as
 * typed columns, which the publisher renders (view outbox_message). A send's outcome was a kilobyte of JSON, made while
 * the send's row was locked.
 */
export class LeanOutcomes1763700000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A row is a message as it is (topic, key, headers, value), or what became of a send, told by these columns; created_at
-- is when.
alter table outbox
  alter column topic drop not null,
  alter column headers drop not null,
  alter column headers drop default,
  alter column value drop not null,
  add column campaign      uuid,
  add column send          uuid,
  add column sequence      integer,
  add column revision      integer,
  add column occurrence    text,
  add column cell          text,
  add column chunk         integer,
  add column retry_of      uuid,
  add column from_state    text,
  add column to_state      text,
  add column code          text,
  add column detail        text,
  add column due_at        timestamptz,
  add column request_id    text,
  add column target_count  integer,
  add column sent_count    integer,
  add constraint outbox_either check ((send is null) = (value is not null));

create view outbox_message as
select o.id, o.position, o.shard, o.published_at, o.created_at,
       coalesce(o.topic, outcome_topic()) as topic,
       case when o.send is null then o.key else c.service_id || '/' || c.campaign_id end as key,
       case when o.send is null then o.headers
            else '{"content-type": "application/cloudevents+json; charset=utf-8"}' end as headers,
       case when o.send is null then o.value else
         outcome_event(o.id, c.service_id, c.campaign_id, 'send.' || o.to_state, o.created_at, o.sequence, json_build_object(
           'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', o.revision,
           'occurrence', o.occurrence, 'zone', l.zone, 'cell', o.cell, 'chunk', o.chunk, 'sendId', o.send,
           'retryOf', o.retry_of, 'from', o.from_state, 'state', o.to_state, 'code', o.code, 'detail', o.detail,
           'at', instant_text(o.created_at), 'dueAt', instant_text(o.due_at), 'requestId', o.request_id,
           'counts', case when o.target_count is not null or o.sent_count is not null
                          then json_build_object('target', o.target_count, 'sent', o.sent_count) end)) end as value
  from outbox o
  left join campaign c on c.id = o.campaign
  left join cell l on l.campaign = o.campaign and l.occurrence = o.occurrence and l.cell = o.cell;

-- Everything of a campaign in one shard, known without its row: by the random end of its id.
create function campaign_shard(campaign uuid) returns smallint language sql immutable as $$
  select (get_byte(uuid_send(campaign), 15) & 15)::smallint
$$;
update outbox o set shard = campaign_shard(c.id)
  from campaign c where o.published_at is null and o.key = c.service_id || '/' || c.campaign_id;

create or replace function tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz) returns void language plpgsql as $$
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
          campaign_shard(c.id), at);
  perform pg_notify('carillon_publish', '');
end $$;

drop trigger send_tell_moved on send;
drop trigger send_tell_born on send;
drop function send_tell();
drop function send_tell_birth();

create function send_refuse_arrow(send uuid, from_state text, to_state text) returns text language plpgsql as $$
begin
  raise exception 'send % may not go from % to %', send, from_state, to_state
    using errcode = 'check_violation', constraint = 'send_transition';
end $$;

create or replace function send_write_birth() returns trigger language plpgsql as $$
begin
  if exists (select from new_send where state not in ('planned', 'expired', 'skipped')) then
    raise exception 'a send begins as planned, expired or skipped'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select id, history, null, state, code, detail, state_at, state_by from new_send;
  if not exists (select from new_send where send_state_is_told(state)) then return null; end if;
  insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                      from_state, to_state, code, detail, due_at)
  select uuid_at(state_at), campaign_shard(campaign), state_at, campaign, id, history, revision, occurrence, cell, chunk,
         retry_of, null, state, code, detail, due_at
    from new_send where send_state_is_told(state);
  insert into campaign_touched (campaign) select distinct campaign from new_send where send_state_is_told(state);
  perform pg_notify('carillon_publish', '');
  return null;
end $$;

-- Every statement that changes state also sets history = history + 1, state_at and state_by; code and detail with it.
-- No nested loops: the plans are cached from the first, small statement, and on a batch of n they would compare n × n
-- rows. No sequential scans: the campaigns are few when the plan is made, and many later.
create or replace function send_write_history() returns trigger language plpgsql
  set enable_nestloop = off set enable_seqscan = off as $$
declare
  touched uuid[];
  closed uuid;
begin
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select n.id, n.history, o.state,
         case when t.to_state is null or n.history <> o.history + 1
              then send_refuse_arrow(n.id, o.state, n.state) else n.state end,
         n.code, n.detail, n.state_at, n.state_by
    from old_send o join new_send n on n.id = o.id
    left join send_transition t on t.from_state = o.state and t.to_state = n.state
   where o.state <> n.state;
  if not found then return null; end if;
  -- Told, and a reason to look whether the campaign has begun or ended: handed off, ended or uncertain.
  with told as (
    insert into outbox (id, shard, created_at, campaign, send, sequence, revision, occurrence, cell, chunk, retry_of,
                        from_state, to_state, code, detail, due_at, request_id, target_count, sent_count)
    select uuid_at(n.state_at), campaign_shard(n.campaign), n.state_at, n.campaign, n.id, n.history, n.revision,
           n.occurrence, n.cell, n.chunk, n.retry_of, o.state, n.state, n.code, n.detail, n.due_at, n.request_id,
           n.target_count, n.sent_count
      from new_send n join old_send o on o.id = n.id
     where n.state <> o.state and send_state_is_told(n.state)
    returning campaign)
  select array_agg(distinct campaign) into touched from told;
  if touched is null then return null; end if;
  insert into campaign_touched (campaign) select unnest(touched);
  perform pg_notify('carillon_publish', '');
  -- What a retry, a resolve or a late result brings to a campaign that has closed corrects its report.
  for closed in
    select c.id from campaign c
     where c.id = any(touched) and c.state in ('completed', 'expired', 'canceled') order by c.id
  loop
    perform tell_campaign(closed, 'campaign.corrected', null, null,
                          (select max(n.state_at) from new_send n where n.campaign = closed));
  end loop;
  return null;
end $$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop function send_refuse_arrow(uuid, text, text);
-- What is not published yet is kept, as the message it stands for.
update outbox o set topic = m.topic, key = m.key, headers = m.headers, value = m.value, send = null
  from outbox_message m where m.id = o.id and o.send is not null;
update outbox o set shard = hashtext(o.key) & 15
  from campaign c where o.published_at is null and o.key = c.service_id || '/' || c.campaign_id;
drop view outbox_message;
alter table outbox
  drop constraint outbox_either,
  drop column campaign, drop column send, drop column sequence, drop column revision, drop column occurrence,
  drop column cell, drop column chunk, drop column retry_of, drop column from_state, drop column to_state,
  drop column code, drop column detail, drop column due_at, drop column request_id, drop column target_count,
  drop column sent_count,
  alter column topic set not null,
  alter column headers set default '{}',
  alter column headers set not null,
  alter column value set not null;
create or replace function tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz) returns void language plpgsql as $$
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
drop function campaign_shard(uuid);
create or replace function send_write_birth() returns trigger language plpgsql as $$
begin
  if exists (select from new_send where state not in ('planned', 'expired', 'skipped')) then
    raise exception 'a send begins as planned, expired or skipped'
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select id, history, null, state, code, detail, state_at, state_by from new_send;
  insert into campaign_touched (campaign) select distinct campaign from new_send where state <> 'planned';
  return null;
end $$;
create or replace function send_write_history() returns trigger language plpgsql set enable_nestloop = off as $$
declare wrong record;
begin
  select o.id, o.state as from_state, n.state as to_state into wrong
    from old_send o join new_send n on n.id = o.id
   where o.state <> n.state
     and (n.history <> o.history + 1
          or not exists (select from send_transition t where t.from_state = o.state and t.to_state = n.state))
   limit 1;
  if found then
    raise exception 'send % may not go from % to %', wrong.id, wrong.from_state, wrong.to_state
      using errcode = 'check_violation', constraint = 'send_transition';
  end if;
  insert into send_history (send, sequence, from_state, to_state, code, detail, at, by)
  select n.id, n.history, o.state, n.state, n.code, n.detail, n.state_at, n.state_by
    from old_send o join new_send n on n.id = o.id where o.state <> n.state;
  -- Handed off, ended or uncertain: the campaign may have begun to run, or have ended.
  insert into campaign_touched (campaign)
  select distinct n.campaign from old_send o join new_send n on n.id = o.id
   where o.state <> n.state and n.state not in ('planned', 'claimed', 'sending', 'canceling', 'held');
  return null;
end $$;
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
}

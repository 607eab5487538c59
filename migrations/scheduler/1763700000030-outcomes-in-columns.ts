import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is told of a campaign or an occurrence is kept as columns too, as a send's outcome is: the publisher makes the
 * event (publish/outcome-event.ts), and the database composes no JSON.
 */
export class OutcomesInColumns1763700000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
drop view outbox_message;
-- A row is a message as it is (topic, key, headers, value), or what became of a send (send) or of its campaign (kind), told
-- by these columns; created_at is when.
alter table outbox
  drop constraint outbox_either,
  -- campaign.<state>, campaign.corrected, occurrence.completed, occurrence.skipped.
  add column kind     text,
  -- Every problem found, of a rejected campaign.
  add column problems jsonb,
  add constraint outbox_one_kind check (num_nonnulls(value, send, kind) = 1);

-- Tells one event of a campaign: the next of its sequence. Locks the campaign's row.
create or replace function tell_campaign(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz) returns void language plpgsql as $$
declare
  c campaign%rowtype;
  targets bigint;
  sents bigint;
  problems jsonb;
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    select coalesce(sum(o.target_count), 0), coalesce(sum(o.sent_count), 0) into targets, sents
      from occurrence o
     where o.campaign = of_campaign and (of_occurrence is null or o.occurrence = of_occurrence);
  end if;
  if kind = 'occurrence.skipped' then
    select o.code into c.code from occurrence o where o.campaign = of_campaign and o.occurrence = of_occurrence;
  end if;
  if kind = 'campaign.rejected' then
    select r.reasons into problems from revision r where r.campaign = of_campaign and r.revision = c.revision;
  end if;
  insert into outbox (id, shard, created_at, campaign, kind, sequence, revision, occurrence, to_state, code, detail, problems,
                      target_count, sent_count)
  values (uuid_at(at), campaign_shard(c.id), at, c.id, kind, c.outcomes, c.revision, of_occurrence, coalesce(new_state, c.state),
          c.code, c.detail, problems, targets, sents);
  perform pg_notify('carillon_publish', '');
end $$;

-- Counts of a campaign are sums of those of its sends.
alter table outbox alter column target_count type bigint, alter column sent_count type bigint;

drop function outcome_event(uuid, text, text, text, timestamptz, integer, json);
drop function outcome_topic();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
create function outcome_topic() returns text language sql stable as $$
  select coalesce(nullif(current_setting('carillon.outcomes_topic', true), ''), 'campaign.outcomes')
$$;
create function outcome_event(id uuid, service_id text, campaign_id text, kind text, at timestamptz, seq integer, data json)
returns bytea language sql stable as $$
  select convert_to(json_build_object('specversion', '1.0', 'id', id, 'source', '/carillon/' || service_id,
    'type', 'carillon.outcome.' || kind || '.v1', 'subject', campaign_id, 'time', instant_text(at),
    'datacontenttype', 'application/json', 'sequence', lpad(seq::text, 12, '0'), 'data', data)::text, 'UTF8')
$$;
-- What is not published yet is kept, as the message it stands for.
update outbox o set topic = outcome_topic(), key = c.service_id || '/' || c.campaign_id,
       headers = '{"content-type": "application/cloudevents+json; charset=utf-8"}',
       value = outcome_event(o.id, c.service_id, c.campaign_id, o.kind, o.created_at, o.sequence, json_build_object(
         'serviceId', c.service_id, 'campaignId', c.campaign_id, 'ourId', c.id, 'revision', o.revision,
         'occurrence', o.occurrence, 'state', o.to_state, 'code', o.code, 'detail', o.detail, 'problems', o.problems,
         'at', instant_text(o.created_at), 'counts', case when o.target_count is not null
            then json_build_object('target', o.target_count, 'sent', o.sent_count) end)), kind = null
  from campaign c where c.id = o.campaign and o.kind is not null;
alter table outbox
  drop column kind, drop column problems,
  alter column target_count type integer, alter column sent_count type integer,
  add constraint outbox_either check ((send is null) = (value is not null));
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
`);
  }
}

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

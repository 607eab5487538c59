-- Writes an event of a campaign, with the next number of its sequence. why, of_code: the event's words and code in place of the campaign's.
-- of_revision: another one than that in force. The sums of a
-- campaign leave out the sends to testTo. Locks the campaign's row.
create or replace function write_campaign_event(of_campaign uuid, kind text, new_state text, of_occurrence text, at timestamptz,
                                                why text default null, of_revision integer default null,
                                                of_code text default null) returns void language plpgsql as $$
declare
  c campaign%rowtype;
  targets bigint;
  sents bigint;
begin
  update campaign set outcomes = outcomes + 1 where id = of_campaign returning * into c;
  if kind in ('campaign.completed', 'campaign.expired', 'campaign.canceled', 'campaign.corrected', 'occurrence.completed') then
    select coalesce(sum(o.target_count), 0), coalesce(sum(o.sent_count), 0) into targets, sents
      from occurrence o
     where o.campaign = of_campaign and (o.occurrence = of_occurrence or of_occurrence is null and o.occurrence not like 'test-%');
  end if;
  if kind = 'occurrence.skipped' then
    select o.code into c.code from occurrence o where o.campaign = of_campaign and o.occurrence = of_occurrence;
  end if;
  insert into send_event (position, at, campaign, kind, sequence, shard, revision, occurrence, to_state, code, detail,
                          target_count, sent_count)
  values (event_position(campaign_shard(c.id)), at, c.id, kind, c.outcomes, campaign_shard(c.id), coalesce(of_revision, c.revision), of_occurrence,
          coalesce(new_state, c.state), coalesce(of_code, c.code), coalesce(why, c.detail), targets, sents);
  perform pg_notify('carillon_publish', '');
end $$;

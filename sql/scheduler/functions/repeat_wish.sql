-- Why the request of an uncertain send may be repeated: 'go', for it may still get there, in time by the campaign's own
-- lateness, and is wanted; 'take-back', for it is a reservation far enough off to be taken back once its id is known; null:
-- it may not. Index campaign_cancel_key; locks nothing.
create or replace function repeat_wish(s send, c campaign, r revision, at timestamptz) returns text language sql stable as $$
  select case
    when s.goal is not null or c.paused or c.state in ('canceling', 'canceled') or exists (
           select from campaign_cancel k
            where k.campaign = s.campaign and (k.occurrence is null or k.occurrence = s.occurrence))
      then case when s.mode = 'reserved' and s.due_at > at + interval '2 minutes' then 'take-back' end
    when s.due_at is null or at <= s.due_at
           + coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, 1800000) * interval '1 millisecond' then 'go' end
$$;

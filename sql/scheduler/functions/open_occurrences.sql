-- Called by lacking_sends(): the open occurrences with sends that may be due in the range; a due may move by two days. The planner
-- inlines it into the calling statement. Index occurrence_open.
create or replace function open_occurrences(of_campaign uuid, due_from timestamptz, due_to timestamptz)
returns table (campaign uuid, occurrence text) language sql stable as $$
  select o.campaign, o.occurrence from occurrence o
   where occurrence_state_is_open(o.state) and (of_campaign is null or o.campaign = of_campaign)
     and (due_from is null or o.last_due is null or o.last_due >= due_from - interval '2 days')
     and (due_to is null or o.first_due is null or o.first_due < due_to + interval '2 days')
$$;

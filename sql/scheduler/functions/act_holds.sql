-- Whether a row of campaign_act is for the sends of an occurrence: of_occurrence is its own, null for all of the campaign. A send
-- to testTo leaves before its campaign is approved, and a revision holds nothing back: its pages move the sends that it changes.
-- Of one expression, so that it becomes a part of each statement that calls it.
create or replace function act_holds(mark text, of_occurrence text, occurrence text) returns boolean language sql immutable as $$
  select mark <> 'revision'
     and case when of_occurrence is not null then of_occurrence = occurrence
              else mark <> 'approval' or occurrence not like 'test-%' end
$$;

-- Whether the request of an uncertain send may be repeated, by the columns of send_repeat. A send that is wanted may, until it is too
-- late by its campaign's policy. A send that is not wanted may if it is a reservation far enough ahead: then it can be cancelled once
-- its id is known. One expression, which the planner inlines.
create or replace function may_repeat(wanted boolean, repeat_until timestamptz, mode text, due_at timestamptz, at timestamptz)
returns boolean language sql stable as $$
  select case when wanted then repeat_until is null or at <= repeat_until
              else mode = 'reserved' and due_at > at + interval '2 minutes' end
$$;

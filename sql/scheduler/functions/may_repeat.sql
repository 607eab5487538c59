-- Whether the request of an uncertain send may be repeated, by what send_repeat tells of it: it is wanted and in time by its
-- campaign's own lateness; or not wanted and a reservation far enough off to be taken back once its id is known. One
-- expression: it is put in place.
create or replace function may_repeat(wanted boolean, repeat_until timestamptz, mode text, due_at timestamptz, at timestamptz)
returns boolean language sql stable as $$
  select case when wanted then repeat_until is null or at <= repeat_until
              else mode = 'reserved' and due_at > at + interval '2 minutes' end
$$;

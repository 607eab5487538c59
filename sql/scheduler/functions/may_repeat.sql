-- Whether the request of an uncertain send may be repeated, by the columns of send_repeat: it is wanted, and in time by its
-- campaign's own lateness; or it is not wanted, and is a reservation far enough ahead to be cancelled once its id is known. One
-- expression, which is inlined.
create or replace function may_repeat(wanted boolean, repeat_until timestamptz, mode text, due_at timestamptz, at timestamptz)
returns boolean language sql stable as $$
  select case when wanted then repeat_until is null or at <= repeat_until
              else mode = 'reserved' and due_at > at + interval '2 minutes' end
$$;

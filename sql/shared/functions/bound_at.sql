-- The instant of a partition's bound, as pg_get_expr writes it: an instant, a UUIDv7, a bigint whose bits above 40 are the day,
-- MINVALUE or MAXVALUE.
create or replace function bound_at(bound text) returns timestamptz language sql stable as $$
  select case when bound = 'MINVALUE' then '-infinity'
              when bound = 'MAXVALUE' then 'infinity'
              when bound ~ '^[0-9a-f]{8}-' then to_timestamp(('x' || translate(left(bound, 13), '-', ''))::bit(48)::bigint / 1000.0)
              when bound ~ '^[0-9]+$' then to_timestamp((bound::bigint >> 40) * 86400)
              else bound::timestamptz end
$$;

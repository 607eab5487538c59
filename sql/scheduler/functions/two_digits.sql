-- A length to two significant digits, as it is kept of sends that are gone.
create or replace function two_digits(length float8) returns float8 language sql immutable strict as $$
  select case when length = 0 then 0 else round((length / unit)::numeric)::float8 * unit end
    from (select (10 ^ (floor(log(abs(nullif(length, 0))::numeric)) - 1))::float8 as unit) u
$$;

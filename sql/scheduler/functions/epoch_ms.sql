-- An instant in milliseconds since 1970, with microseconds as a fraction. One expression, which the planner inlines. Costs a third of
-- extract(), which calculates in numeric.
create or replace function epoch_ms(at timestamptz) returns float8 language sql stable as $$
  select round(date_part('epoch', at) * 1e6) / 1e3
$$;

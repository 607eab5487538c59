-- An instant as our programs count them, with what is finer as a fraction. One expression: the planner puts it in place
-- instead of calling. A third of what extract() costs, which reckons in numeric.
create or replace function epoch_ms(at timestamptz) returns float8 language sql stable as $$
  select round(date_part('epoch', at) * 1e6) / 1e3
$$;
